"""Outputs between the skill's hands and the row: small JSON stays in the row, everything larger is a blob."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plans import storage
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ARTIFACT_KINDS, ValueKind
from plans.core.values import ArtifactRef, is_ref

ROW_LIMIT_BYTES = 64 * 1024


def encode(value: Any) -> str:
    """Return strict JSON text. Raises ValueError for NaN and infinities, which no browser can read, and half characters."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if not text.isascii():
        text.encode()
    return text


def pack(values: Mapping[str, Json], kinds: Mapping[str, ValueKind]) -> JsonObject:
    """Return the row form of bound outputs: a value over 64 KB is stored as a blob and replaced by its reference."""
    packed: JsonObject = {}
    for name, value in values.items():
        if is_ref(value):
            packed[name] = {**value, "name": name}  # type: ignore[dict-item]
            continue
        text = encode(value)
        if len(text) * 4 > ROW_LIMIT_BYTES and len(text.encode()) > ROW_LIMIT_BYTES:
            packed[name] = _offload(name, text, kinds.get(name, ValueKind.JSON))
        else:
            packed[name] = value
    return packed


def _offload(name: str, text: str, kind: ValueKind) -> JsonObject:
    sha256, size = storage.put_bytes(text.encode())
    ref = ArtifactRef(
        sha256=sha256, kind=kind, name=name, filename=f"{name}.json", media_type="application/json", size=size
    )
    return ref.model_dump(mode="json", by_alias=True)


def inflate(outputs: Mapping[str, Json]) -> JsonObject:
    """Return outputs with JSON blobs read back; tables, images and files stay references."""
    return {name: _read(value) for name, value in outputs.items()}


def _read(value: Json) -> Json:
    if isinstance(value, list):
        # What the items of a fan-out made: each may be a blob of its own.
        return [_read(inner) if is_ref(inner) else inner for inner in value]
    if not is_ref(value):
        return value
    ref = ArtifactRef.model_validate(value)
    if ref.kind in ARTIFACT_KINDS or ref.media_type != "application/json":
        return value
    loaded: Json = json.loads(storage.local_path(ref.sha256).read_text(encoding="utf-8"))
    return _read(loaded) if isinstance(loaded, list) else loaded


def refs(outputs: Mapping[str, Json]) -> dict[str, ArtifactRef]:
    """Return the references among outputs, by name."""
    return {name: ArtifactRef.model_validate(value) for name, value in outputs.items() if is_ref(value)}


def nulls(spec: JsonObject) -> JsonObject:
    """Return the outputs of a task that was skipped: every declared name, null."""
    return dict.fromkeys(spec.get("outputs", {}))
