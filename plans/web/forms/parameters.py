"""Step two of New run: a playbook's parameters, best guesses chosen, each guess with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from plans.core.errors import InputError
from plans.core.jsontypes import JsonObject
from plans.planning import playbooks
from plans.planning.definition import FileParameter
from plans.planning.playbooks import Field, InputErrors, Playbook
from plans.web.forms.attachments import Files
from plans.wording import sentence

PREFIX = "p"
LONG_TEXT = 200


class ParametersForm(forms.Form):
    """`is_valid` also resolves the inputs, so that every wrong field is named at once."""

    inputs: JsonObject

    def __init__(self, playbook: Playbook, goal: str, files: Files, data: Mapping[str, Any], *, bound: bool) -> None:
        """Fill the form from `data`; one that is not bound takes only the file over and guesses the rest anew."""
        super().__init__(data if bound else None, prefix=PREFIX)
        self.playbook, self.goal, self.attached = playbook, goal, files
        kept = [item.name for item in playbook.parameters if bound or isinstance(item, FileParameter)]
        given = {name: str(data[key]) for name in kept if (key := f"{PREFIX}-{name}") in data}
        for found in playbooks.fields(playbook, goal, files.profiles, given):
            self.fields[found.name] = make_field(found)

    def clean(self) -> JsonObject:
        # A field the browser did not send is guessed; one that was emptied counts as left out.
        sent = [name for name in self.fields if self.add_prefix(name) in self.data]
        given = {name: self.cleaned_data.get(name) or "" for name in sent}
        try:
            self.inputs = playbooks.resolve_inputs(
                self.playbook, given, self.attached.profiles, self.attached.references, self.goal
            )
        except InputErrors as errors:
            for name, error in errors.errors.items():
                self.add_error(name if name in self.fields else None, _sentence(error))
        return self.cleaned_data


def make_field(found: Field) -> forms.Field:
    """Return the form field of one parameter. Judging the value is `resolve_inputs`'s, so any text passes here."""
    parameter = found.parameter
    hints = [str(parameter.help) if parameter.help else "", found.guess.reason]
    common: dict[str, Any] = {
        "label": str(parameter.label),
        "required": False,
        "initial": found.value,
        "help_text": " ".join(filter(None, hints)),
    }
    if found.type in {"file", "column", "period", "choice"}:
        return _AnyChoiceField(widget=forms.Select, choices=_choices(found), **common)
    if found.type == "number":
        return forms.CharField(widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}), **common)
    if parameter.max_length > LONG_TEXT:
        return forms.CharField(widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}), **common)
    return forms.CharField(widget=forms.TextInput(attrs={"dir": "auto"}), **common)


def _choices(found: Field) -> list[tuple[str, str]]:
    choices = list(found.choices)
    if not found.parameter.required or not choices or found.value in (None, ""):
        choices.insert(0, ("", "—"))
    # A period that was typed in a goal may be none of those offered.
    if found.value and str(found.value) not in {value for value, _label in choices} and found.type == "period":
        choices.append((str(found.value), str(found.value)))
    return choices


class _AnyChoiceField(forms.ChoiceField):
    def valid_value(self, value: str) -> bool:
        return True


def _sentence(error: InputError) -> str:
    return sentence(error.code, error.params)
