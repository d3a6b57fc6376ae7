"""Values that travel between tasks: plain JSON, or a reference to a blob."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from plans.core.kinds import ValueKind

REF_KEY = "$artifact"


class ArtifactRef(BaseModel):
    """A reference to an immutable blob, in params, inputs and outputs alike.

    JSON form: `{"$artifact": "<sha256>", "kind": "table", "name": "sales", "filename": "sales.parquet",
    "size": 1234, "media_type": "…", "meta": {...}}`. `meta` of a table holds
    `{"columns": [{"name": str, "type": str}], "row_count": int}`; other keys are free (small JSON only).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)

    sha256: str = Field(alias=REF_KEY, pattern=r"^[0-9a-f]{64}$")
    kind: ValueKind
    name: str = ""
    filename: str = ""
    media_type: str = "application/octet-stream"
    size: int = 0
    meta: dict[str, Any] = Field(default_factory=dict)


def is_ref(value: object) -> bool:
    """Tell whether a JSON value is the JSON form of an ArtifactRef."""
    return isinstance(value, dict) and REF_KEY in value


def _schema(kind: str) -> dict[str, Any]:
    # "x-artifact" is what the compiler reads to check that a table goes where a table is wanted.
    return {"type": "object", "x-artifact": kind, "required": [REF_KEY], "properties": {REF_KEY: {"type": "string"}}}


TableRef = Annotated[ArtifactRef, WithJsonSchema(_schema("table"))]
FileRef = Annotated[ArtifactRef, WithJsonSchema(_schema("file"))]
ImageRef = Annotated[ArtifactRef, WithJsonSchema(_schema("image"))]
AnyRef = Annotated[ArtifactRef, WithJsonSchema(_schema("any"))]
