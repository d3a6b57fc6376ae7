"""The suite on PostgreSQL and Redis: tables emptied quickly, nothing left behind on servers that others share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.operations import BaseDatabaseOperations


def is_server() -> bool:
    """Tell whether this session's database is a server's."""
    return connection.vendor == "postgresql"


def delete_rows(operations: BaseDatabaseOperations, _style: Any, tables: list[str], **_options: Any) -> list[str]:
    """Empty the tables by DELETE: TRUNCATE writes new files for every one, and small tables pay for it at each test."""
    if not tables:
        return []
    deletes = [f"DELETE FROM {operations.quote_name(table)};" for table in tables]
    return ["SET session_replication_role = replica;", *deletes, "SET session_replication_role = DEFAULT;"]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Django's own set-up, and a clean end on a server."""
    if not is_server():
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(connection.ops), "sql_flush", delete_rows)
        yield
    with django_db_blocker.unblock():
        _forget_doorbells()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


def _forget_doorbells() -> None:
    from django_q.brokers import get_broker

    get_broker().delete_queue()
