"""Read what claimed tasks need before they go to a slot: run inputs, upstream outputs, answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plans.core.fan_out import ITEM_OF
from plans.core.jsontypes import JsonObject
from plans.core.states import AttemptState, RequestKind, RequestState
from plans.engine import corrections
from plans.engine import outputs as outs
from plans.engine.hot import Claimed
from plans.engine.steps import Job
from plans.models import Attempt, Dependency, Request, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What never changes about a run once its tasks run."""

    uuid: str
    inputs: JsonObject
    answers: JsonObject
    """What a person answered while the plan was made, by question."""


class RunCache:
    """Facts of recently seen runs, so that a step of a large run costs no query for them."""

    LIMIT = 200

    def __init__(self) -> None:
        self._facts: dict[int, RunFacts] = {}

    def get(self, run_id: int) -> RunFacts:
        found = self._facts.get(run_id)
        if found is None:
            if len(self._facts) >= self.LIMIT:
                self._facts.clear()
            run = Run.objects.select_related("revision").get(pk=run_id)
            found = RunFacts(uuid=str(run.uuid), inputs=run.inputs, answers=_answers(run))
            if run.started_at is not None:  # until then answers may come
                self._facts[run_id] = found
        return found


def _answers(run: Run) -> JsonObject:
    questions = (run.revision.plan.get("intent") or {}).get("questions") or [] if run.revision else []
    return {each["id"]: each["answer"] for each in questions if each.get("answer") is not None}


def upstream_outputs(task_ids: Sequence[int]) -> dict[int, dict[str, JsonObject]]:
    """Return, per task, its upstream tasks' outputs by key; a task without outputs gives its declared names as null."""
    found: dict[int, dict[str, JsonObject]] = {}
    edges = (
        # The items of a fan-out are upstream of it in the queue only; what it read is what they read.
        Dependency.objects.filter(downstream_id__in=task_ids, upstream__group="")
        .order_by("upstream_id")
        .values_list("downstream_id", "upstream__key", "upstream__outputs", "upstream__spec")
    )
    for downstream_id, key, outputs, spec in edges:
        found.setdefault(downstream_id, {})[key] = outputs if outputs is not None else outs.nulls(spec)
    return found


def answers(task_id: int) -> dict[str, JsonObject]:
    """Return the answers given to a task's questions, the latest per key."""
    rows = Request.objects.filter(task_id=task_id, kind=RequestKind.QUESTION).exclude(state=RequestState.OPEN)
    return {row.key: row.answer for row in rows.order_by("pk") if row.answer is not None}


def jobs(claimed: Sequence[Claimed], cache: RunCache) -> list[Job]:
    """Return a Job for each claim."""
    referring = {_reads_as(one) for one in claimed if one.has_references}
    upstream = upstream_outputs(list(referring)) if referring else {}
    result = []
    for one in claimed:
        facts = cache.get(one.run_id)
        job = Job(claimed=one, run_uuid=facts.uuid, inputs=facts.inputs, upstream=upstream.get(_reads_as(one), {}))
        job.goal_answers = facts.answers
        if ITEM_OF in one.spec:
            job.index, job.item = one.spec[ITEM_OF]["index"], one.spec[ITEM_OF]["item"]
        if one.attempt > 1:
            before = Attempt.objects.filter(task_id=one.task_id, number=one.attempt - 1).values_list("state", flat=True)
            one.resumed = AttemptState.SUSPENDED in before
            job.answers = answers(one.task_id)
            job.hints = corrections.hints(one.run_id, one.key)
        result.append(job)
    return result


def _reads_as(one: Claimed) -> int:
    """Return the id of the row whose upstream a task reads: its own, or its fan-out's."""
    return int(one.spec[ITEM_OF]["group"]) if ITEM_OF in one.spec else one.task_id
