"""Skill `chart`: pictures of ordinary, odd and empty tables."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from plans.core.errors import BadInputError
from tests.skills.context import FolderContext

Call = Callable[..., Any]


@pytest.fixture
def chart(call: Call) -> Callable[..., Any]:
    def run(query: str, **params: Any) -> Any:
        table = call("sql", query=query)
        return call("chart", **{"table": table.model_dump(), "x": "x", "y": "y", **params})

    return run


ROWS = "SELECT * FROM (VALUES {}) t(x, y)"


def test_a_bar_chart_is_a_png_that_knows_its_size_and_says_what_it_shows(
    chart: Callable[..., Any], context: FolderContext
) -> None:
    image = chart(ROWS.format("('/a', 491), ('/b', 120)"), title="Busiest pages")

    picture = Image.open(BytesIO(context.path(image).read_bytes()))
    assert (picture.format, picture.size) == ("PNG", (image.meta["width"], image.meta["height"]))
    assert (image.kind, image.media_type) == ("image", "image/png")
    assert image.meta["alt"] == ("Bar chart: Busiest pages. 2 values of y by x; highest 491 (/a), lowest 120 (/b).")


@pytest.mark.parametrize("kind", ["bar", "line"])
@pytest.mark.parametrize(
    "rows",
    [
        "('only', 1)",
        "('a', -5), ('b', 3)",
        "('a', 0), ('b', 0)",
        "('$5 and $10', 1), ('x^{2', 2), ('水果', 3)",
        "('line\nbreak', 1), (repeat('long ', 60), 2)",
        "(NULL, 1), ('b', 2)",
        "(1, 1.5e18), (2, 3.0)",
        "(1.5, 0.00001), (2.5, 0.00003)",
        "(DATE '2026-01-01', 1), (DATE '2026-02-01', 2)",
        "(true, 1), (false, 2)",
    ],
)
def test_odd_tables_are_drawn(kind: str, rows: str, chart: Callable[..., Any]) -> None:
    assert chart(ROWS.format(rows), kind=kind, title="Odd $x").meta["points"] >= 1


@pytest.mark.parametrize("kind", ["bar", "line"])
def test_an_empty_table_says_so(kind: str, chart: Callable[..., Any]) -> None:
    image = chart(ROWS.format("('a', 1)") + " WHERE false", kind=kind, title="Nothing")

    assert (image.meta["points"], "No data" in image.meta["alt"]) == (0, True)


def test_an_empty_table_whose_columns_have_no_type_is_drawn_too(call: Call, context: FolderContext) -> None:
    table, _ = call("load_file", file=context.attach("a.csv", "x,y\n").model_dump())

    assert call("chart", table=table.model_dump(), x="x", y="y").meta["points"] == 0


def test_rows_without_a_value_are_left_out_and_counted(chart: Callable[..., Any]) -> None:
    image = chart(ROWS.format("('a', 1.0), ('b', NULL), ('c', 'nan'::DOUBLE), ('d', 'inf'::DOUBLE)"))

    assert (image.meta["points"], image.meta["skipped"], image.meta["total"]) == (1, 3, 4)


def test_several_series_and_a_thousand_points(chart: Callable[..., Any]) -> None:
    many = "SELECT range AS x, sin(range) AS y, cos(range) AS z FROM range(1000)"

    assert chart(many, kind="line", y=["y", "z"]).meta["points"] == 1000
    assert chart(many, kind="bar", y=["y", "z"]).meta["points"] == 200
    assert chart(many, kind="bar", top=5).meta["points"] == 5


def test_a_column_of_words_cannot_be_drawn_as_values(chart: Callable[..., Any]) -> None:
    with pytest.raises(BadInputError) as caught:
        chart(ROWS.format("('a', 'one')"))

    assert (caught.value.code, caught.value.params) == ("chart_not_numeric", {"column": "y", "type": "text"})


def test_a_missing_column_names_the_nearest(chart: Callable[..., Any]) -> None:
    with pytest.raises(BadInputError) as caught:
        chart("SELECT 'a' AS page, 1 AS views", x="page", y="view")

    assert caught.value.params["nearest"] == "views"
