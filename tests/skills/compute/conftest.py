"""Fixtures that call the compute programs in this process: the sandbox around them has its own tests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from plans.skills.compute import load_file
from plans.skills.compute.database import identifier, json_safe


@dataclass(frozen=True)
class Table:
    """A Parquet file the program wrote, with its meta."""

    path: Path
    meta: dict[str, Any]


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs make their scratch folders where the test's are."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., tuple[Table, dict[str, Any]]]:
    """Return a function that loads bytes, text or a file and gives (table, found)."""

    def run(content: bytes | str | Path, filename: str = "data.csv", **params: Any) -> tuple[Table, dict[str, Any]]:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        if isinstance(content, Path):
            filename = content.name
            (folder / "file").symlink_to(content)
        else:
            (folder / "file").write_bytes(content.encode() if isinstance(content, str) else content)
        columns = params.pop("columns", None)
        options = {"suffix": Path(filename).suffix.lower(), **params}
        result = load_file.load({"options": options, "columns": columns}, folder, folder)
        return Table(folder / "table.parquet", result["meta"]), result["found"]

    return run


@pytest.fixture
def query() -> Callable[..., list[tuple[Any, ...]]]:
    """Return a function that queries tables with DuckDB and gives JSON-safe rows."""

    def run(text: str, **tables: Table) -> list[tuple[Any, ...]]:
        with duckdb.connect(":memory:") as connection:
            for name, table in tables.items():
                source = f"read_parquet('{table.path}')"
                connection.execute(f"CREATE VIEW {identifier(name)} AS SELECT * FROM {source}")
            return [tuple(map(json_safe, row)) for row in connection.execute(text).fetchall()]

    return run
