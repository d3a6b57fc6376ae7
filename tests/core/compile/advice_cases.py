"""For each code of advice: severity, the task it is about, and the plan that brings it about."""

import json
from dataclasses import replace

from plans.core.circumstances import Circumstances, Usual
from plans.core.compile import compile_plan
from plans.skills.sql import SqlParams
from plans.skills.sql_check import read_query
from tests.core.compile.plans import CATALOGUE, compiled, load, task
from tests.core.compile.reading_cases import ERROR, INFO, WARNING


def within(*tasks, catalogue=CATALOGUE, plan=None, **known):
    """Compile a plan of these tasks under circumstances."""
    return compile_plan(json.dumps({"tasks": list(tasks), **(plan or {})}), catalogue, Circumstances(**known))


SLOW = {"usual": {"noop": Usual(seconds=60, seconds_low=40, seconds_high=90, usd=0.5, usd_high=0.9)}}
RATED = {**CATALOGUE, "noop": replace(CATALOGUE["noop"], calls_per_minute=2)}
FREE = {"write_file": replace(CATALOGUE["noop"], name="write_file", free_params=True)}
RISKY = task("a", "sql", params={"query": "q"}, risk="high")


def write(key, **fields):
    return task(key, "write_file", params={"path": "report.md", "text": key}, **fields)


def conditional(condition):
    return compiled(load(), task("b", depends_on=["t1"], run_if=condition))


QUERY = {"sql": replace(CATALOGUE["sql"], params_schema=SqlParams.model_json_schema(), checks={"query": read_query})}


def query(text, **params):
    return compiled(task("a", "sql", params={"query": text, **params}), catalogue=QUERY)


def coded(language, value):
    schema = {"type": "object", "properties": {"code": {"x-language": language}}}
    info = replace(CATALOGUE["noop"], params_schema=schema, literal=frozenset({"code"}))
    return compiled(task("a", params={"code": value}), catalogue={"noop": info})


ADVICE = {
    "code_syntax": (ERROR, "a", lambda: query("SELEC 1")),
    "code_too_long": (ERROR, "a", lambda: coded("python", "x" * 60_000)),
    "code_too_deep": (ERROR, "a", lambda: coded("python", "(" * 300 + ")" * 300)),
    "import_unavailable": (WARNING, "a", lambda: coded("python", "import requests")),
    "bad_schema": (ERROR, "a", lambda: coded("json-schema", {"type": "strin"})),
    "bad_url": (ERROR, "a", lambda: coded("url", "ftp:/x")),
    "not_one_query": (ERROR, "a", lambda: query("SELECT 1; SELECT 2")),
    "not_a_query": (ERROR, "a", lambda: query("DROP TABLE x")),
    "unknown_table": (ERROR, "a", lambda: query("SELECT * FROM sales", tables={"sale": "{{ inputs.x }}"})),
    "unknown_value": (ERROR, "a", lambda: query("SELECT $n", inputs={"m": 1})),
    "foreign_placeholder": (
        WARNING, "b", lambda: compiled(task("a"), task("b", depends_on=["a"], params={"value": "${a.result}"}))
    ),
    "unknown_placeholder": (ERROR, "a", lambda: compiled(task("a", params={"value": ["<node-7>.text"]}))),
    "never_runs": (WARNING, "a", lambda: compiled(task("a", run_if="1 > 2"))),
    "unreachable_output": (
        ERROR,
        "a",
        lambda: compiled(task("a", run_if="false", outputs={"x": "json"}), task("b"), result=["x"]),
    ),
    "exclusive_reference": (
        WARNING,
        "b",
        lambda: compiled(
            task("a", run_if="inputs.n > 1", outputs={"x": "json"}),
            task("b", run_if="inputs.n <= 1", depends_on=["a"], params={"value": "{{ x }}"}),
        ),
    ),
    "unused_output": (INFO, "t1", lambda: compiled(load(), task("b", depends_on=["t1"]))),
    "redundant_dependency": (
        INFO,
        "c",
        lambda: compiled(task("a"), task("b", depends_on=["a"]), task("c", depends_on=["a", "b"])),
    ),
    "mergeable_calls": (INFO, "b", lambda: compiled(task("a", params={"value": 1}), task("b", params={"value": 1}))),
    "write_conflict": (ERROR, "b", lambda: compiled(write("a"), write("b"), catalogue=FREE)),
    "no_milestones": (WARNING, None, lambda: compiled(*(task(f"t{number}") for number in range(26)))),
    "vague_task": (WARNING, "a", lambda: compiled(task("a", name="Process data"))),
    "coarse_task": (
        WARNING,
        "a",
        lambda: compiled(task("a", description="Load the file, and then sum it, and then draw a chart.")),
    ),
    "fine_tasks": (
        INFO,
        "t0",
        lambda: compiled(*(task(f"t{number}", depends_on=[f"t{number - 1}"] if number else []) for number in range(4))),
    ),
    "no_undo": (WARNING, "a", lambda: compiled(RISKY)),
    "no_approval": (WARNING, "a", lambda: within(RISKY, unattended=True)),
    "rate_too_low": (
        ERROR,
        None,
        lambda: within(*(task(f"t{number}") for number in range(9)), catalogue=RATED, deadline_seconds=60),
    ),
    "deadline_too_small": (ERROR, None, lambda: within(task("a"), deadline_seconds=30, **SLOW)),
    "deadline_tight": (WARNING, None, lambda: within(task("a"), deadline_seconds=50, **SLOW)),
    "budget_too_small": (ERROR, None, lambda: within(task("a"), budget_usd=0.25, **SLOW)),
    "budget_tight": (
        WARNING,
        None,
        lambda: within(task("a", estimate={"usd": 0.5}), budget_usd=0.3),
    ),
    "expression_types": (ERROR, "b", lambda: conditional("sales.row_count + 'x' != ''")),
    "bad_argument": (ERROR, "b", lambda: conditional("len(sales.row_count) > 1")),
    "not_a_condition": (ERROR, "b", lambda: conditional("sales.row_count")),
    "comparison_kinds": (WARNING, "b", lambda: conditional('sales.row_count == "12"')),
}  # fmt: skip
