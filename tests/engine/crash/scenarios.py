"""Whole lives of runs, as loops that do what is next: a process that dies in one is followed by another that goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone

from plans.core.compile import compile_plan
from plans.core.errors import PermanentSkillError, RetryableSkillError
from plans.core.kinds import Approval, RunsIn, ValueKind
from plans.core.model import CallEnd, CallOutcome, CallStart, Purpose, Usage
from plans.core.skill import Ask, Expand, Outputs, Result
from plans.engine import again, hosts, mend, pausing, planning_work, revising, sweeper, time_budgets, turn
from plans.engine.boundaries import Boundary
from plans.engine.budgets import raise_budget
from plans.engine.control import cancel_run
from plans.engine.failures import decide_failure
from plans.engine.plans import approve_plan, reject_plan
from plans.engine.requests import answer_question, decide_approval
from plans.engine.runs import create_run, create_run_from_plan
from plans.models import Lease, Request, Run, Task
from tests.engine.crash.counter import Outside
from tests.engine.plant import Plant, gone_worker

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
LONGEST_SECONDS = 60
LEASE_SECONDS = 0.06
RENEW_SECONDS = LEASE_SECONDS / 2


@dataclass
class World:
    """What outlives every process: rows, the service outside, and the people."""

    plant: Plant
    owner: User
    outside: Outside

    def called(self, params: dict[str, Any], context: Any) -> Result:
        self.outside.call(context)
        return Outputs(values={"value": params.get("value")})

    def called_at_second(self, params: dict[str, Any], context: Any) -> Result:
        """Fail before anything is done, then keep a checkpoint, ask the model, outlast a renewal and do it."""
        if context.attempt < 2:
            raise RetryableSkillError("busy")
        context.progress({"done": 1})
        context.checkpoint({"at": 1})
        call = context.model.begin(_call())
        context.model.end(call, CallEnd(outcome=CallOutcome.OK, usage=Usage(), usd=Decimal("0.01"), reply_text="hi"))
        time.sleep(RENEW_SECONDS)
        return self.called(params, context)

    def called_when_told(self, params: dict[str, Any], context: Any) -> Result:
        if "question" not in context.answers:
            return Ask(text="Now?", schema={"type": "object", "properties": {"go": {"type": "boolean"}}})
        return self.called(params, context)


def _call() -> CallStart:
    return CallStart(
        purpose=Purpose.SKILL, model="m", request_text="?", most=Usage(output_tokens=5), most_usd=Decimal("0.02")
    )


def equip(plant: Plant, owner: User, outside: Outside) -> World:
    """Give the plant skills with effects outside."""
    world = World(plant=plant, owner=owner, outside=outside)
    plant.connect = lambda bound: bound  # type: ignore[assignment,return-value]
    value = {"value": ValueKind.JSON}
    plant.skill("call", world.called, outputs=value)
    plant.skill("call_once", world.called, outputs=value, idempotent=False)
    plant.skill("call_second", world.called_at_second, outputs=value, retries=9)
    plant.skill("call_told", world.called_when_told, outputs=value, runs_in=RunsIn.ENGINE)
    plant.skill("call_asked", world.called, outputs=value, idempotent=False, approval=Approval.ALWAYS)
    plant.skill("broken", _broken)
    plant.skills["planning"] = _planning
    return world


def _broken(params: dict[str, Any], context: Any) -> Result:
    raise PermanentSkillError("broken")


def _planning(params: dict[str, Any], context: Any) -> Result:
    context.progress({"stage": "draft"})
    return Expand(plan={"schema": 1, "goal": "g", "tasks": PAIR}, source="model")


STEPS = [
    {"id": "a", "skill": "call"},
    {"id": "b", "skill": "call_once", "depends_on": ["a"]},
    {"id": "c", "skill": "call_second", "depends_on": ["a"]},
    {"id": "d", "skill": "noop", "depends_on": ["b", "c"]},
]
PAIR = [{"id": "a", "skill": "call"}, {"id": "b", "skill": "call_once", "depends_on": ["a"]}]
PAID = {"id": "c", "skill": "call_second"}
TOLD = {"id": "b", "skill": "call_told"}
LIST = {"id": "l", "skill": "noop", "params": {"value": [1, 2, 3]}, "outputs": {"numbers": "list"}}
EACH = {
    "id": "e",
    "skill": "call",
    "depends_on": ["l"],
    "for_each": "numbers",
    "items_at_once": 2,
    "params": {"value": "{{ item }}"},
    "outputs": {"made": "json"},
}
ASKING = [
    {"id": "a", "skill": "call_asked"},
    TOLD,
    {"id": "c", "skill": "broken"},
    {"id": "d", "skill": "call_once", "depends_on": ["a", "b"]},
]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """`make` gives the same run for the same token. `act` does what a person does next; True: something was done."""

    at: tuple[Boundary, ...]
    """The commits this life is about: a process dies at each of them."""
    make: Callable[[World, str], Run]
    act: Callable[[World, Run], object] = lambda world, run: None
    state: str = "succeeded"
    once: tuple[str, ...] = ()
    """Tasks whose effect happens exactly once, whatever dies."""
    at_most_once: tuple[str, ...] = ()

    def live(self, world: World, token: str) -> Run:
        """Go on until the run has ended."""
        # Who swept before is this test's own process and lives on: one that had ended would be replaced at once.
        Lease.objects.all().delete()
        run = self.make(world, token)
        memory = sweeper.Memory()
        deadline = time.monotonic() + LONGEST_SECONDS
        while True:
            run.refresh_from_db()
            if run.is_terminal:
                return run
            assert time.monotonic() < deadline, list(run.tasks.values_list("key", "state"))
            if not self.act(world, run):
                decide_all(world, run)
            world.plant.drain()
            sweeper.sweep_once(memory)


def decide_all(world: World, run: Run) -> None:
    """Decide everything that is open: yes, but a step that may or may not have happened is never repeated."""
    for request in Request.objects.filter(run=run, state="open").select_related("run__revision", "task"):
        if request.kind == "plan_approval" and run.revision is not None:
            graph_hash = run.revision.graph_hash
            approve_plan(run=run, graph_hash=graph_hash, by=world.owner, catalogue=world.plant.infos)
        elif request.kind == "task_approval":
            decide_approval(request=request, approve=True, digest=request.digest, by=world.owner)
        elif request.kind == "question":
            answer_question(request=request, answer={"go": True}, by=world.owner)
        elif request.kind == "failure":
            decide_failure(of=request, choice="skip", by=world.owner)
        elif request.kind == "budget":
            _more(request, world.owner)


def _more(request: Request, by: User) -> None:
    if request.task_id is None:
        time_budgets.raise_time(request=request, by=by, seconds=3600)
    else:
        raise_budget(request=request, by=by, usd=Decimal(1))


def from_plan(*tasks: dict[str, Any], **columns: Any) -> Callable[[World, str], Run]:
    def make(world: World, token: str) -> Run:
        compiled = compile_plan({"goal": "g", "tasks": list(tasks)}, world.plant.infos)
        run = create_run_from_plan(owner=world.owner, compiled=compiled, inputs={}, client_token=token)
        if columns:
            Run.objects.filter(pk=run.pk).update(**columns)
        return run

    return make


def from_goal(world: World, token: str) -> Run:
    return create_run(owner=world.owner, goal="a goal", inputs={}, client_token=token)


def told(run: Run, kind: str) -> bool:
    return run.events.filter(kind=kind).exists()


def pause_then_resume(world: World, run: Run) -> None:
    if run.state == "review":
        decide_all(world, run)
        pausing.pause_run(run=run, by=world.owner)
    elif told(run, "run.paused") and run.pause_requested_at is not None:
        pausing.resume_run(run=run, by=world.owner)


def cancel_when_asked(world: World, run: Run) -> None:
    if run.state == "running" and run.request_rows.filter(state="open").exists():
        cancel_run(run=run, by=world.owner)


def revise_then_ask(world: World, run: Run) -> bool:
    """Edit the plan, send it back with a comment, and let the next one be approved."""
    if run.state != "review" or run.revision is None or told(run, "plan.changes_asked"):
        return False
    if run.revisions.filter(source="edit").exists():
        planning_work.ask_for_changes(run=run, by=world.owner, comment="Other steps")
    else:
        seen, infos = run.revision.number, world.plant.infos
        edited = partial(dict, rollback="by hand")
        revising.revise(run=run, seen=seen, change=edited, by=world.owner, catalogue=infos)
    return True


def be_late(world: World, run: Run) -> None:
    """Approve a plan whose deadline is over, and have that noticed before anything starts."""
    if run.state == "review":
        decide_all(world, run)
    time_budgets.enforce()


def reject(world: World, run: Run) -> None:
    reject_plan(run=run, by=world.owner)


def claim_and_be_gone(world: World, run: Run) -> None:
    """Claim as a worker whose process has ended."""
    if run.state == "review":
        decide_all(world, run)
        turn.take([], 4, gone_worker())


def hold_then_release(world: World, run: Run) -> None:
    """Approve while new work is held, see that nothing starts, and release it."""
    if run.state == "review":
        hosts.hold(by=world.owner)
    elif hosts.is_held():
        assert not told(run, "task.running")
        hosts.release()


def break_counters(world: World, run: Run) -> None:
    """Leave a step that waits for more than there is, as a fault would."""
    if run.state == "review":
        decide_all(world, run)
        Task.objects.filter(run=run, key="b").update(unmet=F("unmet") + 1)
    mend.mend_runs(10)


def let_questions_expire(world: World, run: Run) -> None:
    Request.objects.filter(run=run, state="open", kind="question").update(
        deadline_at=timezone.now() - timedelta(seconds=1), default={"go": True}
    )
    sweeper.sweep_once(sweeper.Memory())


def rerun(world: World, token: str) -> Run:
    """Run a plan again that has ended."""
    first = Scenario(at=(), make=from_plan(*PAIR)).live(world, f"{token}-first")
    return again.rerun(run=first, by=world.owner, catalogue=world.plant.infos, client_token=token)


B = Boundary
SCENARIOS = {
    "planning": Scenario(at=(B.CREATE, B.PROGRESS, B.OUTCOME), make=from_goal, once=("a",), at_most_once=("b",)),
    "steps": Scenario(
        at=(B.APPROVE, B.CLAIM, B.FINISH, B.OUTCOME, B.CHECKPOINT, B.MODEL_CALL, B.WAKE, B.RENEW),
        make=from_plan(*STEPS),
        once=("a", "c"),
        at_most_once=("b",),
    ),
    "fan-out": Scenario(
        at=(B.FAN_OUT, B.CLAIM_LIMITED, B.FINISH), make=from_plan(LIST, EACH), once=("e[0]", "e[1]", "e[2]")
    ),
    "people": Scenario(
        at=(B.GATE, B.REQUEST, B.FAILURE), make=from_plan(*ASKING), once=("b",), at_most_once=("a", "d")
    ),
    "budget": Scenario(at=(B.BUDGET,), make=from_plan(PAID, budget_usd=Decimal("0.001")), once=("c",)),
    "time": Scenario(
        at=(B.TIME_BUDGET,),
        make=from_plan(*PAIR, deadline_at=LONG_AGO),
        act=be_late,
        once=("a",),
        at_most_once=("b",),
    ),
    "cancel": Scenario(
        at=(B.CANCEL,),
        make=from_plan(*ASKING),
        act=cancel_when_asked,
        state="cancelled",
        at_most_once=("a", "b", "d"),
    ),
    "pause": Scenario(
        at=(B.PAUSE, B.PAUSED, B.RESUME),
        make=from_plan(*STEPS),
        act=pause_then_resume,
        once=("a", "c"),
        at_most_once=("b",),
    ),
    "review": Scenario(at=(B.REVISE, B.PLAN_AGAIN), make=from_plan(LIST), act=revise_then_ask, once=("a",)),
    "taken back": Scenario(
        at=(B.TAKE_BACK,), make=from_plan(*PAIR), act=claim_and_be_gone, once=("a",), at_most_once=("b",)
    ),
    "reject": Scenario(at=(B.REJECT,), make=from_plan(LIST), act=reject, state="cancelled"),
    "hold": Scenario(at=(B.HOLD,), make=from_plan(*PAIR), act=hold_then_release, once=("a",), at_most_once=("b",)),
    "mend": Scenario(at=(B.MEND, B.STUCK), make=from_plan(*PAIR), act=break_counters, once=("a",), at_most_once=("b",)),
    "expire": Scenario(at=(B.EXPIRE,), make=from_plan(TOLD), act=let_questions_expire, once=("b",)),
    "again": Scenario(at=(B.AGAIN,), make=rerun, once=("a",), at_most_once=("b",)),
}
