"""The suite on PostgreSQL and Redis: nothing left behind on servers that others share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection


def is_server() -> bool:
    """Tell whether this session's database is a server's."""
    return connection.vendor == "postgresql"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Django's own set-up, and a clean end on a server."""
    if not is_server():
        yield
        return
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
