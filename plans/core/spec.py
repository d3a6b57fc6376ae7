"""PlanSpec: the versioned value that says which tasks exist and how they depend (DESIGN §3)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from plans.core.jsontypes import Json
from plans.core.kinds import Approval, Risk, ValueKind

SCHEMA_VERSION = 1

OnFailure = Literal["retry_then_ask", "retry_then_stop", "retry_different", "fallback", "replan", "skip", "abort"]
"""The keys of `core.ladder.LADDERS`."""


class _Part(BaseModel):
    # Unknown keys are refused here; `core.reading` turns them into findings before it gets this far.
    model_config = ConfigDict(extra="forbid", frozen=True)


class Question(_Part):
    id: str
    text: str
    choices: list[str] = Field(default_factory=list)
    answer: Json = None


class Intent(_Part):
    summary: str = ""
    domain: str = ""
    entities: dict[str, Any] = Field(default_factory=dict)
    constraints: list[str] = Field(default_factory=list)
    expected_output: str = ""
    confidence: Literal["high", "medium", "low"] = "medium"
    assumptions: list[str] = Field(default_factory=list)
    questions: list[Question] = Field(default_factory=list)


class Precondition(_Part):
    text: str
    check: str | None = None


class Estimate(_Part):
    seconds: float | None = None
    usd: float | None = None


class Milestone(_Part):
    id: str = Field(min_length=1, max_length=200)
    name: str = ""
    parent: str | None = None
    done_when: str | None = None
    approval: Literal[Approval.AUTO, Approval.ALWAYS] = Approval.AUTO


class TaskSpec(_Part):
    """One step: one skill call."""

    id: str = Field(min_length=1, max_length=200)
    name: str = ""
    description: str = ""
    milestone: str | None = None
    skill: str = Field(min_length=1, max_length=100)
    params: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, ValueKind] = Field(default_factory=dict)
    depends_on: list[str] = Field(default_factory=list)
    expected_output: str = ""
    run_if: str | None = None
    # fan-out: a CEL expression that gives a list; `item` and `index` may be read by the params. What an item that has
    # failed for good means for the others: they stop, they go on and it gives null, or they go on and it is left out.
    for_each: str | None = None
    item_errors: Literal["stop", "report", "drop"] = "stop"
    items_at_once: int | None = Field(default=None, ge=1)
    expect: list[str] = Field(default_factory=list)
    on_failure: OnFailure | None = None
    fallback_skill: str | None = None
    # output name -> what stands in for it when the step, and its fallback skill, have failed for good
    fallback_value: dict[str, Any] | None = None
    retries: int | None = Field(default=None, ge=0, le=100)
    timeout_seconds: int | None = Field(default=None, ge=1, le=86_400)
    approval: Approval = Approval.AUTO
    assignees: list[str] = Field(default_factory=list)
    risk: Risk | None = None
    confidence: Literal["high", "medium", "low"] = "medium"
    priority: int = Field(default=0, ge=-100, le=100)
    pool: str | None = None
    weight: int = Field(default=1, ge=1)
    estimate: Estimate = Field(default_factory=Estimate)
    always_run: bool = False
    undo: Json = None


class PlanSpec(_Part):
    schema_version: int = Field(default=SCHEMA_VERSION, alias="schema")
    goal: str = ""
    result: list[str] = Field(default_factory=list)
    intent: Intent = Field(default_factory=Intent)
    preconditions: list[Precondition] = Field(default_factory=list)
    risks: list[str] = Field(default_factory=list)
    rollback: str = ""
    milestones: list[Milestone] = Field(default_factory=list)
    tasks: list[TaskSpec] = Field(default_factory=list)

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
