"""The database and the queue's broker, as DATABASE_URL and REDIS_URL name them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE_OPTIONS = {
    # a read-then-write in DEFERRED mode fails at once under load
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA cache_size=-20000;"
    "PRAGMA mmap_size=134217728;PRAGMA temp_store=MEMORY;",
}
ENGINES = {"django.db.backends.sqlite3", "django.db.backends.postgresql"}
CONNECT_SECONDS = 5
REDIS_SECONDS = {"socket_connect_timeout": "3", "socket_timeout": "10"}


def database(url: str, default_file: Path, *, is_web: bool, pool_size: int) -> dict[str, Any]:
    """Return Django's settings of the database at `url`; empty is SQLite in `default_file`.

    Workers keep their one connection. Web processes on PostgreSQL share a pool among their threads: connections that
    threads keep would add up to as many as there were threads. Raises ImproperlyConfigured.
    """
    try:
        found: dict[str, Any] = dict(dj_database_url.parse(url or f"sqlite:///{default_file}"))
    except ValueError:
        raise ImproperlyConfigured("DATABASE_URL must be like postgres://user:password@host:5432/name.") from None
    if found["ENGINE"] not in ENGINES or not found["NAME"]:
        raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL or SQLite database.")
    found["CONN_MAX_AGE"] = None
    if found["ENGINE"] == "django.db.backends.sqlite3":
        found["OPTIONS"] = dict(SQLITE_OPTIONS)
        return found
    # A server that does not answer must be known soon: a worker waits and tries again, a page says so.
    options = {"connect_timeout": CONNECT_SECONDS, **found.get("OPTIONS", {})}
    if is_web:
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": CONNECT_SECONDS}
        found |= {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
    return found | {"OPTIONS": options}


def broker(redis_url: str) -> dict[str, Any]:
    """Return what tells django-q2 where its messages go: Redis, else a table of the database. Raises ImproperlyConfigured.

    Its calls have a time limit: a Redis that hangs must not hang the page or the worker that rings.
    """
    if not redis_url:
        return {"orm": "default"}
    parts = urlsplit(redis_url)
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise ImproperlyConfigured("REDIS_URL must be like redis://host:6379/0.")
    return {"redis": urlunsplit(parts._replace(query=urlencode({**REDIS_SECONDS, **dict(parse_qsl(parts.query))})))}
