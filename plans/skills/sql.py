"""Skill `sql`: one DuckDB SELECT over named tables."""

from __future__ import annotations

from pydantic import Field, JsonValue, field_validator

from plans.core.kinds import ValueKind
from plans.core.skill import Context, Outputs
from plans.core.values import TableRef
from plans.skills.base import BasicSkill, Params
from plans.skills.computing import compute
from plans.skills.load_file import PARQUET
from plans.skills.registry import skill
from plans.skills.sql_check import read_query

ROW_LIMIT = 1_000_000


class SqlParams(Params):
    query: str = Field(
        min_length=1,
        max_length=20_000,
        description="One DuckDB SELECT. Values go in as $name.",
        json_schema_extra={"x-language": "sql"},
    )
    tables: dict[str, TableRef] = Field(default_factory=dict, description="Table name in the query → table.")
    inputs: dict[str, JsonValue] = Field(default_factory=dict, description="Values the query may name as $name.")

    @field_validator("tables")
    @classmethod
    def _named(cls, value: dict[str, TableRef]) -> dict[str, TableRef]:
        if len({name.casefold() for name in value}) != len(value) or not all(name.strip() for name in value):
            raise ValueError("table names must be different from each other and not empty")
        return value

    @field_validator("inputs")
    @classmethod
    def _scalar(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        for name, entry in value.items():
            if isinstance(entry, dict | list):
                raise ValueError(f"input {name!r} must be a single value; a table goes into `tables`")
        return value


@skill
class Sql(BasicSkill):
    name = "sql"
    description = (
        "Run one DuckDB SELECT over the tables given and return its rows as a table. Values go in by `inputs` as $name, "
        "never by text. No files, no network."
    )
    params = SqlParams
    outputs = {"result": ValueKind.TABLE}
    literal = frozenset({"query"})
    checks = {"query": read_query}

    def run(self, params: SqlParams, context: Context) -> Outputs:
        given = {
            "query": params.query,
            "tables": list(params.tables),
            "inputs": params.inputs,
            "row_limit": ROW_LIMIT,
        }
        files = {f"t{number}.parquet": context.path(ref) for number, ref in enumerate(params.tables.values())}
        done = compute("sql", given, files, context)
        result = context.store(
            done.files["result.parquet"],
            kind=ValueKind.TABLE,
            name="result",
            filename="result.parquet",
            media_type=PARQUET,
            meta=done.value,
        )
        context.log(f"{done.value['row_count']} rows")
        return Outputs(values={"result": result})
