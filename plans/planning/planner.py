"""The planning task: a playbook and its inputs become a compiled plan."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from plans.core.catalogue import Catalogue
from plans.core.circumstances import NOTHING_KNOWN, Circumstances
from plans.core.compile import compile_plan
from plans.core.errors import NoPlaybook
from plans.core.expressions import evaluate
from plans.core.jsontypes import Json, JsonObject
from plans.core.placeholders import render
from plans.core.skill import Ask, Context, Expand
from plans.planning.builders import build
from plans.planning.definition import FileParameter, PeriodParameter, Playbook, get
from plans.planning.inputs import fields
from plans.planning.modelled import stages

# Words about a task that may hold inputs; params and conditions are rendered when the task runs.
_TASK_WORDS = ("name", "description", "expected_output")


def plan(
    params: Mapping[str, Any],
    catalogue: Catalogue,
    context: Context | None = None,
    circumstances: Circumstances = NOTHING_KNOWN,
) -> Expand | Ask:
    """Do a piece of planning work: with the playbook that was chosen, else with the model that is connected.

    Raises NoPlaybook when there is neither, and what `modelled.stages.perform` raises.
    """
    is_first = params.get("stage", "plan") == "plan"
    if is_first and params.get("playbook"):
        return from_playbook(params, catalogue, circumstances)
    if context is None or context.model is None:
        raise NoPlaybook("no_playbook" if is_first else "no_model_to_plan")
    return stages.perform(params, catalogue, context, circumstances)


def from_playbook(
    params: Mapping[str, Any], catalogue: Catalogue, circumstances: Circumstances = NOTHING_KNOWN
) -> Expand:
    """Plan `{"goal", "playbook", "inputs"}` with its playbook. Raises NoPlaybook."""
    drafted = draft(get(str(params["playbook"])), str(params.get("goal") or ""), dict(params.get("inputs") or {}))
    compiled = compile_plan(drafted, catalogue, circumstances)
    if compiled.is_acceptable and compiled.plan:
        # Templates leave out the dependencies that references imply; written out they are no repair to read about.
        compiled = compile_plan(compiled.plan, catalogue, circumstances)
    accepted = compiled.plan.model_dump(mode="json", by_alias=True) if compiled.plan else drafted
    return Expand(plan=accepted, findings=tuple(compiled.findings), notes=compiled.summary())


def draft(playbook: Playbook, goal: str, inputs: JsonObject) -> JsonObject:
    """Return the playbook's plan for these inputs, not yet compiled."""
    made = {"schema": 1, "goal": goal, **copy.deepcopy(playbook.plan)}
    if playbook.builder:
        made = build(playbook.builder, made, inputs)
    intent = {"assumptions": [], "entities": {}, **made.get("intent", {})}
    intent["assumptions"] = _assumptions(playbook, goal, inputs) + intent["assumptions"]
    intent["entities"] = {"playbook": playbook.name, **intent["entities"]}
    made["intent"] = _said(intent, inputs)
    for task in made["tasks"]:
        task.update({key: _said(task[key], inputs) for key in _TASK_WORDS if key in task})
    return made


def _said(value: Json, inputs: JsonObject) -> Any:
    """Render words about the plan at once: nothing but `inputs` is known yet."""
    return render(value, lambda expression: evaluate(expression, {"inputs": inputs}))


def _assumptions(playbook: Playbook, goal: str, inputs: JsonObject) -> list[str]:
    """Say what each input is and, where it was guessed, why: a person corrects what is wrong."""
    files = [p.name for p in playbook.parameters if isinstance(p, FileParameter) and inputs.get(p.name)]
    profiles = {key: inputs[key].get("meta") or {} for key in files}
    given = {key: _as_given(value) for key, value in inputs.items()} | {key: key for key in files}
    said: list[str] = []
    for field in fields(playbook, goal, profiles, given):
        value = inputs.get(field.name)
        if value is None:
            continue
        reason = field.guess.reason if field.name not in files else ""
        sentence = _said(field.parameter.says, inputs)
        if isinstance(field.parameter, PeriodParameter) and (reason or value.get("from")):
            sentence = f"Period: {value['label']}."
        if sentence:
            said.append(f"{sentence} {reason}".strip())
    return said


def _as_given(value: Json) -> Json:
    """Return what a form would have sent: a period's text form stands for its bounds."""
    return value.get("value") if isinstance(value, dict) else value
