"""Goals people really gave (../shared/corpora/goals): each gets what a good product does, through the real client.

The model is scripted, so what is tested is ours: what becomes of its verdict, and that nothing of the goal is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plans.core.errors import InputError
from plans.core.skill import Ask, Expand
from plans.engine.runs import check_goal
from plans.planning.modelled.intent import GoalRefused
from plans.wording import sentence
from tests.conftest import SHARED
from tests.modelled.desk import Desk, ask_person, by_purpose, codes, intent, question, step, wire
from tests.scripted_model import ScriptedModel

PATH = SHARED / "corpora" / "goals" / "user_goals.json"
GOALS = {each["id"]: each for each in json.loads(PATH.read_text(encoding="utf-8"))["items"]} if PATH.is_file() else {}

# What each goal leads to. Whatever is not named here gets a plan of at least `min_tasks` steps.
ASKED = {
    "u002": "which topic",
    "u017": "which file",
    "u022": "which file",
    "u025": "which repository",
    "u028": "which file",
    "u029": "which file",
    "u031": "which file",
    "u037": "how many rounds",
    "u044": "what is meant",
    "u046": "about what, from which data",
    "u047": "which data",
    "u058": "a limit",
    "u059": "a limit",
    "u061": "what is meant",
    "u070": "which goal is 12",
}
CONTRADICTORY = {"u049", "u052"}
REFUSED = {
    "u012": ("no_goal", "goal_is_none", []),
    "u038": ("out_of_reach", "goal_out_of_reach", ["audio meetings"]),
    "u041": ("unsafe", "goal_refused", []),
    "u054": ("unsafe", "goal_refused", []),
    "u056": ("unsafe", "goal_refused", []),
}
REJECTED = {"u042": "goal_empty", "u043": "goal_empty", "u060": "goal_too_long"}
# Work that people do is asked of them; phases are milestones.
SMALL = {"u008", "u011", "u014", "u019", "u026", "u036"}
WORDS = {"en": "Understood", "zh": "已理解", "fr": "Compris", "ja": "理解しました", "ar": "مفهوم"}


@pytest.fixture(scope="module")
def served() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def desk(tmp_path: Path, served: ScriptedModel) -> Desk:
    served.seen.clear()
    return Desk(root=tmp_path, model=served)


def understood(goal: dict[str, Any], **more: Any) -> dict[str, Any]:
    return intent(WORDS[goal["lang"]], language=goal["lang"], **more)


def planned(goal: dict[str, Any]) -> dict[str, Any]:
    """Return a plan of the least sensible size: people are asked, the last step reports."""
    count = max(goal["min_tasks"] or 1, 1)
    asked = [ask_person(f"part_{number}", WORDS[goal["lang"]]) for number in range(1, count)]
    body = "\n".join("{{ text(" + f"{each['id']}_answer" + ") }}" for each in asked)
    last = step(
        "last", "report", {"title": WORDS[goal["lang"]], "body": body or "hello world"}, outputs={"report": "html"}
    )
    return wire(*asked, last, result=["report"])


def test_the_corpus_is_here(corpora: Path):
    assert len(GOALS) >= 40
    assert set(ASKED) | CONTRADICTORY | set(REFUSED) | set(REJECTED) <= set(GOALS)


@pytest.mark.parametrize("key", sorted(set(GOALS) - set(ASKED) - CONTRADICTORY - set(REFUSED) - set(REJECTED)))
def test_a_goal_that_can_be_planned_gets_a_plan(desk: Desk, key: str):
    goal = GOALS[key]
    desk.model.respond(by_purpose(intent=understood(goal), draft=planned(goal)))
    made = desk.work(check_goal(goal["goal"]))
    assert isinstance(made, Expand)
    assert codes(made) == []
    assert len(made.plan["tasks"]) >= (goal["min_tasks"] or 1)
    assert key not in SMALL or len(made.plan["tasks"]) <= 3
    assert (made.plan["goal"], made.plan["intent"]["summary"]) == (goal["goal"].strip(), WORDS[goal["lang"]])
    assert goal["goal"].strip() in desk.model.calls[0].prompt


@pytest.mark.parametrize("key", sorted(set(ASKED) & set(GOALS)))
def test_a_goal_that_leaves_too_much_open_is_asked_about(desk: Desk, key: str):
    goal = GOALS[key]
    asked = question(f"{WORDS[goal['lang']]}: {ASKED[key]}?", "what")
    desk.model.respond(by_purpose(intent=understood(goal, verdict="ask", questions=[asked])))
    found = desk.work(check_goal(goal["goal"]))
    assert isinstance(found, Ask)
    assert found.schema["properties"]["what"]["title"].startswith(WORDS[goal["lang"]])
    assert desk.purposes == ["intent"]


@pytest.mark.parametrize("key", sorted(CONTRADICTORY & set(GOALS)))
def test_a_contradiction_is_named(desk: Desk, key: str):
    goal, named = GOALS[key], f"{WORDS[GOALS[key]['lang']]}: A and not A."
    desk.model.respond(by_purpose(intent=understood(goal, contradictions=[named])))
    found = desk.work(goal["goal"])
    assert isinstance(found, Ask)
    assert found.text == named


@pytest.mark.parametrize("key", sorted(set(REFUSED) & set(GOALS)))
def test_what_cannot_or_must_not_be_done_is_refused_with_the_reason(desk: Desk, key: str):
    goal, (verdict, code, missing) = GOALS[key], REFUSED[key]
    reason = f"{WORDS[goal['lang']]}: no."
    desk.model.respond(by_purpose(intent=understood(goal, verdict=verdict, reason=reason, missing_abilities=missing)))
    with pytest.raises(GoalRefused) as caught:
        desk.work(goal["goal"])
    told = sentence(caught.value.code, caught.value.params)
    assert caught.value.code == code
    assert all(words in told for words in [reason, *missing])


@pytest.mark.parametrize("key", sorted(set(REJECTED) & set(GOALS)))
def test_what_is_no_text_to_work_on_is_rejected_before_anything_is_asked(key: str):
    with pytest.raises(InputError, match=REJECTED[key]):
        check_goal(GOALS[key]["goal"])
