"""Figures: median, spread and ratio to the floor; and the JSON document of `manage.py bench`."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """`ratio` is value / floor; `spread` is (largest - smallest) / median of the repetitions."""

    name: str
    unit: str
    value: float
    floor: float | None
    ratio: float | None
    cpu_ms: float | None
    spread: float


def figure(
    name: str, unit: str, values: Sequence[float], floors: Sequence[float] = (), cpu_ms: Sequence[float] = ()
) -> Figure:
    """Return the figure of repeated measurements."""
    value = statistics.median(values)
    floor = statistics.median(floors) if floors else None
    return Figure(
        name=name,
        unit=unit,
        value=round(value, 4),
        floor=round(floor, 4) if floor is not None else None,
        ratio=round(value / floor, 3) if floor else None,
        cpu_ms=round(statistics.median(cpu_ms), 4) if cpu_ms else None,
        spread=round((max(values) - min(values)) / value, 3) if value else 0.0,
    )


def document(figures: Sequence[Figure]) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {"figures": [asdict(each) for each in figures], "machine": machine()}


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "load": [round(value, 2) for value in os.getloadavg()],
    }


def table(figures: Sequence[Figure]) -> str:
    """Return the figures for people."""
    lines = [f"{'figure':28} {'value':>10} {'unit':12} {'floor':>8} {'ratio':>7} {'cpu ms':>8} {'spread':>7}"]
    for each in figures:
        cells = [each.floor, each.ratio, each.cpu_ms, each.spread]
        shown = [f"{cell:.3f}" if cell is not None else "-" for cell in cells]
        lines.append(
            f"{each.name:28} {each.value:>10.3f} {each.unit:12} {shown[0]:>8} {shown[1]:>7} {shown[2]:>8} {shown[3]:>7}"
        )
    return "\n".join(lines)


def cpu_seconds(session: int) -> float:
    """Return the processor time of every process of a session, its ended children included. Source: proc(5)."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(int(value) for value in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")
