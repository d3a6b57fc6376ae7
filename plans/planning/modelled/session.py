"""One piece of planning work: what it is told, and the one way it asks the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone

from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.errors import ModelError
from plans.core.findings import Finding
from plans.core.jsontypes import JsonObject
from plans.core.model import Message, Model, Purpose, Tier
from plans.core.reading import read_object
from plans.core.skill import Context
from plans.planning.modelled import calendar, material, offering
from plans.planning.modelled.calendar import Said
from plans.planning.modelled.memory import Memory
from plans.planning.modelled.progress import Watch

# Replies that came and cannot be used: they go back to the model. Everything else is the failure ladder's.
CUT = "model_out_of_tokens"
UNUSABLE = frozenset({"model_reply_invalid", CUT})
MOST_TOKENS = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came: its text as written, the JSON object in it, and what had to be said about reading it."""

    text: str
    data: JsonObject | None = None
    findings: tuple[Finding, ...] = ()

    def as_json(self) -> JsonObject:
        return {"text": self.text, "data": self.data, "findings": [each.as_json() for each in self.findings]}

    @classmethod
    def of(cls, kept: Any) -> Answer:
        findings = tuple(Finding(**each) for each in kept["findings"])
        return cls(text=kept["text"], data=kept["data"], findings=findings)


@dataclass(slots=True, kw_only=True)
class Session:
    """What is known while a run is planned. `catalogue` judges plans, `offered` is what the model may use of it."""

    goal: str
    inputs: JsonObject
    profiles: JsonObject
    zone: str
    today: date
    sees_rows: bool
    catalogue: Catalogue
    offered: Mapping[str, SkillInfo]
    model: Model
    memory: Memory
    watch: Watch
    circumstances: Circumstances = NOTHING_KNOWN

    @property
    def dates(self) -> list[Said]:
        profiles = {
            name: material.profile_of(self.inputs[name], self.profiles.get(name))
            for name in self.inputs
            if self.sees_rows and isinstance(self.inputs[name], dict)
        }
        return calendar.dates_in(self.goal, self.today, profiles)

    def fenced_goal(self) -> str:
        return material.fenced("goal", self.goal)

    def told_dates(self) -> str:
        return calendar.told(self.today, self.zone, self.dates)

    def told_files(self) -> str:
        told = material.files(self.inputs, self.profiles, sees_rows=self.sees_rows)
        return material.fenced("inputs", told)

    def ask(
        self,
        name: str,
        purpose: Purpose,
        *,
        system: str,
        messages: Sequence[Message],
        schema: JsonObject,
        is_plan: bool = False,
        tier: Tier | None = None,
    ) -> Answer:
        """Ask once under `name`, keeping a usable answer: a second attempt of this work gets it from memory.

        A plan that does not hold to the shape is read leniently: the compiler judges it. Raises ModelError for
        everything but a reply that came and cannot be used; BudgetReached, SkillCancelled.
        """
        kept = self.memory.get(name)
        if kept is not None:
            return Answer.of(kept)
        answer = self._call(purpose, system, messages, schema, is_plan, tier)
        if answer.data is not None:
            self.memory.keep(name, answer.as_json())
        return answer

    def _call(
        self,
        purpose: Purpose,
        system: str,
        messages: Sequence[Message],
        schema: JsonObject,
        is_plan: bool,
        tier: Tier | None,
    ) -> Answer:
        try:
            reply = self.model.ask(
                purpose=purpose,
                system=system,
                messages=messages,
                schema=schema,
                max_tokens=MOST_TOKENS,
                on_progress=self.watch.see,
                tier=tier,
            )
        except ModelError as error:
            if error.code not in UNUSABLE or error.reply is None:
                raise
            return _unusable(error, is_plan)
        return Answer(text=reply.text, data=reply.data if isinstance(reply.data, dict) else None)


def _unusable(error: ModelError, is_plan: bool) -> Answer:
    """Read what can be read of a reply that does not hold to its shape; one that broke off is never read as whole."""
    text = str(error.reply.text)
    problem = Finding(code=error.code, params=dict(error.params))
    if error.code == CUT or not is_plan:
        return Answer(text=text, findings=(problem,))
    value, findings = read_object(text)
    return Answer(text=text, data=value, findings=tuple(findings if value is not None else (problem, *findings)))


def open_session(
    params: Mapping[str, Any],
    catalogue: Catalogue,
    context: Context,
    circumstances: Circumstances = NOTHING_KNOWN,
) -> Session:
    """Return the session for planning params as `engine.planning_work` queues them. Raises ModelError without a model."""
    if context.model is None:
        raise ModelError("model_not_connected")
    goal = str(params.get("goal") or "")
    return Session(
        goal=goal,
        inputs=dict(params.get("inputs") or {}),
        profiles=dict(params.get("files") or {}),
        zone=str(params.get("time_zone") or "UTC"),
        today=_today(params),
        sees_rows=bool(params.get("sees_rows", True)),
        catalogue=catalogue,
        offered=offering.offered(catalogue, f"{goal} {params.get('comment', '')}"),
        model=context.model,
        memory=Memory(context),
        watch=Watch(context),
        circumstances=replace(circumstances, inputs=frozenset(params.get("inputs") or {})),
    )


def _today(params: Mapping[str, Any]) -> date:
    """Return the day it is for the run's owner; `now` (ISO, aware) stands for the clock where it is given."""
    now = datetime.fromisoformat(params["now"]) if params.get("now") else timezone.now()
    try:
        return now.astimezone(ZoneInfo(str(params.get("time_zone") or "UTC"))).date()
    except (ZoneInfoNotFoundError, ValueError):
        return now.date()
