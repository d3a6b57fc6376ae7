"""Skill `load_file`: read a delimited file, an access log or plain text into a table, and say how and what was dropped."""

from __future__ import annotations

from pathlib import PurePath
from typing import Literal

from pydantic import Field, field_validator

from plans.core.kinds import ValueKind
from plans.core.skill import Context, Outputs
from plans.core.values import FileRef
from plans.skills.base import BasicSkill, Params
from plans.skills.computing import compute
from plans.skills.registry import skill

PARQUET = "application/vnd.apache.parquet"


class LoadParams(Params):
    file: FileRef = Field(description="The file to read.")
    format: Literal["auto", "csv", "access_log", "text"] = Field(default="auto", description="What the file is.")
    columns: dict[str, str] | None = Field(
        default=None, description="New name → column of the file: keeps just these columns, renamed. Default: all."
    )
    encoding: str | None = Field(default=None, description="Overrides what is detected, e.g. cp1252.")
    delimiter: str | None = Field(default=None, min_length=1, max_length=1, description="Overrides what is detected.")
    decimal: Literal[".", ","] | None = Field(default=None, description="Overrides what is detected.")
    header: bool | int | None = Field(
        default=None, description="true or false: the table has a header or not; a number: the line the header is on."
    )

    @field_validator("columns")
    @classmethod
    def _some_column(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        if value is not None and (not value or not all(name.strip() for name in value)):
            raise ValueError("name at least one column, and no column by an empty name")
        return value


@skill
class LoadFile(BasicSkill):
    name = "load_file"
    description = (
        "Read a CSV-like file (encoding, delimiter, header, decimal mark and dates are detected), a web server's access "
        "log or plain text into a table. Access log columns: time, host, method, path, query, status, size, referer, "
        "agent, is_static. `found` says how the file was read, its period and what was dropped."
    )
    params = LoadParams
    outputs = {"table": ValueKind.TABLE, "found": ValueKind.JSON}
    timeout_seconds = 300

    def run(self, params: LoadParams, context: Context) -> Outputs:
        options = params.model_dump(include={"format", "encoding", "delimiter", "decimal", "header"})
        options["suffix"] = PurePath(params.file.filename).suffix.lower()
        given = {"options": options, "columns": params.columns}
        done = compute("load_file", given, {"file": context.path(params.file)}, context)
        stem = PurePath(params.file.filename or "table").stem or "table"
        table = context.store(
            done.files["table.parquet"],
            kind=ValueKind.TABLE,
            name="table",
            filename=f"{stem}.parquet",
            media_type=PARQUET,
            meta=done.value["meta"],
        )
        context.log(f"{done.value['meta']['row_count']} rows read")
        return Outputs(values={"table": table, "found": done.value["found"]})
