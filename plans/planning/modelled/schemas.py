"""The shapes a model answers in. Structured outputs allow no free-form objects, so these are flat; `wire` maps them.

Within the limits of structured outputs: every property required ("" and [] for nothing), no other properties, no
unions, no limits on length or size, enums of texts, no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from plans.core.jsontypes import JsonObject
from plans.core.kinds import ValueKind
from plans.core.spec import OnFailure

NOTHING_SPECIAL = "default"
LEVELS = ("high", "medium", "low")
VERDICTS = ("plan", "ask", "no_goal", "out_of_reach", "unsafe")


def _text(description: str = "") -> JsonObject:
    return {"type": "string", "description": description} if description else {"type": "string"}


def _list(items: JsonObject, description: str = "") -> JsonObject:
    found: JsonObject = {"type": "array", "items": items}
    return {**found, "description": description} if description else found


def _one_of(names: Sequence[str], description: str = "") -> JsonObject:
    return {**_text(description), "enum": list(names)}


def _object(**properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def intent() -> JsonObject:
    """Return what was understood of a goal, before anything is planned."""
    question = _object(
        id=_text("A short English identifier, such as topic or due_date."),
        text=_text("The question, in the language of the goal."),
        choices=_list(_text(), "Answers to choose from; empty when any text may be the answer."),
    )
    return _object(
        language=_text("Language tag of the goal: en, zh, fr …"),
        verdict=_one_of(VERDICTS),
        reason=_text("Why nothing is planned, for the person, in the language of the goal; empty for plan and ask."),
        missing_abilities=_list(_text(), "What the goal needs and no skill can do; short names."),
        contradictions=_list(_text(), "Each pair of demands that cannot both hold, in a sentence."),
        summary=_text("The goal in one sentence, in the language of the goal."),
        domain=_text(),
        expected_output=_text("What there will be at the end."),
        entities=_list(_object(name=_text(), value=_text())),
        constraints=_list(_text()),
        assumptions=_list(_text(), "What is taken for granted and may be wrong, in sentences a person can correct."),
        confidence=_one_of(LEVELS),
        questions=_list(question),
        size=_one_of(("small", "large"), "large: more than about twelve steps."),
    )


def parameter() -> JsonObject:
    return _object(
        name=_text(),
        kind=_one_of(("literal", "ref")),
        value=_text(
            'literal: JSON text, such as "\\"bar\\"", "5" or "{\\"a\\": 1}". ref: an expression without braces, '
            "such as sales or inputs.file."
        ),
    )


def task(skills: Sequence[str]) -> JsonObject:
    return _object(
        id=_text(),
        name=_text("A few words: what is done."),
        description=_text("How, and how to see that it is done."),
        milestone=_text("Id of its milestone, or empty."),
        skill=_one_of(skills),
        params=_list(parameter()),
        outputs=_list(_object(name=_text(), kind=_one_of([kind.value for kind in ValueKind]))),
        depends_on=_list(_text()),
        expected_output=_text(),
        run_if=_text("A condition in CEL, or empty."),
        for_each=_text("An expression that gives a list, or empty."),
        item_errors=_one_of(("stop", "report", "drop"), "What an item that fails means for the others."),
        expect=_list(_text(), "Conditions in CEL that hold when the step has done its work."),
        on_failure=_one_of((NOTHING_SPECIAL, *get_args(OnFailure))),
        fallback_skill=_text("A skill to try instead, or empty."),
        approval=_one_of(("auto", "always", "never")),
        risk=_one_of((NOTHING_SPECIAL, "low", "medium", "high")),
        confidence=_one_of(LEVELS),
        estimate_seconds={"type": "number", "description": "0 when unknown."},
        always_run={"type": "boolean", "description": "true only for tidying up that must happen after a failure too."},
        undo=_text("How the effect is undone, or empty."),
    )


def milestone() -> JsonObject:
    return _object(
        id=_text(),
        name=_text(),
        parent=_text("Id of the milestone it is part of, or empty."),
        done_when=_text("A condition in CEL on outputs of its steps, or empty."),
        approval=_one_of(("auto", "always"), "always: a person confirms it."),
    )


def plan(skills: Sequence[str]) -> JsonObject:
    """Return the shape of a whole plan over these skills."""
    return _object(
        summary=_text(),
        assumptions=_list(_text()),
        preconditions=_list(_object(text=_text(), check=_text("A condition in CEL, or empty."))),
        risks=_list(_text()),
        rollback=_text(),
        milestones=_list(milestone()),
        tasks=_list(task(skills)),
        result=_list(_text(), "Names of the outputs the person asked for."),
    )


def outline() -> JsonObject:
    """Return the shape of the first level of a large plan: milestones with what each must deliver."""
    delivered = _object(name=_text("Name of an output."), kind=_one_of([kind.value for kind in ValueKind]))
    part = _object(
        **milestone()["properties"],
        purpose=_text("What its steps must achieve, in two sentences."),
        after=_list(_text(), "Ids of the milestones whose results it needs."),
        delivers=_list(delivered),
    )
    return _object(
        summary=_text(),
        assumptions=_list(_text()),
        preconditions=_list(_object(text=_text(), check=_text())),
        risks=_list(_text()),
        rollback=_text(),
        milestones=_list(part),
        result=_list(_text()),
    )


def part(skills: Sequence[str]) -> JsonObject:
    """Return the shape of one milestone's steps."""
    return _object(assumptions=_list(_text()), tasks=_list(task(skills)))


def opinion() -> JsonObject:
    remark = _object(
        severity=_one_of(("warning", "info")),
        task=_text("Id of the step it is about, or empty."),
        text=_text("One sentence, in the language of the goal."),
    )
    return _object(fits=_one_of(("yes", "partly", "no")), remarks=_list(remark))


def arguments() -> JsonObject:
    return _object(
        can_be_mended={"type": "boolean"},
        why=_text("One sentence, in the language of the goal."),
        params=_list(parameter()),
    )
