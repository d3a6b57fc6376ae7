"""`bench planner`: how good the plans of the connected model are. What the figures mean: docs/planning-quality.md."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plans.core.catalogue import SkillInfo
from plans.core.compile import compile_plan
from plans.core.errors import InputError, PlannerError
from plans.core.jsontypes import Json
from plans.core.model import CallEnd, CallOutcome, CallStart, Connect, Purpose
from plans.engine.context import Checkpoint, SkillContext
from plans.planning.modelled.drafting import draft
from plans.planning.modelled.session import open_session
from plans.supervise import connection
from plans.supervise.bench.figures import Figure, figure
from plans.supervise.bench.graphs import Graph, Scores, compare

GOALS = Path(__file__).with_name("goals.json")
SECONDS_PER_GOAL = 300.0
SCRIPTED = "scripted"
"""The name under which a test's model goes: what it scores says nothing, so no F1 is printed for it."""
ANY_TOOL = "do"


@dataclass(slots=True)
class Tally:
    """The ledger of one goal: what was called and how it ended."""

    deadline: float
    calls: list[CallStart] = field(default_factory=list)
    ends: list[CallEnd] = field(default_factory=list)

    def cancelled(self) -> bool:
        return False

    def begin(self, start: CallStart) -> int:
        self.calls.append(start)
        return len(self.calls)

    def recall(self, request_hash: str) -> str | None:
        return None

    def end(self, call: int, ended: CallEnd) -> None:
        self.ends.append(ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What came of one goal. `scores` is None where no plan came that could be approved."""

    id: str
    is_shaped: bool
    is_good: bool
    rounds: int
    seconds: float
    tokens: int
    usd: float | None
    scores: Scores | None = None
    problem: str = ""


def measure(path: Path | None = None, limit: int | None = None) -> tuple[list[Figure], dict[str, Any]]:
    """Plan every goal of the file; return the figures and what else the document says.

    Raises InputError `no_model_to_measure`, `file_not_readable`.
    """
    connect = connection.connect()
    if connect is None:
        raise InputError("no_model_to_measure")
    items = _items(path or GOALS)[:limit]
    name = connection.config().model(Purpose.DRAFT)
    done = [_planned(item, connect) for item in items]
    found = _figures(done, with_scores=name != SCRIPTED)
    problems = {each.id: each.problem for each in done if each.problem}
    return found, {"model": name, "goals": len(done), "problems": problems}


def _items(path: Path) -> list[Any]:
    try:
        return list(json.loads(path.read_text(encoding="utf-8"))["items"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("file_not_readable", file=path.name, problem=str(error)) from error


def _planned(item: Mapping[str, Any], connect: Connect) -> Planned:
    tally = Tally(deadline=time.monotonic() + SECONDS_PER_GOAL)
    began = time.monotonic()
    catalogue = catalogue_of(item)
    scores, is_good, problem = None, False, ""
    try:
        session = open_session({"goal": item["goal"], "inputs": {}}, catalogue, _context(tally, connect))
        judged = draft(session, {"summary": item["goal"], "size": "small"})
        is_good = judged.is_good
        problem = "" if is_good else ", ".join(dict.fromkeys(finding.code for finding in judged.findings))
        if is_good:
            scores = compare(graph_of(judged.plan, catalogue), gold_of(item))
    except PlannerError as error:
        problem = error.code
    drafted = [end for call, end in zip(tally.calls, tally.ends, strict=False) if call.purpose == Purpose.DRAFT]
    prices = [end.usd for end in tally.ends]
    return Planned(
        id=str(item["id"]),
        is_shaped=bool(drafted) and drafted[0].outcome == CallOutcome.OK,
        is_good=is_good,
        rounds=sum(call.purpose == Purpose.REPAIR for call in tally.calls),
        seconds=time.monotonic() - began,
        tokens=sum(end.usage.total for end in tally.ends),
        usd=float(sum(price for price in prices if price is not None)) if None not in prices else None,
        scores=scores,
        problem=problem,
    )


def _context(tally: Tally, connect: Connect) -> SkillContext:
    """Return a context without rows: checkpoints are kept at once, nobody watches."""

    def keep(item: Checkpoint) -> None:
        item.kept = True
        item.committed.set()

    return SkillContext(
        run_id="bench",
        task_key="planning:1",
        attempt=1,
        deadline=tally.deadline,
        params={},
        resumed=False,
        answers={},
        saved=None,
        send=keep,
        show=lambda data: None,
        model=connect(tally),
    )


def catalogue_of(item: Mapping[str, Any]) -> dict[str, SkillInfo]:
    """Return the tools of a goal as skills with free params; where there are none, one that does anything."""
    tools = [{"name": tool} if isinstance(tool, str) else tool for tool in item.get("tools") or []]
    infos = [
        SkillInfo(name=str(tool["name"]), description=str(tool.get("desc") or ""), free_params=True) for tool in tools
    ]
    return {info.name: info for info in infos or [SkillInfo(name=ANY_TOOL, description="Do a step.", free_params=True)]}


def graph_of(plan: Json, catalogue: Mapping[str, SkillInfo]) -> Graph:
    compiled = compile_plan(plan, catalogue)
    tasks = {task.id: task for task in compiled.plan.tasks} if compiled.plan else {}
    steps = {key: ("" if task.skill == ANY_TOOL else task.skill, task.name) for key, task in tasks.items()}
    return Graph(steps=steps, edges=frozenset(compiled.edges))


def gold_of(item: Mapping[str, Any]) -> Graph:
    gold = item["gold"]
    steps = {str(node["id"]): (str(node.get("tool") or ""), str(node.get("name") or "")) for node in gold["nodes"]}
    return Graph(steps=steps, edges=frozenset((str(up), str(down)) for up, down in gold["edges"]))


def _figures(done: Sequence[Planned], *, with_scores: bool) -> list[Figure]:
    def share(name: str, flags: Sequence[bool]) -> Figure:
        return figure(f"planner.{name}", "share", [sum(flags) / max(len(flags), 1)])

    found = [
        share("schema_valid", [each.is_shaped for each in done]),
        share("first_try", [each.is_good and not each.rounds for each in done]),
        share("accepted", [each.is_good for each in done]),
        figure("planner.repair_rounds", "mean", [statistics.fmean([each.rounds for each in done] or [0])]),
        figure("planner.seconds", "s/plan", [each.seconds for each in done] or [0.0]),
        figure("planner.tokens", "tokens/plan", [each.tokens for each in done] or [0]),
    ]
    prices = [each.usd for each in done if each.usd is not None]
    if prices:
        found.append(figure("planner.usd", "USD/plan", prices))
    if with_scores:
        none = Scores(nodes=0.0, edges=0.0, graph=0.0)
        scores = [each.scores or none for each in done] or [none]
        for name in ("nodes", "edges", "graph"):
            found.append(
                figure(f"planner.f1_{name}", "mean F1", [statistics.fmean(getattr(each, name) for each in scores)])
            )
    return found
