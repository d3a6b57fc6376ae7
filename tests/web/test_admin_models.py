"""Admin › Models: the key goes in and never out, Test says what is in the way, and every call can be read."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from plans.core.model import CallOutcome, Purpose
from plans.models import ModelCall, ModelSettings
from plans.sealing import unseal
from plans.supervise import connection
from tests.scripted_model import ScriptedModel, answer, fault
from tests.web.factories import world

KEY = "sk-ant-secret-0123456789wxyz"
LIST = "admin:plans_modelsettings_changelist"
TEST = "admin:plans_modelsettings_test"
GREETING = {"greeting": "Good morning!", "language": "english"}


@pytest.fixture
def admin(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root", "root@example.test", "root-password"))
    return client


def page(admin: Client) -> tuple[str, str]:
    response = admin.get(reverse(LIST), follow=True)
    assert response.status_code == 200
    return response.request["PATH_INFO"], response.content.decode()


def save(admin: Client, **values: str) -> str:
    path, _ = page(admin)
    return admin.post(path, values, follow=True).content.decode()


def call(**columns: Any) -> ModelCall:
    values = {"purpose": Purpose.DRAFT, "model": "claude-sonnet-5-5", "outcome": CallOutcome.OK, "usd": Decimal("0.5")}
    return ModelCall.objects.create(**values | columns)


def test_a_key_is_stored_sealed_and_never_shown(admin: Client):
    told = save(admin, key=KEY, plan_model="claude-opus-5-5")
    row = ModelSettings.objects.get()
    assert unseal(row.api_key) == KEY
    assert connection.config().api_key == KEY
    for text in (told, page(admin)[1], row.api_key, json.dumps(list(LogEntry.objects.values()), default=str)):
        assert KEY not in text
        assert KEY[:-4] not in text
    assert "ending in wxyz" in told


def test_an_empty_key_keeps_the_stored_one_and_forgetting_is_a_box(admin: Client):
    save(admin, key=KEY)
    save(admin, key="", plan_model="other")
    assert connection.config().api_key == KEY
    save(admin, forget_key="on")
    assert ModelSettings.objects.get().api_key == ""
    assert ModelSettings.objects.count() == 1


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"base_url": "ftp://models.example.test"}, "begins with http:// or https://"),
        ({"base_url": "api.example.test"}, "begins with http:// or https://"),
        ({"key": "two words"}, "A key has no spaces"),
        ({"mode": "telepathy"}, "telepathy"),
    ],
)
def test_what_cannot_be_is_refused_in_place(admin: Client, values: dict[str, str], says: str):
    assert says in save(admin, **values)
    assert not ModelSettings.objects.exists()


def test_a_wrong_form_does_not_echo_the_key(admin: Client):
    assert KEY not in save(admin, key=KEY, base_url="nonsense")


def test_test_says_model_mode_and_latency(admin: Client, connected_model: ScriptedModel):
    connected_model.respond(lambda call: answer(GREETING))
    told = admin.post(reverse(TEST), follow=True).content.decode()
    assert "The model claude-sonnet-5-5 answers within" in told
    assert "The model claude-haiku-5-5 answers within" in told
    assert "JSON by a grammar" in told
    assert sorted(call.model for call in connected_model.calls) == sorted(connection.config().models.values())
    assert set(ModelCall.objects.values_list("purpose", "outcome", "run")) == {("test", "ok", None)}


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (fault(401, "no"), "does not accept the key (401)"),
        (fault(402, "no"), "no credit left"),
        (fault(404, "model: x"), "does not know the model “claude-sonnet-5-5”"),
    ],
)
def test_test_says_what_is_in_the_way(admin: Client, connected_model: ScriptedModel, step: Any, says: str):
    connected_model.respond(lambda call: step)
    assert says in admin.post(reverse(TEST), follow=True).content.decode()


def test_test_says_when_nothing_is_there(admin: Client, settings: Any):
    assert "No model is connected" in admin.post(reverse(TEST), follow=True).content.decode()
    settings.PLANS_MODEL_BASE_URL = "http://127.0.0.1:9"
    settings.PLANS_MODEL_MODE = "format"
    told = admin.post(reverse(TEST), follow=True).content.decode()
    assert "http://127.0.0.1:9 cannot be reached" in told


def test_only_who_may_change_the_models_may_test_and_looking_tests_nothing(
    admin: Client, connected_model: ScriptedModel
):
    assert admin.get(reverse(TEST)).status_code == 405
    staff = User.objects.create_user("staff", password="staff-password", is_staff=True)
    staff.user_permissions.add(Permission.objects.get(codename="view_modelsettings"))
    client = Client()
    client.force_login(staff)
    assert client.post(reverse(TEST)).status_code == 403
    assert connected_model.calls == []


def test_calls_are_listed_with_their_totals(admin: Client, owner: User):
    run = world(owner).run
    run.model_calls.all().delete()
    call(run=run, input_tokens=100, output_tokens=20)
    call(run=run, usd=None, model="local", purpose=Purpose.SKILL)
    path = reverse("admin:plans_modelcall_changelist")
    assert "2 calls: 120 tokens, 0.5000 USD. The cost of 1 is unknown." in " ".join(
        admin.get(path).content.decode().split()
    )
    assert "1 call: 120 tokens" in " ".join(admin.get(f"{path}?purpose__exact=draft").content.decode().split())
    assert (
        f"{path}?run__id__exact={run.pk}"
        in admin.get(reverse("admin:plans_run_change", args=[run.pk])).content.decode()
    )


def test_the_exact_text_of_a_call_can_be_read_and_nothing_changed(admin: Client):
    row = call(request_text='{"system": "<b>be brief</b>"}', reply_text="fine", thinking_text="hm")
    path = reverse("admin:plans_modelcall_change", args=[row.pk])
    shown = admin.get(path).content.decode()
    assert "&lt;b&gt;be brief&lt;/b&gt;" in shown
    assert "<pre>hm</pre>" in shown
    assert admin.post(path, {"model": "x"}).status_code == 403
    assert admin.get(reverse("admin:plans_modelcall_add")).status_code == 403
