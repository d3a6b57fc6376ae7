"""A form over one step of a plan: its words, its skill's params, what it waits for, and how it may fail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.jsontypes import JsonObject
from plans.core.kinds import Approval, Risk, ValueKind
from plans.core.spec import TaskSpec
from plans.web.forms.params import ParamFields
from plans.web.shown.plan import ON_FAILURE
from plans.web.shown.states import RISKS
from plans.wording import sentence

LONGEST_JSON = 200_000
WAYS = get_args(get_args(TaskSpec.model_fields["on_failure"].annotation)[0])
APPROVALS = {Approval.AUTO: _("when the autonomy asks for it"), Approval.ALWAYS: _("always")}
WORDS = ("name", "description", "expected_output")
MORE = ("milestone", "run_if", "expect", "approval", "risk", "on_failure", "retries", "timeout_seconds", "undo")


class StepForm(forms.Form):
    """`step()` gives the fields of the plan's task. `shown_skill` tells which skill's params the browser showed."""

    name = forms.CharField(label=_("Name"), max_length=500, widget=forms.TextInput(attrs={"dir": "auto"}))
    description = forms.CharField(
        label=_("Description"), required=False, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"})
    )
    skill = forms.ChoiceField(label=_("Skill"))
    after = forms.MultipleChoiceField(
        label=_("Starts after"), required=False, widget=forms.CheckboxSelectMultiple, help_text=_("None: at once.")
    )
    outputs = forms.CharField(
        label=_("Outputs"),
        required=False,
        help_text=_("One a line: name and kind, such as “monthly table”."),
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "dir": "ltr"}),
    )
    expected_output = forms.CharField(label=_("Gives"), required=False, widget=forms.TextInput(attrs={"dir": "auto"}))
    milestone = forms.ChoiceField(label=_("Milestone"), required=False)
    run_if = forms.CharField(label=_("Runs only if"), required=False, widget=forms.TextInput(attrs={"dir": "ltr"}))
    expect = forms.CharField(
        label=_("Checks, one a line"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "dir": "ltr"}),
    )
    approval = forms.ChoiceField(label=_("Asks before it starts"), choices=list(APPROVALS.items()))
    risk = forms.ChoiceField(
        label=_("Risk"), required=False, choices=[("", _("as the skill has it")), *((r.value, RISKS[r]) for r in Risk)]
    )
    on_failure = forms.ChoiceField(
        label=_("If it fails"), required=False, choices=[("", _("as usual")), *((w, ON_FAILURE[w]) for w in WAYS)]
    )
    retries = forms.IntegerField(label=_("Retries"), required=False, min_value=0, max_value=100)
    timeout_seconds = forms.IntegerField(
        label=_("Longest run time in seconds"), required=False, min_value=1, max_value=86_400
    )
    undo = forms.CharField(label=_("Undo"), required=False, widget=forms.TextInput(attrs={"dir": "auto"}))

    def __init__(self, plan: Mapping[str, Any], step: Mapping[str, Any], catalogue: Catalogue, *args: Any) -> None:
        """`step` is the step as it is; with POST data the skill it names decides which params are asked for."""
        super().__init__(*args)
        self.step_before = step
        for name in ("retries", "timeout_seconds"):
            # A browser's number field throws away what it cannot read.
            self.fields[name].widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
            self.fields[name].error_messages["invalid"] = sentence("form_not_whole")
        chosen = str(self.data.get("skill") or step.get("skill") or "")
        self._choose(plan, step, catalogue, chosen)
        info = catalogue.get(chosen) or SkillInfo(name=chosen)
        self.info = info
        self.is_other_skill = self.is_bound and self.data.get("shown_skill") != chosen
        given: JsonObject = step.get("params") or {}
        if chosen != step.get("skill"):
            # What the skill before was given and this one does not know would only be in the way.
            given = {
                name: value for name, value in given.items() if name in (info.params_schema.get("properties") or {})
            }
        self.params = ParamFields(info, given)
        self.fields.update(self.params.fields)
        self.initial = _initial(step)

    def _choose(self, plan: Mapping[str, Any], step: Mapping[str, Any], catalogue: Catalogue, chosen: str) -> None:
        names = sorted({*catalogue, *([chosen] if chosen and chosen == step.get("skill") else [])})
        self.fields["skill"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
        others = [row for row in plan["tasks"] if row["id"] != step.get("id")]
        milestones = plan.get("milestones") or []
        options = [(row["id"], row.get("name") or row["id"]) for row in [*others, *milestones]]
        known = {key for key, _name in options}
        # What it waits for and is not there can only be taken away when it is shown.
        options += [
            (key, _("%(name)s (missing)") % {"name": key}) for key in step.get("depends_on") or [] if key not in known
        ]
        self.fields["after"].choices = options  # type: ignore[attr-defined]
        rows = [(row["id"], row.get("name") or row["id"]) for row in milestones]
        self.fields["milestone"].choices = [("", "—"), *rows]  # type: ignore[attr-defined]

    @property
    def param_fields(self) -> list[forms.BoundField]:
        return [self[key] for key in self.params.names]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in MORE]

    @property
    def has_more(self) -> bool:
        """Whether a field among those that are folded away is wrong."""
        return any(self[name].errors for name in MORE)

    def clean_outputs(self) -> dict[str, str]:
        outputs: dict[str, str] = {}
        for line in self.cleaned_data["outputs"].splitlines():
            words = line.replace(":", " ").split()
            if not words:
                continue
            name, kind = words[0], words[-1] if len(words) > 1 else ValueKind.JSON.value
            if len(words) > 2 or kind not in set(ValueKind):
                known = ", ".join(ValueKind)
                raise forms.ValidationError(sentence("output_line_wrong", {"line": line.strip(), "kinds": known}))
            outputs[name] = kind
        return outputs

    def step(self) -> JsonObject:
        """Return the fields of the step as typed."""
        data = self.cleaned_data
        typed: JsonObject = {name: data[name].replace("\r\n", "\n").strip() for name in WORDS}
        typed |= {name: data[name] or None for name in ("milestone", "run_if", "risk", "on_failure")}
        typed |= {name: data[name] for name in ("skill", "approval", "outputs", "retries", "timeout_seconds")}
        typed["expect"] = [line.strip() for line in data["expect"].splitlines() if line.strip()]
        typed["depends_on"] = list(data["after"])
        typed["params"] = self.params.values(data)
        undo = self.step_before.get("undo")
        # An undo with a structure of its own is kept unless its words were changed.
        typed["undo"] = undo if undo and _undo_text(undo) == data["undo"] else data["undo"].strip() or None
        return typed


class StepJsonForm(forms.Form):
    """The whole step as JSON, for what the form has no field for."""

    text = forms.CharField(
        label=_("The step as JSON"),
        strip=False,
        max_length=LONGEST_JSON,
        widget=forms.Textarea(attrs={"rows": 20, "class": "code", "spellcheck": "false", "dir": "ltr"}),
    )

    def clean_text(self) -> JsonObject:
        try:
            found = json.loads(self.cleaned_data["text"])
        except ValueError:
            raise forms.ValidationError(sentence("form_not_json")) from None
        if not isinstance(found, dict):
            raise forms.ValidationError(sentence("form_not_an_object"))
        return found


def as_json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _initial(step: Mapping[str, Any]) -> JsonObject:
    shown = {name: step.get(name) or "" for name in (*WORDS, "skill", "milestone", "run_if", "risk", "on_failure")}
    outputs = step.get("outputs") or {}
    return {
        **shown,
        "name": step.get("name") or step.get("id") or "",
        "after": list(step.get("depends_on") or []),
        "outputs": "\n".join(f"{name} {kind}" for name, kind in outputs.items()),
        "expect": "\n".join(step.get("expect") or []),
        "approval": step.get("approval") if step.get("approval") in APPROVALS else Approval.AUTO.value,
        "retries": step.get("retries"),
        "timeout_seconds": step.get("timeout_seconds"),
        "undo": _undo_text(step.get("undo")),
    }


def _undo_text(undo: Any) -> str:
    return undo if isinstance(undo, str) else "" if undo is None else json.dumps(undo, ensure_ascii=False)
