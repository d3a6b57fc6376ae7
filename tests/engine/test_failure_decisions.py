"""What a person may do about a failed step, while it waits and after it has failed for good."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from plans import storage
from plans.core.compile import compile_plan
from plans.core.errors import AlreadyDecided, BadInputError, InputError, StaleDecision, StateError
from plans.core.kinds import ValueKind
from plans.core.skill import Outputs
from plans.core.values import ArtifactRef
from plans.engine.control import cancel_run
from plans.engine.failures import decide_failure, mark_done, retry_with_changes, retry_with_hint
from plans.engine.plans import approve_plan
from plans.engine.requests import NotAllowed
from plans.engine.runs import create_run_from_plan
from plans.models import Artifact, Attachment, Blob, Correction, Request, Run
from tests.engine.plant import Plant, check_history, states, task

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "copies": {"type": "integer"}},
    "required": ["to"],
    "additionalProperties": False,
}


@pytest.fixture
def sent(plant: Plant) -> list[dict[str, Any]]:
    """Register a skill that only knows ann; return what it was called with, its hints among them."""
    calls: list[dict[str, Any]] = []

    def send(params: dict[str, Any], context: Any) -> Outputs:
        calls.append({**params, "hints": list(context.hints)})
        if params["to"] != "ann":
            raise BadInputError("column_missing", name=params["to"])
        return Outputs(values={"n": len(calls)})

    plant.skill("send", send, params_schema=SCHEMA, outputs={"n": ValueKind.NUMBER})
    return calls


def started(plant: Plant, owner: User, *tasks: dict[str, Any]) -> Run:
    plan = {"goal": "send", "tasks": [{"skill": "noop", **each} for each in tasks]}
    run = create_run_from_plan(owner=owner, compiled=compile_plan(plan, plant.infos), inputs={"who": "ann"})
    assert run.revision is not None
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=owner, catalogue=plant.infos)
    plant.drain()
    return run


def bad(**more: Any) -> dict[str, Any]:
    return {"id": "a", "skill": "send", "params": {"to": "bob"}, "outputs": {"n": "number"}, **more}


BELOW = {"id": "b", "depends_on": ["a"], "params": {"value": "{{ n }}"}}


def asked(run: Run) -> Request:
    return Request.objects.get(run=run, kind="failure", state="open")


def test_retry_with_changes_runs_what_was_written_and_the_plan_keeps_it(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad(), BELOW)
    request = asked(run)
    retry_with_changes(
        of=request, params={"to": "{{ inputs.who }}"}, by=owner, catalogue=plant.infos, digest=request.digest
    )
    plant.drain()
    assert [call["to"] for call in sent] == ["bob", "ann"]
    assert task(run, "b").outputs == {"value": 2}
    run.refresh_from_db()
    assert run.revision is not None
    assert (run.state, run.revision.number) == ("succeeded", 2)
    assert run.revision.plan["tasks"][0]["params"] == {"to": "{{ inputs.who }}"}
    request.refresh_from_db()
    assert (request.decision, request.content["before"]) == ("retry_with_changes", {"to": "bob"})
    check_history(run)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"to": 3}, "params_invalid"),
        ({}, "params_invalid"),
        ({"to": "ann", "colour": "red"}, "params_invalid"),
        ({"to": "{{ nowhere }}"}, "params_invalid"),
        ({"to": "{{ other }}"}, "params_need_step"),
        ({"to": "ann", "copies": {"$artifact": "a" * 64, "kind": "file"}}, "params_invalid"),
    ],
)
def test_changes_that_do_not_fit_are_refused_and_nothing_moves(
    plant: Plant, sent: list, owner: User, params: dict[str, Any], code: str
):
    run = started(plant, owner, bad(), {"id": "c", "outputs": {"other": "json"}})
    with pytest.raises(InputError) as caught:
        retry_with_changes(of=asked(run), params=params, by=owner, catalogue=plant.infos)
    assert caught.value.code == code
    assert task(run, "a").state == "waiting"
    assert len(sent) == 1
    assert run.revisions.count() == 1
    assert not Correction.objects.exists()


def test_a_hint_reaches_the_step_and_is_kept(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad())
    retry_with_hint(of=asked(run), hint=" Use the new name. ", by=owner)
    plant.drain()
    assert [call["hints"] for call in sent] == [[], ["Use the new name."]]
    assert list(Correction.objects.values_list("kind", "hint", "by__username")) == [
        ("hint", "Use the new name.", owner.username)
    ]
    with pytest.raises(InputError):
        retry_with_hint(of=asked(run), hint="  ", by=owner)


def test_mark_done_takes_what_is_given_and_downstream_reads_it(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad(outputs={"n": "number"}), BELOW)
    mark_done(of=asked(run), outputs={"n": "12"}, by=owner, comment="by hand")
    plant.drain()
    assert (task(run, "a").state, task(run, "a").outputs) == ("succeeded", {"n": 12})
    assert task(run, "b").outputs == {"value": 12}
    assert list(task(run, "a").attempts.values_list("state", flat=True)) == ["failed"]
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", False)
    check_history(run)


@pytest.mark.parametrize(
    ("outputs", "code"),
    [({"n": "twelve"}, "output_invalid"), ({"m": 1}, "output_unknown"), ({"n": float("nan")}, "output_not_json")],
)
def test_outputs_of_another_type_are_refused(plant: Plant, sent: list, owner: User, outputs: dict, code: str):
    run = started(plant, owner, bad())
    with pytest.raises(InputError) as caught:
        mark_done(of=asked(run), outputs=outputs, by=owner)
    assert caught.value.code == code
    assert task(run, "a").state == "waiting"


def test_only_ones_own_files_can_be_given(plant: Plant, sent: list, owner: User):
    def stored(by: User, data: bytes) -> dict[str, Any]:
        sha256, size = storage.put_bytes(data)
        Blob.objects.create(sha256=sha256, size=size)
        Attachment.objects.create(owner=by, filename="x.txt", media_type="text/plain", blob_id=sha256, profile={})
        return ArtifactRef(sha256=sha256, kind=ValueKind.FILE, filename="x.txt", size=size).model_dump(
            mode="json", by_alias=True
        )

    plant.infos["send"] = plant.infos["send"].__class__(
        name="send", params_schema=SCHEMA, outputs={"n": ValueKind.FILE}
    )
    run = started(plant, owner, bad(outputs={"paper": "file"}))
    foreign = stored(User.objects.create_user("stranger"), b"secret")
    with pytest.raises(InputError) as caught:
        mark_done(of=asked(run), outputs={"paper": foreign}, by=owner)
    assert caught.value.code == "file_not_yours"
    mark_done(of=asked(run), outputs={"paper": stored(owner, b"mine")}, by=owner)
    assert task(run, "a").state == "succeeded"
    assert Artifact.objects.get(run=run).name == "paper"


def test_a_decision_about_something_else_is_refused(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad())
    with pytest.raises(StaleDecision):
        decide_failure(of=asked(run), choice="retry", by=owner, digest="0" * 64)
    decide_failure(of=asked(run), choice="skip", by=owner)
    with pytest.raises(AlreadyDecided):
        mark_done(of=Request.objects.get(run=run, kind="failure"), outputs={}, by=owner)


STOPPING = {"on_failure": "retry_then_stop"}


def test_retry_of_a_failed_step_opens_the_run_again_and_keeps_what_was(plant: Plant, sent: list, owner: User):
    """C75, C76, C84."""
    run = started(
        plant, owner,
        {"id": "first"},
        bad(**STOPPING, depends_on=["first"]),
        BELOW,
        {"id": "c", "depends_on": ["b"]},
        {"id": "tidy", "depends_on": ["c"], "always_run": True},
    )  # fmt: skip
    run.refresh_from_db()
    began = run.started_at
    assert (run.state, states(run)) == (
        "failed", {"first": "succeeded", "a": "failed", "b": "skipped", "c": "skipped", "tidy": "succeeded"},
    )  # fmt: skip
    retry_with_changes(of=task(run, "a"), params={"to": "ann"}, by=owner, catalogue=plant.infos)
    run.refresh_from_db()
    assert (run.state, run.failed_count, run.has_gaps) == ("running", 0, False)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, set(states(run).values())) == ("succeeded", {"succeeded"})
    assert run.started_at == began
    assert list(task(run, "a").attempts.values_list("number", "state")) == [(1, "failed"), (2, "succeeded")]
    assert task(run, "first").attempts.count() == 1
    kinds = list(run.events.values_list("kind", flat=True))
    assert kinds.index("task.reopened") < kinds.index("run.reopened") < len(kinds) - 1
    check_history(run)


@pytest.mark.parametrize("way", ["skip", "mark_done"])
def test_a_failed_step_can_be_left_out_or_given_afterwards(plant: Plant, sent: list, owner: User, way: str):
    run = started(plant, owner, bad(**STOPPING), BELOW)
    if way == "skip":
        decide_failure(of=task(run, "a"), choice="skip", by=owner)
    else:
        mark_done(of=task(run, "a"), outputs={"n": 5}, by=owner)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, run.has_gaps) == ("succeeded", way == "skip")
    assert task(run, "b").outputs == {"value": None if way == "skip" else 5}
    check_history(run)


def test_a_second_failure_after_reopening_ends_the_run_again(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad(**STOPPING), BELOW)
    decide_failure(of=task(run, "a"), choice="retry", by=owner)
    plant.drain()
    run.refresh_from_db()
    assert (run.state, states(run)) == ("failed", {"a": "failed", "b": "skipped"})
    assert len(sent) == 2
    check_history(run)


def test_an_aborted_run_can_be_opened_again_but_a_cancelled_one_cannot(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad(on_failure="abort"), BELOW)
    retry_with_changes(of=task(run, "a"), params={"to": "ann"}, by=owner, catalogue=plant.infos)
    plant.drain()
    assert states(run) == {"a": "succeeded", "b": "cancelled"}

    run = started(plant, owner, bad())
    failed = task(run, "a")
    decide_failure(of=asked(run), choice="stop", by=owner)
    with pytest.raises(StateError):
        decide_failure(of=failed, choice="retry", by=owner)
    run = started(plant, owner, bad())
    cancel_run(run=run, by=owner)
    with pytest.raises(StateError):
        decide_failure(of=task(run, "a"), choice="retry", by=owner)


def test_strangers_and_finished_steps_are_refused(plant: Plant, sent: list, owner: User):
    run = started(plant, owner, bad(**STOPPING), {"id": "c"})
    with pytest.raises(NotAllowed):
        decide_failure(of=task(run, "a"), choice="retry", by=User.objects.create_user("stranger"))
    with pytest.raises(StateError):
        decide_failure(of=task(run, "c"), choice="retry", by=owner)


def test_retrying_an_item_opens_its_fan_out_and_the_items_that_stopped(plant: Plant, owner: User):
    bad_items = {2}

    def send(params: dict[str, Any], context: Any) -> Outputs:
        if params["value"] in bad_items:
            raise BadInputError("column_missing", name="x")
        return Outputs(values={"n": params["value"] * 10})

    plant.skill("each", send, outputs={"n": ValueKind.NUMBER}, params_schema={"type": "object"})
    plan = [
        {"id": "a", "skill": "each", "for_each": "[1, 2, 3]", "params": {"value": "{{ item }}"}, **STOPPING},
        {"id": "b", "depends_on": ["a"], "params": {"value": "{{ a.n }}"}},
    ]
    for key in ("a[1]", "a"):
        bad_items.add(2)
        run = started(plant, owner, *plan)
        run.refresh_from_db()
        assert (run.state, task(run, "a").state, task(run, "b").state) == ("failed", "failed", "skipped")
        bad_items.clear()
        decide_failure(of=task(run, key), choice="retry", by=owner)
        plant.drain()
        run.refresh_from_db()
        assert (run.state, task(run, "b").outputs) == ("succeeded", {"value": [10, 20, 30]}), key
        check_history(run)
