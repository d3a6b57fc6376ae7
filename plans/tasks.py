"""What django-q2 calls, and the wiring of skills and planning into the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plans import circumstances, queries, storage
from plans.core.catalogue import SkillInfo
from plans.core.circumstances import Circumstances
from plans.core.jsontypes import JsonObject
from plans.core.skill import Context, Result, Runner, Work
from plans.core.states import TaskKind
from plans.core.values import ArtifactRef
from plans.engine import drain as engine_drain
from plans.models import Run
from plans.planning import planner
from plans.skills import registry, tables
from plans.skills.execute import execute_skill
from plans.supervise import connection


def catalogue() -> Mapping[str, SkillInfo]:
    """Return the enabled skills with what operators set."""
    return registry.catalogue(queries.skill_settings())


def execute(work: Work, context: Context) -> Result:
    if work.kind == TaskKind.PLANNING:
        return planner.plan(work.params, work.catalogue or {}, context, work.circumstances)
    return execute_skill(work.skill, work.params, context)


def load_rows(ref: ArtifactRef, limit: int) -> list[JsonObject]:
    return tables.load_rows(storage.local_path(ref.sha256), limit)


def literal(skill: str) -> frozenset[str]:
    return registry.get(skill).literal


def runner() -> Runner:
    return Runner(
        execute=execute,
        load_rows=load_rows,
        literal=literal,
        catalogue=catalogue,
        model=connection.connect,
        circumstances=lambda run: circumstances_of(Run.objects.get(uuid=run)),
    )


def circumstances_of_site() -> Circumstances:
    """Return what a plan without a run is judged against, with the connected model's prices."""
    return replace(circumstances.of_site(), prices=connection.prices())


def circumstances_of(run: Run) -> Circumstances:
    """Return what plans of `run` are judged against, the prices of the connected models included."""
    return replace(circumstances.of_run(run), prices=connection.prices())


def has_model() -> bool:
    """Tell whether a model is connected; without one plans come from playbooks and imports."""
    return runner().model() is not None


def drain(run_id: int) -> None:
    """Work until nothing is ready; `run_id` is a hint only."""
    engine_drain.drain(runner())
