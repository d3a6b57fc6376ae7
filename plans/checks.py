"""System checks: settings under which the engine would not keep its promises are errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks

OLDEST_SQLITE = (3, 35)
GUARD_MARGIN_SECONDS = 3
WHY = "docs/decisions/0002-django-q2-as-doorbell.md says why."

Queue = Mapping[str, Any]


def _guard_divides(queue: Queue) -> bool:
    """Tell whether counting down by `guard_cycle` meets zero exactly; django-q2 compares floats with ==."""
    cycle, timeout = queue.get("guard_cycle", 0), queue.get("timeout") or 0
    return cycle > 0 and (Fraction(timeout + GUARD_MARGIN_SECONDS) / Fraction(cycle)).denominator == 1


QUEUE_RULES: Sequence[tuple[str, Callable[[Queue], bool], str]] = (
    ("plans.E001", lambda q: type(q.get("timeout")) is int, "timeout must be a whole number: a float fails every task"),
    (
        "plans.E002",
        lambda q: type(q.get("retry")) is int and q["retry"] > (q.get("timeout") or 0),
        "retry must be a whole number greater than timeout: a message is delivered twice otherwise",
    ),
    ("plans.E003", lambda q: q.get("save_limit") == -1, "save_limit must be -1: saved results are the largest cost"),
    (
        "plans.E004",
        _guard_divides,
        "guard_cycle must divide timeout + 3 exactly: hung workers are not killed otherwise",
    ),
    ("plans.E005", lambda q: q.get("ack_failures") is True, "ack_failures must be True: failures repeat for ever"),
    ("plans.E006", lambda q: q.get("max_attempts") == 1, "max_attempts must be 1: retries are the engine's"),
    ("plans.E007", lambda q: q.get("queue_limit") == 1, "queue_limit must be 1: prefetched messages are lost or late"),
    ("plans.E008", lambda q: q.get("bulk", 1) == 1, "bulk must be 1: it only prefetches more"),
    ("plans.E009", lambda q: q.get("scheduler") is False, "scheduler must be False: the sweeper does that work"),
    ("plans.E010", lambda q: not q.get("sync"), "sync must be off: work would run inside the web request"),
)


@checks.register
def queue_is_safe(app_configs: Sequence[AppConfig] | None, **_kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse queue settings that lose work, repeat it or stall it."""
    return queue_errors(settings.Q_CLUSTER)


def queue_errors(queue: Queue) -> list[checks.CheckMessage]:
    """Return an error for every rule `queue` breaks."""
    return [
        checks.Error(f"Q_CLUSTER: {text}.", hint=WHY, id=code) for code, holds, text in QUEUE_RULES if not holds(queue)
    ]


@checks.register
def database_is_safe(app_configs: Sequence[AppConfig] | None, **_kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse database settings under which concurrent workers fail or crawl."""
    return list(database_errors(settings.DATABASES["default"], sqlite3.sqlite_version_info))


def database_errors(database: Mapping[str, Any], sqlite_version: tuple[int, ...]) -> Iterator[checks.CheckMessage]:
    """Yield an error for everything in `database` that the engine cannot work with."""
    if database.get("ATOMIC_REQUESTS"):
        yield checks.Error("ATOMIC_REQUESTS must be off: every page would hold the database.", id="plans.E020")
    if database.get("CONN_MAX_AGE", 0) is not None and not database.get("OPTIONS", {}).get("pool"):
        yield checks.Error(
            "CONN_MAX_AGE must be None (or a pool be used): reconnecting costs more than the work.", id="plans.E021"
        )
    if not database["ENGINE"].endswith("sqlite3"):
        return
    if sqlite_version < OLDEST_SQLITE:
        found = ".".join(map(str, sqlite_version))
        yield checks.Error(
            f"SQLite {found} is too old: 3.35 or newer is needed.",
            hint="Use a newer Python, or PostgreSQL by DATABASE_URL.",
            id="plans.E022",
        )
    options = database.get("OPTIONS", {})
    why = "docs/decisions/0003-sqlite-settings.md says why."
    if options.get("transaction_mode") != "IMMEDIATE":
        yield checks.Error("SQLite needs transaction_mode IMMEDIATE.", hint=why, id="plans.E023")
    if "journal_mode=wal" not in str(options.get("init_command", "")).lower().replace(" ", ""):
        yield checks.Error("SQLite needs journal_mode=WAL.", hint=why, id="plans.E024")
    if options.get("timeout", 5) < 20:
        yield checks.Error("SQLite needs a timeout of at least 20 seconds.", hint=why, id="plans.E025")
