"""System: the state of every part, who works on what, Hold new work, and the health addresses."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from plans import storage, tasks
from plans.engine import hosts, sweeper
from plans.engine.drain import drain
from plans.models import Hold, Host, Lease, Pool, Task
from tests.engine.plant import Plant, states
from tests.web.factories import approved_run

GONE = '<b class="s-failed">gone'
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site() -> None:
    """A host that lives and sweeps."""
    hosts.announce("alpha", version="0.1.0", has_web=True, workers=2, slots=8)
    sweeper.sweep_once(sweeper.Memory())


def page(client: Client, user: User) -> str:
    client.force_login(user)
    return client.get(reverse("system")).content.decode()


def test_only_operators_see_it(client: Client, owner: User, operator: User, site: None) -> None:
    client.force_login(owner)
    assert client.get(reverse("system")).status_code == 404
    assert client.post(reverse("hold")).status_code == 404
    assert not Hold.objects.exists()
    assert "alpha" in page(client, operator)


def test_held_work_is_not_claimed_and_goes_on_when_released(client: Client, owner: User, operator: User) -> None:
    run = approved_run(owner)
    client.force_login(operator)
    client.post(reverse("hold"), {"reason": "Update at noon"})
    client.post(reverse("hold"), {"reason": "Again"})
    drain(tasks.runner())
    assert set(states(run).values()) <= {"ready", "pending"}
    assert "Update at noon" in page(client, operator)
    assert sweeper.read_pulse().ready == 0, "the watchdog has nothing to complain about"

    client.post(reverse("release"))
    drain(tasks.runner())
    run.refresh_from_db()
    assert run.state == "succeeded"


def test_what_runs_and_who_holds_a_pool_is_listed(client: Client, operator: User) -> None:
    Pool.objects.create(name="crm", slots=2)
    run = Plant().run({"id": "t3", "name": "Ask the CRM"})
    Task.objects.filter(run=run).update(
        state="running", pool="crm", claimed_by="beta:7:1", lease_expires_at=timezone.now() + timedelta(seconds=20)
    )
    text = page(client, operator)
    assert "Ask the CRM" in text
    assert "beta:7:1" in text
    assert "1 of 2 in use" in text


def test_a_host_that_stopped_talking_is_shown_as_gone(client: Client, operator: User, site: None) -> None:
    assert GONE not in page(client, operator)
    Host.objects.update(seen_at=Now() - timedelta(seconds=60))
    assert GONE in page(client, operator)


def test_ready_needs_a_sweep_and_storage_that_all_hosts_share(client: Client, site: None) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["bad"]) == (200, [])

    hosts.announce("elsewhere", version="0.1.0", has_web=False, workers=2, slots=8)
    (storage.root() / "probes" / "elsewhere").unlink()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["bad"]) == (503, ["storage"])
    hosts.left("elsewhere")

    Lease.objects.filter(name="sweeper").update(renewed_at=Now() - timedelta(minutes=5))
    assert client.get("/readyz").json()["bad"] == ["sweeper"]


def test_work_that_nobody_claims_makes_the_site_not_ready(client: Client, site: None, owner: User) -> None:
    run = approved_run(owner)
    assert client.get("/readyz").status_code == 200
    run.events.update(at=timezone.now() - timedelta(minutes=5))
    answer = client.get("/readyz").json()
    assert answer["bad"] == ["queue"]
    assert answer["queue_age_seconds"] >= 300


def doctor() -> tuple[dict[str, bool], int]:
    out = io.StringIO()
    code = 0
    try:
        call_command("doctor", "--json", stdout=out)
    except SystemExit as stop:
        code = int(stop.code or 0)
    return {part["part"]: part["good"] for part in json.loads(out.getvalue())["parts"]}, code


def test_doctor_has_a_line_per_part_and_fails_when_one_is_bad(site: None) -> None:
    found, code = doctor()
    assert list(found) == [
        "database", "broker", "workers", "sweeper", "watchdog", "storage", "sandbox", "model", "mail", "disk", "clock",
    ]  # fmt: skip
    assert code == (0 if all(found.values()) else 1)
    assert found["workers"]

    Host.objects.all().delete()
    found, code = doctor()
    assert (found["workers"], found["watchdog"], found["database"], code) == (False, False, True, 1)
