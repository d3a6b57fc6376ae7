"""The skill protocol: what a skill is, what it is given and what it may return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from pydantic import BaseModel

from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import Risk, RunsIn, ValueKind
from plans.core.model import Connect, Model
from plans.core.values import ArtifactRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """The task is done. `values` maps output name to JSON or ArtifactRef, the main one first."""

    values: Mapping[str, Json | ArtifactRef]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Free the slot and ask a person. The skill is called again from the top with the answers in `context.answers`.

    `schema` is a JSON Schema of type object: one field a property. `key` tells several questions of one task apart.
    """

    text: str
    schema: JsonObject
    key: str = "question"
    context: Json = None
    deadline_seconds: float | None = None
    default: Json = None
    assignees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitUntil:
    """Free the slot until `at` (aware, UTC); the skill is then called again with `context.resumed` true."""

    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Expand:
    """A plan. From a planning task it becomes a revision; from a step it will run in the step's place.

    `raw_reply` is what a model wrote where that could not become a plan; `others` are drafts to choose from, each with
    a `label`. Planning work that makes no plan of its own (other params, a second opinion) answers in `notes`.
    """

    plan: JsonObject
    findings: tuple[Any, ...] = ()
    notes: Mapping[str, Json] = field(default_factory=dict)
    source: str = "playbook"
    label: str = ""
    comment: str = ""
    raw_reply: str = ""
    others: tuple[Expand, ...] = ()


Result: TypeAlias = Outputs | Ask | WaitUntil | Expand


class Context(Protocol):
    """What a skill may touch. Never the ORM. Threads: methods may be called from the skill's own thread only."""

    run_id: str
    """UUID of the run."""
    task_key: str
    attempt: int
    deadline: float
    """`time.monotonic()` value after which the attempt is over."""
    resumed: bool
    """True when called again after Ask or WaitUntil."""
    answers: Mapping[str, JsonObject]
    """Answers so far by the `key` of the Ask."""
    hints: list[str]
    """What people said to mind when they let a failed step run again, oldest first."""
    saved: Json
    """What the last `checkpoint` kept, else None."""
    model: Model | None
    """The model, bound to ledger and budget; None while none is connected."""

    @property
    def idempotency_key(self) -> str:
        """Equal for all attempts of this call with these inputs."""

    @property
    def workdir(self) -> Path:
        """Private empty directory, removed after the attempt."""

    def cancelled(self) -> bool: ...

    def log(self, message: str) -> None: ...

    def progress(self, data: JsonObject) -> None:
        """Tell whoever watches how far it is: one event of at most 4 KB, written soon or, under load, not at all."""

    def secret(self, name: str) -> str: ...

    def checkpoint(self, value: Json) -> None:
        """Keep `value`; returns only when it is committed. Raises LeaseLost."""

    def path(self, ref: ArtifactRef) -> Path:
        """Return a local, read-only path with the bytes of `ref`."""

    def store(
        self, path: Path, *, kind: ValueKind, name: str, filename: str, media_type: str, meta: JsonObject | None = None
    ) -> ArtifactRef:
        """Store the file at `path` as a blob and return its reference."""


class Skill(Protocol):
    """A named ability."""

    name: str
    version: str
    description: str
    params: type[BaseModel]
    outputs: Mapping[str, ValueKind]
    """What `run` can deliver, the main one first. Plans give their own names (one to one, or by key)."""
    idempotent: bool
    risk: Risk
    runs_in: RunsIn
    instant: bool
    """True for no-ops that take microseconds: they may run on the loop."""
    literal: frozenset[str]
    """Params that are never rendered: placeholders in them are ordinary text."""
    timeout_seconds: int
    retries: int

    def run(self, params: BaseModel, context: Context) -> Result: ...


Execute: TypeAlias = Callable[["Work", Context], Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One call, as the engine hands it to the callable it was given: `kind` is a TaskKind, `params` are rendered JSON."""

    kind: str
    skill: str
    params: JsonObject
    inputs: JsonObject
    catalogue: Mapping[str, Any] | None = None
    """The enabled skills, for planning work only: read on the loop, since slots touch no rows."""
    circumstances: Circumstances = NOTHING_KNOWN
    """What plans of the run are judged against, for planning work only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """What the engine is handed, since it imports no skill.

    `load_rows(ref, limit)` returns the rows of a table blob as dicts, for expressions that name `rows`; `literal(skill)`
    names its params that are never rendered. Both are called in slots and read no rows; `catalogue` and `model` do.
    `model` returns what binds a model to an attempt's ledger, None while no model is connected.
    """

    execute: Execute
    load_rows: Callable[[ArtifactRef, int], list[JsonObject]]
    literal: Callable[[str], frozenset[str]]
    catalogue: Callable[[], Mapping[str, Any]]
    model: Callable[[], Connect | None] = lambda: None
    circumstances: Callable[[str], Circumstances] = lambda run: NOTHING_KNOWN
    """Reads, by the run's UUID, what its plans are judged against."""
