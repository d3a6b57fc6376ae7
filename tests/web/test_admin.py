"""The operators' admin: history to read, skills to set, the queue's own models out of sight."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from plans.core.errors import NoPlaybook
from plans.models import Artifact, Attempt, Event, PlaybookRow, Pool, Request, Revision, Run, SkillRow, Task
from plans.planning import shelf
from tests.web.factories import world

HISTORY = [Run, Revision, Task, Attempt, Event, Request, Artifact]


@pytest.fixture
def admin(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root", "root@example.test", "root-password"))
    return client


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@pytest.mark.parametrize("model", HISTORY)
def test_a_list_takes_the_same_number_of_queries_for_one_run_and_for_three(
    model: Any, admin: Client, owner: User
) -> None:
    path = reverse(f"admin:plans_{model._meta.model_name}_changelist")
    world(owner)
    admin.get(path)
    one = queries(admin, path)
    world(owner)
    world(owner)

    assert queries(admin, path) == one


@pytest.mark.parametrize("model", HISTORY)
def test_history_cannot_be_added_changed_or_deleted(model: Any, admin: Client, owner: User) -> None:
    world(owner)
    row = model.objects.first()
    name = model._meta.model_name

    assert admin.get(reverse(f"admin:plans_{name}_change", args=[row.pk])).status_code == 200
    assert admin.post(reverse(f"admin:plans_{name}_change", args=[row.pk]), {}).status_code == 403
    assert admin.get(reverse(f"admin:plans_{name}_add")).status_code == 403
    assert admin.post(reverse(f"admin:plans_{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


def test_a_run_leads_to_its_rows_and_each_row_back(admin: Client, owner: User) -> None:
    made = world(owner)
    other = world(owner)
    page = admin.get(reverse("admin:plans_run_change", args=[made.run.pk])).content.decode()

    for model, row in (
        ("revision", made.run.revision),
        ("task", made.first),
        ("request", made.approval),
        ("artifact", made.artifact),
    ):
        path = reverse(f"admin:plans_{model}_changelist") + f"?run__id__exact={made.run.pk}"
        assert f'href="{path}"' in page
        listed = admin.get(path).content.decode()
        assert reverse("admin:plans_run_change", args=[made.run.pk]) in listed
        assert reverse("admin:plans_run_change", args=[other.run.pk]) not in listed
        back = admin.get(reverse(f"admin:plans_{model}_change", args=[row.pk])).content.decode()
        assert reverse("admin:plans_run_change", args=[made.run.pk]) in back


def test_a_task_leads_to_its_attempts(admin: Client, owner: User) -> None:
    made = world(owner)
    path = reverse("admin:plans_attempt_changelist") + f"?task__id__exact={made.first.pk}"

    assert f'href="{path}"' in admin.get(reverse("admin:plans_task_change", args=[made.first.pk])).content.decode()
    assert reverse("admin:plans_task_change", args=[made.first.pk]) in admin.get(path).content.decode()


def test_the_run_links_to_its_page(admin: Client, owner: User) -> None:
    made = world(owner)

    page = admin.get(reverse("admin:plans_run_change", args=[made.run.pk])).content.decode()

    assert reverse("run", args=[made.run.uuid]) in page


@pytest.mark.parametrize("model", ["schedule", "success", "failure", "ormq", "task"])
def test_the_queues_own_models_are_not_in_the_admin(model: str, admin: Client) -> None:
    assert admin.get(f"/admin/django_q/{model}/").status_code == 404
    with pytest.raises(NoReverseMatch):
        reverse(f"admin:django_q_{model}_changelist")


def test_every_skill_has_a_row_and_its_form_saves(admin: Client) -> None:
    row = SkillRow.objects.get(name="noop")
    path = reverse("admin:plans_skillrow_change", args=[row.pk])

    response = admin.post(path, {"approval": "always", "timeout_seconds": "20", "retries": "1", "name": "other"})

    assert response.status_code == 302
    row.refresh_from_db()
    assert (row.name, row.enabled, row.approval, row.timeout_seconds, row.retries) == ("noop", False, "always", 20, 1)


def test_a_skill_row_cannot_be_added_or_deleted(admin: Client) -> None:
    row = SkillRow.objects.get(name="noop")

    assert admin.get(reverse("admin:plans_skillrow_add")).status_code == 403
    assert admin.post(reverse("admin:plans_skillrow_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


def test_a_time_that_is_none_is_refused_in_place(admin: Client) -> None:
    row = SkillRow.objects.get(name="noop")

    response = admin.post(
        reverse("admin:plans_skillrow_change", args=[row.pk]), {"approval": "auto", "timeout_seconds": "0"}
    )

    assert response.status_code == 200
    assert "greater than or equal to 1" in response.content.decode()


def test_only_staff_see_the_link_to_the_admin(client: Client, owner: User, operator: User) -> None:
    client.force_login(owner)
    assert reverse("admin:index") not in client.get(reverse("runs")).content.decode()
    client.force_login(operator)
    assert reverse("admin:index") in client.get(reverse("runs")).content.decode()


def test_a_playbook_that_is_switched_off_is_neither_offered_nor_run(admin: Client) -> None:
    row = PlaybookRow.objects.get(name="busiest_pages")
    page = admin.get(reverse("admin:plans_playbookrow_change", args=[row.pk])).content.decode()
    assert "Write the report" in page
    admin.post(reverse("admin:plans_playbookrow_change", args=[row.pk]), {})

    assert "busiest_pages" not in {playbook.name for playbook in shelf.available()}
    assert shelf.match("find the five busiest pages in this access log", {}) == []
    with pytest.raises(NoPlaybook):
        shelf.get("busiest_pages")
    assert "Busiest pages" not in admin.get(reverse("playbooks")).content.decode()


def test_a_pool_is_made_changed_and_shows_what_is_in_use(admin: Client, owner: User) -> None:
    admin.post(reverse("admin:plans_pool_add"), {"name": "crm", "slots": "3", "description": "licences"})
    lease = {"lease_expires_at": timezone.now(), "claimed_by": "w1"}
    Task.objects.filter(pk=world(owner).second.pk).update(state="running", pool="crm", weight=2, **lease)
    pool = Pool.objects.get()

    assert pool.slots == 3
    page = admin.get(reverse("admin:plans_pool_changelist")).content.decode()
    assert '<td class="field-used">2</td>' in page
    admin.post(reverse("admin:plans_pool_change", args=[pool.pk]), {"name": "other", "slots": "5", "description": ""})
    pool.refresh_from_db()
    assert (pool.name, pool.slots) == ("crm", 5)


def test_a_pool_without_slots_is_refused(admin: Client) -> None:
    answer = admin.post(reverse("admin:plans_pool_add"), {"name": "crm", "slots": "0"})

    assert answer.status_code == 200
    assert not Pool.objects.exists()


def test_a_limit_of_a_skill_holds_for_what_waits_already(admin: Client, owner: User) -> None:
    run = world(owner).run
    row, _ = SkillRow.objects.get_or_create(name=run.tasks.exclude(skill="").first().skill)
    fields = {"enabled": "on", "approval": "auto", "timeout_seconds": "", "retries": "", "concurrency": "1"}
    answer = admin.post(reverse("admin:plans_skillrow_change", args=[row.pk]), {**fields, "calls_per_minute": "60"})

    assert answer.status_code == 302
    waiting = run.tasks.filter(skill=row.name, state__in=["pending", "ready", "running", "waiting", "retrying"])
    assert waiting.exists()
    assert set(waiting.values_list("limited", flat=True)) == {True}
