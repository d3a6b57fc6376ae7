"""Empty the database after a test that commits, in milliseconds: only tables that hold rows, and none of Django's own.

Django's flush empties every table and then makes content types, permissions and settings rows anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import TransactionTestCase

from plans.apps import sync_rows

# Migrations and what follows from the models alone: no test changes these.
KEPT = {"django_migrations", "django_content_type", "auth_permission"}
# Rows that `migrate` makes and tests change; they are left alone as long as they are what `migrate` made.
SYNCED = ("plans_skillrow", "plans_playbookrow")

_synced: dict[str, list[tuple[Any, ...]]] = {}


def _rows(table: str) -> list[tuple[Any, ...]]:
    """Return a table without its keys, as something to compare."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
        names = [column[0] for column in cursor.description]
        keep = [place for place, name in enumerate(names) if name != "id"]
        return sorted(tuple(str(row[place]) for place in keep) for row in cursor.fetchall())


def _filled(tables: list[str]) -> list[str]:
    """Return the tables with at least one row, by one query."""
    parts = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})" for table in tables]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return [row[0] for row in cursor.fetchall()]


def flush() -> None:
    """Delete what a test has committed. Foreign keys are checked at the commit, so the order does not matter."""
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - KEPT
    filled = _filled(sorted(tables))
    changed = [table for table in filled if table not in SYNCED or _rows(table) != _synced.get(table)]
    missing = [table for table in SYNCED if table not in filled or table in changed]
    if changed:
        with transaction.atomic():
            _delete(changed)
    if missing:
        sync_rows()
        _synced.update({table: _rows(table) for table in SYNCED})


def _delete(tables: list[str]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")  # all goes: no row needs to be checked
        for table in tables:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")


@pytest.fixture(scope="session", autouse=True)
def fast_flush() -> Iterator[None]:
    """Take the place of Django's flush in every test that commits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: flush())
        yield
