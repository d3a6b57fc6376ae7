"""Mechanical fixes: applied to the plan they were found in, the finding is gone; what fits nowhere is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plans.core.compile import compile_plan
from plans.core.errors import InputError
from plans.core.fixing import apply_fix
from tests.core.compile.plans import CATALOGUE, task
from tests.core.compile.test_codes import FINDINGS


def fixable() -> list[str]:
    return [code for code, (_, _, made) in FINDINGS.items() if any(one.fix for one in made().findings)]


@pytest.mark.parametrize("code", fixable())
def test_after_its_fix_a_finding_is_gone(code: str):
    """field case: a fix button that does nothing, or breaks something else."""
    compiled = FINDINGS[code][2]()
    assert compiled.plan is not None
    plan = compiled.plan.model_dump(mode="json", by_alias=True)
    for finding in compiled.findings:
        if finding.code != code or not finding.fix or finding.task is None or code == "dependency_added":
            continue
        fixed = compile_plan(json.dumps(apply_fix(plan, finding.task, finding.fix)), CATALOGUE)
        same = [one for one in fixed.findings if (one.code, one.task) == (code, finding.task)]
        assert [one.params for one in same if one.params == finding.params] == []
        # What comes instead, if anything, has a button of its own.
        before = {one.code for one in compiled.findings}
        assert {one.code for one in fixed.findings if not one.fix} - before <= {"empty_milestone"}


def fixed(step: dict[str, Any], **fix: Any) -> dict[str, Any]:
    plan = apply_fix({"tasks": [task("other"), step]}, step["id"], {"value": None, "old": None, **fix})
    return plan["tasks"][1]


@pytest.mark.parametrize(
    ("step", "fix", "then"),
    [
        (task("a", depends_on=["x", "b"]), {"action": "replace", "field": "depends_on", "old": "x", "value": "b"},
         {"depends_on": ["b"]}),
        (task("a", depends_on=["x", "b"]), {"action": "remove", "field": "depends_on", "value": "x"}, {"depends_on": ["b"]}),
        (task("a"), {"action": "add", "field": "depends_on", "value": "b"}, {"depends_on": ["b"]}),
        (task("a", run_if="sale > 1 && sale < 9 && sales > 0"),
         {"action": "replace", "field": "run_if", "old": "sale", "value": "sales"},
         {"run_if": "sales > 1 && sales < 9 && sales > 0"}),
        (task("a", params={"value": "sale {{{{ {{ sale + t.sale }} sale"}),
         {"action": "replace", "field": "params.value", "old": "sale", "value": "sales"},
         {"params": {"value": "sale {{{{ {{ sales + t.sale }} sale"}}),
        (task("a", params={"value": {"list": ["{{ x }}"]}}),
         {"action": "replace", "field": "params.value.list.0", "old": "x", "value": "y"},
         {"params": {"value": {"list": ["{{ y }}"]}}}),
        (task("a", params={"a.b": {"c": 1}}), {"action": "replace", "field": "params.a.b.c", "value": 2},
         {"params": {"a.b": {"c": 2}}}),
        (task("a", params={"pth": 1, "other": 2}), {"action": "replace", "field": "params.path", "old": "pth", "value": 1},
         {"params": {"other": 2, "path": 1}}),
        (task("a", params={"value": "{{ a }} and {{ b"}),
         {"action": "replace", "field": "params.value", "old": "{{", "value": "{{{{"},
         {"params": {"value": "{{ a }} and {{{{ b"}}),
        (task("a", retries=50), {"action": "replace", "field": "retries", "value": 2}, {"retries": 2}),
        (task("a"), {"action": "add", "field": "run_if", "value": "x != null"}, {"run_if": "x != null"}),
    ],
)  # fmt: skip
def test_a_fix_changes_only_what_it_names(step: dict[str, Any], fix: dict[str, Any], then: dict[str, Any]):
    before = json.dumps(step)
    assert fixed(step, **fix) == {**step, **then}
    assert json.dumps(step) == before


@pytest.mark.parametrize(
    "fix",
    [
        {"action": "paint", "field": "name"},
        {"action": "replace", "field": "params.value.deeper", "value": 1},
        {"action": "replace", "field": "depends_on.7", "value": "b"},
    ],
)
def test_a_fix_that_fits_nowhere_is_refused(fix: dict[str, Any]):
    with pytest.raises(InputError) as caught:
        fixed(task("a", params={"value": "text"}, depends_on=[]), **fix)
    assert caught.value.code == "fix_not_applicable"


def test_a_fix_of_a_step_that_is_gone_is_refused():
    with pytest.raises(InputError) as caught:
        apply_fix({"tasks": []}, "a", {"action": "remove", "field": "run_if"})
    assert caught.value.code == "step_unknown"
