"""DATABASE_URL and REDIS_URL: what each makes of the settings, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from planner_site import databases, settings
from plans.checks import database_errors, queue_errors


def database(url: str, is_web: bool = False) -> dict:
    return databases.database(url, Path("/data/db.sqlite3"), is_web=is_web, pool_size=7)


def test_without_a_url_it_is_a_file_in_the_data_folder():
    found = database("")
    assert (found["NAME"], found["OPTIONS"]["transaction_mode"]) == ("/data/db.sqlite3", "IMMEDIATE")


def test_workers_keep_their_connection_and_pages_share_a_pool():
    url = "postgres://me:secret@db.example:5433/plans?sslmode=require"
    worker, web = database(url), database(url, is_web=True)
    assert worker["CONN_MAX_AGE"] is None
    assert worker["OPTIONS"] == {"connect_timeout": 5, "sslmode": "require"}
    assert web["CONN_MAX_AGE"] == 0
    assert web["CONN_HEALTH_CHECKS"] is True
    assert web["OPTIONS"]["pool"]["max_size"] == 7
    assert [*database_errors(worker, (3, 40)), *database_errors(web, (3, 40))] == []


def test_a_connection_made_anew_for_each_request_is_refused():
    found = database("postgres://db/plans") | {"CONN_MAX_AGE": 0}
    assert [error.id for error in database_errors(found, (3, 40))] == ["plans.E021"]


@pytest.mark.parametrize(
    "url", ["plans", "mysql://host/plans", "postgres://host:abc/plans", "postgres://host", "redis://h"]
)
def test_a_database_that_is_none_is_refused_by_name(url: str):
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL must "):
        database(url)


def test_doorbells_go_to_redis_with_a_time_limit_when_it_is_named():
    assert databases.broker("") == {"orm": "default"}
    found = databases.broker("redis://:secret@host:6380/2?socket_timeout=4")
    assert found == {"redis": "redis://:secret@host:6380/2?socket_connect_timeout=3&socket_timeout=4"}
    assert queue_errors({key: value for key, value in settings.Q_CLUSTER.items() if key != "orm"} | found) == []


def test_a_broker_that_is_no_redis_is_refused_by_name():
    with pytest.raises(ImproperlyConfigured, match=r"^REDIS_URL must "):
        databases.broker("amqp://host")
