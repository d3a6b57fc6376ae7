"""Set the database's clock forward or back, for the connection of this test: the one clock that engine and rows go by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def clock_off_by(seconds: int) -> Iterator[None]:
    """Let "now" be that much later (or earlier) within the block, in every statement of this thread's connection."""
    connection.ensure_connection()
    if connection.vendor == "sqlite":
        _shift_sqlite(seconds)
        try:
            yield
        finally:
            # a function that was replaced comes back with a new connection only
            connection.close()
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION public.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS "
            f"'SELECT pg_catalog.statement_timestamp() + make_interval(secs => {int(seconds)})'"
        )
        cursor.execute("SET search_path = public, pg_catalog")
        try:
            yield
        finally:
            cursor.execute("SET search_path = DEFAULT")
            cursor.execute("DROP FUNCTION public.statement_timestamp()")


def _shift_sqlite(seconds: int) -> None:
    import sqlite3

    clock = sqlite3.connect(":memory:", check_same_thread=False)

    def strftime(form: str, when: str, *changes: str) -> str:
        moved = (f"{seconds:+d} seconds", *changes) if when.lower() == "now" else changes
        marks = ", ".join("?" * (2 + len(moved)))
        return clock.execute(f"SELECT strftime({marks})", (form, when, *moved)).fetchone()[0]

    connection.connection.create_function("strftime", -1, strftime)
