"""Draw a chart with matplotlib's Agg canvas: light, quiet, readable at a thousand pixels."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, MaxNLocator

from plans.skills.compute.people import compact, cut, day_form, decimals_of, number, tidy

DPI = 150
WIDTH_INCHES = 10.0
INK, MUTED, GRID, PAPER = "#1f2933", "#5f6c7b", "#e4e9ef", "#ffffff"
PALETTE = ("#2f6fde", "#e07a2f", "#2a9d78", "#b4489f", "#7a6ad8", "#8a8f98")
LABEL_LENGTH = 44
MAX_VALUE_LABELS = 26
MAX_TICKS = 24
STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 11,
    # Labels are data: "$5 and $10" is no formula.
    "text.parse_math": False,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """All that is drawn. `series` maps a name to numbers, None where there is none."""

    kind: str
    title: str
    x_label: str
    y_label: str
    xs: list[Any]
    series: dict[str, list[float | None]]
    remarks: list[str]
    empty: str


def draw(picture: Picture, path: Path) -> tuple[int, int]:
    """Write the PNG; return width and height in pixels."""
    matplotlib.rcParams.update(STYLE)
    labels = _labels(picture.xs)
    lying = picture.kind == "bar" and _reads_better_lying(picture, labels)
    height = min(12.0, max(4.2, 1.9 + 0.36 * len(labels) * max(1, len(picture.series) * 0.6))) if lying else 5.4
    figure = Figure(
        figsize=(WIDTH_INCHES, height), dpi=DPI, facecolor=PAPER, layout=ConstrainedLayoutEngine(w_pad=0.14, h_pad=0.14)
    )
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _frame(axes)
    if not picture.xs:
        _say_empty(axes, picture.empty)
    elif lying:
        _lying_bars(axes, picture, labels)
    elif picture.kind == "bar":
        _standing_bars(axes, picture, labels)
    else:
        _lines(axes, picture, labels)
    _words(figure, axes, picture, lying)
    figure.savefig(path, dpi=DPI, facecolor=PAPER)
    return int(WIDTH_INCHES * DPI), int(height * DPI)


def _labels(xs: list[Any]) -> list[str]:
    form = day_form(xs)
    return [
        x.strftime(form) if isinstance(x, date) else "–" if x is None else cut(tidy(str(x)), LABEL_LENGTH) for x in xs
    ]


def _reads_better_lying(picture: Picture, labels: list[str]) -> bool:
    """Long names are read along a lying bar; months and short codes stand in their order."""
    if not labels or len(labels) > 30 or isinstance(picture.xs[0], date):
        return False
    longest = max(map(len, labels))
    return longest > 12 or longest * len(labels) > 90


def _frame(axes: Axes) -> None:
    axes.set_facecolor(PAPER)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GRID)
    axes.tick_params(length=0, pad=6)
    axes.set_axisbelow(True)


def _say_empty(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", fontsize=15, color=MUTED)
    axes.set_xticks([])
    axes.set_yticks([])


def _widths(picture: Picture) -> tuple[float, list[float]]:
    """Return the thickness of a bar and the offsets of the series around a place."""
    count = len(picture.series)
    thick = 0.72 / count
    return thick, [(at - (count - 1) / 2) * thick for at in range(count)]


def _lying_bars(axes: Axes, picture: Picture, labels: list[str]) -> None:
    thick, offsets = _widths(picture)
    places = range(len(labels))
    for (name, values), offset, color in zip(picture.series.items(), offsets, PALETTE, strict=False):
        drawn = [value if value is not None else 0.0 for value in values]
        axes.barh([place + offset for place in places], drawn, height=thick * 0.94, color=color, label=name)
        _value_labels(axes, [(value, place + offset) for value, place in zip(values, places, strict=True)], lying=True)
    axes.set_yticks(list(places), labels, color=INK)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: compact(value)))
    axes.grid(axis="x", color=GRID, linewidth=1)
    axes.margins(x=0.09)
    _zero_line(axes, picture, lying=True)


def _standing_bars(axes: Axes, picture: Picture, labels: list[str]) -> None:
    thick, offsets = _widths(picture)
    places = range(len(labels))
    for (name, values), offset, color in zip(picture.series.items(), offsets, PALETTE, strict=False):
        drawn = [value if value is not None else 0.0 for value in values]
        axes.bar([place + offset for place in places], drawn, width=thick * 0.94, color=color, label=name)
        if len(labels) * len(picture.series) <= MAX_VALUE_LABELS // 2:
            _value_labels(
                axes, [(value, place + offset) for value, place in zip(values, places, strict=True)], lying=False
            )
    axes.set_xlim(-0.6, len(labels) - 0.4)
    if len(labels) == 1:
        axes.set_xlim(-2, 2)
    _place_ticks(axes, labels)
    _value_axis(axes)
    _zero_line(axes, picture, lying=False)


def _lines(axes: Axes, picture: Picture, labels: list[str]) -> None:
    numeric = all(isinstance(x, int | float) and not isinstance(x, bool) for x in picture.xs)
    dated = all(isinstance(x, date) for x in picture.xs)
    places = picture.xs if numeric or (dated and len(labels) > MAX_TICKS) else list(range(len(labels)))
    marker = "o" if len(labels) <= 60 else None
    for (name, values), color in zip(picture.series.items(), PALETTE, strict=False):
        drawn = [float("nan") if value is None else value for value in values]
        axes.plot(places, drawn, color=color, linewidth=2.2, marker=marker, markersize=5, label=name)
    if numeric:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: compact(value)))
    elif dated and len(labels) > MAX_TICKS:
        _date_ticks(axes)
    else:
        _place_ticks(axes, labels)
    axes.margins(x=0.03, y=0.12)
    _value_axis(axes)
    _zero_line(axes, picture, lying=False)


def _date_ticks(axes: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=10)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def _place_ticks(axes: Axes, labels: list[str]) -> None:
    """Label as many places as can be read, slanted when they would touch."""
    longest = max(map(len, labels))
    room = max(4, min(MAX_TICKS, 120 // max(3, longest)))
    slanted = len(labels) > room
    step = max(1, -(-len(labels) // (MAX_TICKS + 6))) if slanted else 1
    places = list(range(0, len(labels), step))
    shown = [cut(labels[place], 24) if slanted else labels[place] for place in places]
    axes.set_xticks(
        places, shown, rotation=35 if slanted else 0, ha="right" if slanted else "center", rotation_mode="anchor"
    )


def _value_axis(axes: Axes) -> None:
    axes.yaxis.set_major_locator(MaxNLocator(nbins=7, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: compact(value)))
    axes.grid(axis="y", color=GRID, linewidth=1)


def _zero_line(axes: Axes, picture: Picture, *, lying: bool) -> None:
    if any(value is not None and value < 0 for values in picture.series.values() for value in values):
        (axes.axvline if lying else axes.axhline)(0, color=MUTED, linewidth=1)


def _value_labels(axes: Axes, points: list[tuple[float | None, float]], *, lying: bool) -> None:
    values = [value for value, _ in points if value is not None]
    if len(points) > MAX_VALUE_LABELS or not values:
        return
    decimals = min(2, decimals_of(values))
    if max(map(abs, values)) >= 10_000:
        decimals = 0
    for value, place in points:
        if value is None:
            continue
        away = 5 if value >= 0 else -5
        axes.annotate(
            compact(value) if abs(value) >= 1e7 else number(value, decimals),
            (value, place) if lying else (place, value),
            xytext=(away, 0) if lying else (0, away),
            textcoords="offset points",
            ha=("left" if value >= 0 else "right") if lying else "center",
            va="center" if lying else ("bottom" if value >= 0 else "top"),
            fontsize=9.5,
            color=INK,
        )


def _words(figure: Figure, axes: Axes, picture: Picture, lying: bool) -> None:
    if picture.title:
        title = "\n".join(textwrap.wrap(picture.title, 72)[:2])
        figure.suptitle(title, x=0.012, ha="left", fontsize=15, fontweight="bold", color=INK)
    across, up = (picture.y_label, picture.x_label) if lying else (picture.x_label, picture.y_label)
    if picture.xs:
        axes.set_xlabel(cut(across, 90), labelpad=8)
        axes.set_ylabel(cut(up, 60), labelpad=8)
    if len(picture.series) > 1 and picture.xs:
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1.0), ncols=min(4, len(picture.series)), frameon=False, fontsize=10
        )
    if picture.remarks:
        figure.supxlabel("  ·  ".join(picture.remarks), x=0.012, ha="left", fontsize=9, color=MUTED)
