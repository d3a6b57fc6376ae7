"""Settings under which the engine would not keep its promises are refused at start-up."""

from __future__ import annotations

import pytest
from django.conf import settings

from plans import checks


def test_settings_as_shipped_are_safe():
    assert checks.queue_is_safe(None) == []
    assert checks.database_is_safe(None) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"timeout": 55.0}, "plans.E001"),
        ({"retry": 55}, "plans.E002"),
        ({"retry": 60.5}, "plans.E002"),
        ({"save_limit": 250}, "plans.E003"),
        ({"guard_cycle": 0.3}, "plans.E004"),
        ({"guard_cycle": 0.1}, "plans.E004"),
        ({"ack_failures": False}, "plans.E005"),
        ({"max_attempts": 0}, "plans.E006"),
        ({"queue_limit": 4}, "plans.E007"),
        ({"bulk": 10}, "plans.E008"),
        ({"scheduler": True}, "plans.E009"),
        ({"sync": True}, "plans.E010"),
    ],
)
def test_each_unsafe_queue_setting_is_an_error_of_its_own(change, code):
    assert [error.id for error in checks.queue_errors({**settings.Q_CLUSTER, **change})] == [code]


@pytest.mark.parametrize("name", ["save_limit", "ack_failures", "max_attempts", "queue_limit", "scheduler", "retry"])
def test_default_of_the_library_is_not_relied_on(name):
    left = {key: value for key, value in settings.Q_CLUSTER.items() if key != name}

    assert len(checks.queue_errors(left)) == 1


SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "CONN_MAX_AGE": None,
    "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL;"},
}


@pytest.mark.parametrize(
    ("database", "version", "codes"),
    [
        (SQLITE, (3, 35, 0), []),
        (SQLITE, (3, 34, 1), ["plans.E022"]),
        (SQLITE | {"ATOMIC_REQUESTS": True}, (3, 40, 0), ["plans.E020"]),
        (SQLITE | {"CONN_MAX_AGE": 0}, (3, 40, 0), ["plans.E021"]),
        (SQLITE | {"OPTIONS": {}}, (3, 40, 0), ["plans.E023", "plans.E024", "plans.E025"]),
        ({"ENGINE": "django.db.backends.postgresql", "CONN_MAX_AGE": None}, (3, 1, 0), []),
    ],
)
def test_each_unsafe_database_setting_is_an_error_of_its_own(database, version, codes):
    assert [error.id for error in checks.database_errors(database, version)] == codes
