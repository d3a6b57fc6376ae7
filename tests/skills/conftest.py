"""Fixtures of the skill tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plans.core.skill import Outputs
from plans.skills.execute import execute_skill
from tests.skills.context import FolderContext


@pytest.fixture
def context(tmp_path: Path) -> FolderContext:
    """Return a context whose blobs lie in a folder."""
    return FolderContext(tmp_path / "blobs")


@pytest.fixture
def call(context: FolderContext) -> Callable[..., Any]:
    """Return a function that runs a skill and gives its outputs, one or several."""

    def run(skill: str, /, **params: Any) -> Any:
        result = execute_skill(skill, params, context)
        assert isinstance(result, Outputs)
        values = list(result.values.values())
        return values[0] if len(values) == 1 else values

    return run


@pytest.fixture
def load(context: FolderContext, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that loads bytes, text or a file and gives (table, found)."""

    def run(content: bytes | str | Path, filename: str = "data.csv", **params: Any) -> Any:
        name = content.name if isinstance(content, Path) else filename
        return call("load_file", file=context.attach(name, content).model_dump(), **params)

    return run


@pytest.fixture
def query(call: Callable[..., Any], context: FolderContext) -> Callable[..., Any]:
    """Return a function that queries tables by the skill and gives the rows as tuples."""
    from plans.skills.tables import load_rows

    def run(text: str, *, inputs: dict[str, Any] | None = None, **tables: Any) -> list[tuple[Any, ...]]:
        given = {name: table.model_dump() for name, table in tables.items()}
        result = call("sql", query=text, tables=given, inputs=inputs or {})
        return [tuple(row.values()) for row in load_rows(context.path(result), 10_000)]

    return run
