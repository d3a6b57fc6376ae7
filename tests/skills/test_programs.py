"""Files and tables through the real child process, and how its ends are told."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plans.core.errors import BadInputError, SkillCancelled, SkillCrashed, SkillTimeout
from plans.skills import computing
from plans.skills.profile import profile_file
from plans.skills.tables import load_rows
from plans.wording import sentence
from tests.skills.context import FolderContext

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = REPOSITORY / "plans" / "samples"
Call = Callable[..., Any]


def test_a_file_is_loaded_into_a_named_table(call: Call, context: FolderContext) -> None:
    table, found = call(
        "load_file", file=context.attach("Umsätze 2026.csv", "datum;betrag\n03.11.2026;1.234,50\n").model_dump()
    )

    assert (table.filename, table.kind, table.meta["row_count"]) == ("Umsätze 2026.parquet", "table", 1)
    assert load_rows(context.path(table), 10) == [{"datum": "2026-11-03", "betrag": 1234.5}]
    assert found["columns"][1] == {
        "name": "betrag", "type": "number", "source": "betrag", "stored_as": "DECIMAL(18,2)", "decimals": 2,
    }  # fmt: skip
    assert context.logged == ["1 rows read"]


def test_bad_input_comes_back_as_itself(call: Call, context: FolderContext) -> None:
    with pytest.raises(BadInputError) as caught:
        call("load_file", file=context.attach("a.csv", b"").model_dump())

    assert (caught.value.code, caught.value.params) == ("file_empty", {})


def test_a_bad_param_is_named(call: Call, context: FolderContext) -> None:
    with pytest.raises(BadInputError) as caught:
        call("load_file", file=context.attach("a.csv", "a\n1\n").model_dump(), colums={"x": "a"})

    assert caught.value.params == {"skill": "load_file", "problems": "colums: Extra inputs are not permitted"}


OPTIONS: dict[str, Any] = {"options": {"suffix": ".csv"}, "columns": None}


def test_a_program_that_takes_too_long_is_a_timeout(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it waits for a writer that never comes

    with pytest.raises(SkillTimeout):
        computing.call("load_file", OPTIONS, {"file": tmp_path / "pipe"}, seconds=1, cancelled=lambda: False)


def test_a_program_that_takes_too_much_memory_has_crashed_and_says_why() -> None:
    with pytest.raises(SkillCrashed) as caught:
        computing.call("load_file", OPTIONS, {"file": Path("/dev/zero")}, seconds=60, cancelled=lambda: False)

    assert caught.value.code == "out_of_memory"


def test_a_program_that_breaks_has_crashed_and_leaves_its_last_words() -> None:
    with pytest.raises(SkillCrashed) as caught:
        computing.call("no_such_program", {}, {}, seconds=60, cancelled=lambda: False)

    assert (caught.value.code, caught.value.params["exit_code"]) == ("program_failed", 1)
    assert "ModuleNotFoundError" in caught.value.params["detail"]


def test_a_cancelled_run_stops_the_program(tmp_path: Path, context: FolderContext) -> None:
    with pytest.raises(SkillCancelled):
        computing.call("rows", {"limit": 1}, {}, seconds=60, cancelled=lambda: True)


def test_rows_are_json_whatever_the_table_holds(call: Call, context: FolderContext) -> None:
    table = call(
        "sql",
        query="SELECT 'nan'::DOUBLE AS nan, '-inf'::DOUBLE AS inf, 0.10::DECIMAL(18,2) AS d, 9007199254740993 AS big, "
        "TIMESTAMP '2026-01-01 10:00:00' AS t, DATE '2026-01-01' AS day, [1, 2] AS l, 'x' AS s, NULL AS n, true AS b",
    )

    assert load_rows(context.path(table), 5) == [
        {
            "nan": None,
            "inf": None,
            "d": 0.1,
            "big": "9007199254740993",
            "t": "2026-01-01T10:00:00",
            "day": "2026-01-01",
            "l": "[1, 2]",
            "s": "x",
            "n": None,
            "b": True,
        }
    ]


def test_only_as_many_rows_are_read_as_asked_for(call: Call, context: FolderContext) -> None:
    table = call("sql", query="SELECT range AS n FROM range(50000)")

    assert load_rows(context.path(table), 3) == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert len(load_rows(context.path(table), 10_000)) == 10_000


PROFILE = {
    "kind": "table",
    "problem": None,
    "encoding": "cp1252",
    "delimiter": ";",
    "decimal": ",",
    "header_row": 1,
    "columns": [
        {
            "name": "Datum",
            "type": "date",
            "samples": ["2026-11-03", "2026-11-25"],
            "min": "2026-11-03",
            "max": "2026-11-25",
            "distinct": 2,
            "missing": 0,
        },
        {
            "name": "Gebiet",
            "type": "text",
            "samples": ["Süd"],
            "min": None,
            "max": None,
            "distinct": 1,
            "missing": 0,
        },
        {
            "name": "Umsatz",
            "type": "number",
            "samples": [1234.5],
            "min": 1234.5,
            "max": 1234.5,
            "distinct": 1,
            "missing": 1,
        },
    ],
    "row_count": 2,
    "dropped": [],
    "rows_dropped": 0,
    "notes": [],
    "period": {"column": "Datum", "from": "2026-11-03", "to": "2026-11-25"},
    "sample_rows": [
        {"Datum": "2026-11-03", "Gebiet": "Süd", "Umsatz": 1234.5},
        {"Datum": "2026-11-25", "Gebiet": "Süd", "Umsatz": None},
    ],
    "partial": False,
}


def test_the_profile_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes("Datum;Gebiet;Umsatz\n03.11.2026;Süd;1.234,50\n25.11.2026;Süd;\n".encode("cp1252"))

    profile = profile_file(path, "umsatz.csv")

    assert profile == PROFILE


def test_the_profile_of_a_log_and_of_text(tmp_path: Path) -> None:
    log = profile_file(SAMPLES / "access.log", "access.log")
    text = profile_file(REPOSITORY / "plans/samples/README.md", "README.txt")

    assert (log["kind"], log["row_count"], log["rows_dropped"]) == ("access_log", 392, 5)
    assert log["period"] == {"column": "time", "from": "2026-10-05T06:19:19", "to": "2026-10-17T14:32:51"}
    assert (text["kind"], [column["name"] for column in text["columns"]]) == ("text", ["line", "text"])


def test_a_header_without_rows_is_no_problem_but_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_text("date,amount\n")

    profile = profile_file(path, "a.csv")

    assert (profile["kind"], profile["problem"], profile["row_count"], len(profile["columns"])) == ("table", None, 0, 2)


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "file_empty"), (b"<html></html>", "not_a_table"), (b"PK\x03\x04xl/", "is_excel")]
)
def test_the_profile_of_another_kind_of_file_names_the_problem(content: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(content)

    profile = profile_file(path, "data.csv")

    assert (profile["kind"], profile["problem"]["code"], profile["row_count"]) == ("unknown", code, 0)


def test_a_large_file_is_profiled_in_part_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    row = "2026-01-05,North,some words to fill the line,12.50\n"
    with path.open("w") as file:
        file.write("day,region,words,amount\n")
        file.write(row * (11_000_000 // len(row)))

    profile = profile_file(path, "large.csv")

    assert (profile["partial"], profile["dropped"]) == (True, [])
    assert 0 < profile["row_count"] < 11_000_000 // len(row)


def test_the_samples_are_read_without_a_remark(call: Call, context: FolderContext) -> None:
    for name, encoding, rows in (("sales.csv", "utf-8", 420), ("sales_european.csv", "cp1252", 293)):
        _, found = call("load_file", file=context.attach(name, SAMPLES / name).model_dump())

        assert (found["encoding"], found["row_count"], found["dropped"], found["notes"]) == (encoding, rows, [], [])


CODE_CALLS = {"BadInputError", "PermanentSkillError", "SkillTimeout", "SkillCrashed", "RetryableSkillError"}
FOUND_CALLS = {"drop", "drop_many", "note", "note_line", "note_column"}


def codes_in(path: Path) -> set[str]:
    codes = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in CODE_CALLS | FOUND_CALLS:
                parts = (
                    [node.args[0].body, node.args[0].orelse] if isinstance(node.args[0], ast.IfExp) else [node.args[0]]
                )
                codes |= {
                    part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
                }
    return codes


def test_every_code_has_its_sentence() -> None:
    sources = sorted((REPOSITORY / "plans" / "skills").rglob("*.py"))
    codes = set().union(*(codes_in(path) for path in sources)) | {"not_a_number", "not_a_date"}

    without = {code for code in codes if sentence(code, {"count": 1, "code": code}).startswith("Something went wrong")}

    assert len(codes) > 40
    assert without == set()
