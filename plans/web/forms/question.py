"""A form made from the JSON Schema of a question: one field a property, texts kept as typed on any error."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core import validators
from django.utils.translation import gettext_lazy as _

from plans.core.jsontypes import Json, JsonObject
from plans.wording import sentence

LONG_TEXT = 200
FEW = 8


class QuestionForm(forms.Form):
    """Fields are called f0, f1 … because a property may have any name; `answer()` gives the JSON object back."""

    def __init__(self, schema: JsonObject, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        properties: JsonObject = schema.get("properties") or {}
        required = set(schema.get("required") or [])
        self.names = {f"f{index}": name for index, name in enumerate(properties)}
        self.schemas = {f"f{index}": part for index, part in enumerate(properties.values())}
        for key, name in self.names.items():
            self.fields[key] = make_field(name, self.schemas[key], name in required)

    def answer(self) -> JsonObject:
        """Return the answers by property; what was left empty and is not required is left out."""
        values = {self.names[key]: self.cleaned_data[key] for key in self.names}
        return {name: value for name, value in values.items() if value not in (None, "", [])}

    def refuse(self, name: str | None, message: str) -> None:
        """Put the engine's objection next to the field it is about."""
        key = next((key for key, known in self.names.items() if known == name), None)
        self.add_error(key, message)


def make_field(name: str, schema: Mapping[str, Any], required: bool) -> forms.Field:
    """Return the form field for one property: by enum, type and format."""
    common: dict[str, Any] = {
        "label": schema.get("title") or name,
        "help_text": schema.get("description") or "",
        "required": required,
        "initial": schema.get("default"),
        "error_messages": {"required": sentence("form_value_missing")},
    }
    kind = schema.get("type")
    if isinstance(schema.get("enum"), list):
        return _choice(schema["enum"], common)
    if kind == "array" and isinstance((schema.get("items") or {}).get("enum"), list):
        return _choice(schema["items"]["enum"], common, several=True)
    if kind == "boolean":
        return _choice([True, False], common)
    if kind in {"integer", "number"}:
        return _NumberField(whole=kind == "integer", limits=_limits(schema), **common)
    if schema.get("format") == "date":
        return _DateField(**common)
    return _text(schema, common)


def _text(schema: Mapping[str, Any], common: dict[str, Any]) -> forms.Field:
    is_long = schema.get("format") in {"multiline", "textarea"} or schema.get("maxLength", 0) > LONG_TEXT
    widget = forms.Textarea(attrs={"rows": 4, "dir": "auto"}) if is_long else forms.TextInput(attrs={"dir": "auto"})
    lengths: dict[str, Any] = {"min_length": schema.get("minLength"), "max_length": schema.get("maxLength")}
    return forms.CharField(widget=widget, strip=False, **lengths, **common)


def _limits(schema: Mapping[str, Any]) -> list[Any]:
    found = [validators.MinValueValidator(schema["minimum"])] if "minimum" in schema else []
    return found + ([validators.MaxValueValidator(schema["maximum"])] if "maximum" in schema else [])


def _choice(values: list[Json], common: dict[str, Any], several: bool = False) -> forms.Field:
    words = {True: _("Yes"), False: _("No")}
    options: list[tuple[str, Any]] = [
        (json.dumps(value), words[value] if isinstance(value, bool) else str(value)) for value in values
    ]
    initial = common["initial"]
    if several:
        common["initial"] = [json.dumps(value) for value in initial or []]
        return _JsonMultipleField(choices=options, widget=forms.CheckboxSelectMultiple, **common)
    common["initial"] = None if initial is None else json.dumps(initial)
    common["error_messages"] = {"required": sentence("form_choice_missing")}
    if len(options) <= FEW:
        return _JsonChoiceField(choices=options, widget=forms.RadioSelect, **common)
    return _JsonChoiceField(choices=[("", "—"), *options], **common)


class _JsonChoiceField(forms.ChoiceField):
    """Choices are JSON texts, so that 1, "1" and true stay apart."""

    def clean(self, value: Any) -> Any:
        chosen = super().clean(value)
        return json.loads(chosen) if chosen else None


class _JsonMultipleField(forms.MultipleChoiceField):
    def clean(self, value: Any) -> Any:
        return [json.loads(item) for item in super().clean(value)]


class _NumberField(forms.CharField):
    """A text field, since a browser's number field throws away what it cannot read."""

    def __init__(self, *, whole: bool, limits: list[Any], **kwargs: Any) -> None:
        self.whole, self.limits = whole, limits
        attrs = {"inputmode": "numeric" if whole else "decimal", "autocomplete": "off"}
        super().__init__(widget=forms.TextInput(attrs=attrs), **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value).replace("\u00a0", "").replace(" ", "")
        if not text:
            return None
        try:
            number = int(text) if self.whole else float(text)
        except ValueError:
            raise forms.ValidationError(sentence("form_not_whole" if self.whole else "form_not_a_number")) from None
        if not math.isfinite(number):
            raise forms.ValidationError(sentence("form_not_a_number"))
        for check in self.limits:
            check(number)
        return int(number) if number == int(number) else number


class _DateField(forms.DateField):
    def __init__(self, **kwargs: Any) -> None:
        kwargs["error_messages"] = {**kwargs.pop("error_messages"), "invalid": sentence("form_not_a_date")}
        super().__init__(widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"), **kwargs)

    def clean(self, value: Any) -> Any:
        found = super().clean(value)
        return found.isoformat() if found else None
