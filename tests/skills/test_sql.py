"""Skill `sql`: what a query may do, what it may not, and what the person is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plans.core.errors import BadInputError
from plans.core.values import ArtifactRef
from plans.skills.tables import load_rows
from tests.skills.context import FolderContext

Call = Callable[..., Any]
CSV = "day,region,amount\n2026-01-05,North,1.10\n2026-01-06,South,2.20\n2026-02-01,North,3.30\n"


@pytest.fixture
def sales(call: Call, context: FolderContext) -> ArtifactRef:
    table, _ = call("load_file", file=context.attach("sales.csv", CSV).model_dump())
    return table


@pytest.fixture
def refused(call: Call, sales: ArtifactRef) -> Callable[..., BadInputError]:
    def run(query: str, **inputs: Any) -> BadInputError:
        with pytest.raises(BadInputError) as caught:
            call("sql", query=query, tables={"sales": sales.model_dump()}, inputs=inputs)
        return caught.value

    return run


def test_rows_come_in_the_order_of_the_query(call: Call, sales: ArtifactRef, context: FolderContext) -> None:
    result = call(
        "sql",
        query="SELECT region, sum(amount) AS total, count(*) AS n FROM sales WHERE day >= $since "
        "GROUP BY region ORDER BY total DESC",
        tables={"sales": sales.model_dump()},
        inputs={"since": "2026-01-06", "unused": 7},
    )

    assert result.meta == {
        "columns": [
            {"name": "region", "type": "text"},
            {"name": "total", "type": "number"},
            {"name": "n", "type": "integer"},
        ],
        "row_count": 2,
    }
    assert load_rows(context.path(result), 10) == [
        {"region": "North", "total": 3.3, "n": 1},
        {"region": "South", "total": 2.2, "n": 1},
    ]


def test_values_are_never_part_of_the_query(call: Call, sales: ArtifactRef) -> None:
    result = call(
        "sql",
        query="SELECT * FROM sales WHERE region = $region",
        tables={"sales": sales.model_dump()},
        inputs={"region": "North' OR '1' = '1"},
    )

    assert result.meta["row_count"] == 0


def test_a_sum_of_integers_stays_an_integer_and_dates_stay_dates(call: Call, context: FolderContext) -> None:
    result = call("sql", query="SELECT sum(i) AS big, DATE '2026-01-01' AS d, 'nan'::DOUBLE AS x FROM range(10) t(i)")

    assert [column["type"] for column in result.meta["columns"]] == ["integer", "date", "number"]
    assert load_rows(context.path(result), 1) == [{"big": 45, "d": "2026-01-01", "x": None}]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("COPY sales TO '/tmp/out.csv'", "sql_not_a_select"),
        ("ATTACH '/tmp/x.db'", "sql_not_a_select"),
        ("INSTALL httpfs", "sql_not_a_select"),
        ("LOAD httpfs", "sql_not_a_select"),
        ("SET enable_external_access = true", "sql_not_a_select"),
        ("PRAGMA database_list", "sql_not_a_select"),
        ("DROP TABLE sales", "sql_not_a_select"),
        ("SELECT 1; SELECT 2", "sql_not_one_statement"),
        ("-- nothing", "sql_not_one_statement"),
        ("SELECT * FROM read_csv('/etc/passwd')", "sql_failed_at"),
        ("SELECT * FROM read_text('/etc/passwd')", "sql_failed_at"),
        ("SELECT * FROM '/etc/passwd'", "sql_failed_at"),
        ("SELECT * FROM glob('/etc/*')", "sql_failed_at"),
        ("SELECT * FROM query('COPY sales TO ''/tmp/out.csv''')", "sql_failed_at"),
        ("SELECT getenv('HOME')", "sql_failed_at"),
        ("SELECT $missing", "sql_input_missing"),
    ],
)
def test_what_is_more_than_a_select_over_the_tables_is_refused(
    query: str, code: str, refused: Callable[..., BadInputError]
) -> None:
    assert refused(query).code == code
    assert not Path("/tmp/out.csv").exists()


def test_a_mistake_names_its_place(refused: Callable[..., BadInputError]) -> None:
    error = refused("SELECT day,\n  regin\nFROM sales")

    assert (error.code, error.params["line"], error.params["column"]) == ("sql_failed_at", 2, 3)
    assert error.params["message"].startswith('Binder Error: Referenced column "regin" not found')


def test_a_syntax_error_names_its_place(refused: Callable[..., BadInputError]) -> None:
    error = refused("SELECT day\nFORM sales")

    assert (error.params["line"], error.params["column"]) == (2, 6)


def test_too_many_rows_are_an_error_with_both_numbers(call: Call) -> None:
    with pytest.raises(BadInputError) as caught:
        call("sql", query="SELECT * FROM range(1000001)")

    assert (caught.value.code, caught.value.params) == ("sql_too_many_rows", {"count": 1_000_001, "limit": 1_000_000})


def test_a_query_that_needs_too_much_is_told_so(call: Call) -> None:
    with pytest.raises(BadInputError) as caught:
        call("sql", query="SELECT list(a.range * b.range) FROM range(30000) a, range(30000) b")

    assert caught.value.code == "sql_too_big"


def test_no_rows_are_a_result(call: Call) -> None:
    assert call("sql", query="SELECT 1 AS a WHERE false").meta["row_count"] == 0


@pytest.mark.parametrize("inputs", [{"a": [1, 2]}, {"a": {"b": 1}}])
def test_an_input_that_is_no_single_value_is_a_bad_param(inputs: dict[str, Any], call: Call) -> None:
    with pytest.raises(BadInputError) as caught:
        call("sql", query="SELECT 1", inputs=inputs)

    assert caught.value.code == "bad_params"
