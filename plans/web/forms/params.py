"""Fields for the params of a skill, from its JSON Schema. A placeholder such as `{{ sales }}` fits in every one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.core import placeholders
from plans.core.catalogue import SkillInfo
from plans.core.compile.skills import subschemas
from plans.core.jsontypes import Json, JsonObject
from plans.web.forms.effect import holds_ref
from plans.wording import sentence

LONG_TEXT = 80
NUMBERS = {"integer", "number"}


class ParamFields:
    """The fields of one skill's params, called p0, p1 …; `kept` are values that nobody can type: files and tables."""

    def __init__(self, info: SkillInfo, given: Mapping[str, Json]) -> None:
        properties: JsonObject = info.params_schema.get("properties") or {}
        required = set(info.params_schema.get("required") or [])
        names = [*properties, *(name for name in given if name not in properties)]
        self.kept = {name: value for name, value in given.items() if holds_ref(value)}
        self.names = {f"p{index}": name for index, name in enumerate(names) if name not in self.kept}
        self.order = names
        self.fields = {
            key: _field(name, subschemas(info.params_schema, (name,)), given, required, properties.get(name) or {})
            for key, name in self.names.items()
        }

    def values(self, cleaned: Mapping[str, Any]) -> JsonObject:
        """Return the params as typed; what was left empty is left out."""
        typed = {name: cleaned.get(key, ABSENT) for key, name in self.names.items()}
        both = {**typed, **self.kept}
        return {name: both[name] for name in self.order if both.get(name, ABSENT) is not ABSENT}


class _Absent:
    """Stands for a param that is not given: `None` is a value of its own."""

    def __bool__(self) -> bool:
        return False


ABSENT = _Absent()


def _field(
    name: str, schemas: Sequence[JsonObject], given: Mapping[str, Json], required: set[str], words: Mapping[str, Any]
) -> forms.Field:
    value = given.get(name, ABSENT)
    schemas = [schema for schema in schemas if schema.get("type") != "null"]
    common: dict[str, Any] = {
        "label": name,
        "required": name in required,
        "help_text": words.get("description") or "",
        "error_messages": {"required": sentence("form_value_missing")},
    }
    choices = _choices(schemas)
    if choices is not None and (value is ABSENT or value in choices or value is None):
        return _Choice(choices, value, **common)
    return _Typed(schemas, value, **common)


def _choices(schemas: Sequence[JsonObject]) -> list[Json] | None:
    """Return the values to choose from, when the schema names them all."""
    found: list[Json] = []
    for schema in schemas:
        if isinstance(schema.get("enum"), list):
            found += schema["enum"]
        elif schema.get("type") == "boolean":
            found += [True, False]
        else:
            return None
    return found or None


class _Choice(forms.ChoiceField):
    """Choices are JSON texts, so that 1, "1" and true stay apart."""

    def __init__(self, values: Sequence[Json], value: Any, **kwargs: Any) -> None:
        words = {True: _("Yes"), False: _("No")}
        options: list[tuple[str, Any]] = [
            (json.dumps(each), words[each] if isinstance(each, bool) else str(each)) for each in values
        ]
        blank = [] if kwargs["required"] else [("", "—")]
        initial = "" if value is ABSENT or value is None else json.dumps(value)
        super().__init__(choices=[*blank, *options], initial=initial, **kwargs)

    def clean(self, value: Any) -> Any:
        chosen = super().clean(value)
        return json.loads(chosen) if chosen else ABSENT


class _Typed(forms.CharField):
    """A text as it is, a number, or JSON: by what the schema takes. A placeholder is taken as it stands."""

    def __init__(self, schemas: Sequence[JsonObject], value: Any, **kwargs: Any) -> None:
        kinds = {_kind(schema) for schema in schemas} or {"any"}
        self.is_text, self.is_number = kinds <= {"string", "artifact"}, kinds <= NUMBERS
        self.takes_text = bool(kinds & {"string", "artifact", "any"})
        shown = self._shown(value)
        if not (self.is_text or self.is_number) and not kwargs["help_text"]:
            kwargs["help_text"] = _("JSON, or a placeholder")
        super().__init__(widget=self._widget(shown), initial=shown, strip=False, **kwargs)

    def _shown(self, value: Any) -> str:
        if value is ABSENT or (value is None and self.is_text):
            return ""
        if isinstance(value, str) and (self.is_text or placeholders.has_placeholder(value) or not _is_json(value)):
            return value
        return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict | list) else None)

    def _widget(self, shown: str) -> forms.Widget:
        if self.is_number:
            return forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        if self.is_text and len(shown) <= LONG_TEXT and "\n" not in shown:
            return forms.TextInput(attrs={"dir": "auto"})
        rows = min(14, 2 + shown.count("\n") + len(shown) // LONG_TEXT)
        attrs = {"dir": "auto"} if self.is_text else {"dir": "ltr", "spellcheck": "false"}
        return forms.Textarea(attrs={"rows": rows, **attrs})

    def clean(self, value: Any) -> Any:
        text = super().clean(value).replace("\r\n", "\n")
        if not text.strip():
            return ABSENT
        if self.is_text or text.strip().startswith(placeholders.OPEN):
            return text if self.is_text else text.strip()
        try:
            found = json.loads(text)
        except ValueError:
            return self._no_json(text)
        if self.is_number and (isinstance(found, bool) or not isinstance(found, int | float)):
            raise forms.ValidationError(sentence("form_not_a_number"))
        return found

    def _no_json(self, text: str) -> str:
        if self.is_number:
            raise forms.ValidationError(sentence("form_not_a_number"))
        # What begins like JSON was meant as JSON.
        if not self.takes_text or text.strip()[0] in '[{"':
            raise forms.ValidationError(sentence("form_not_json"))
        return text


def _kind(schema: Mapping[str, Any]) -> str:
    if "x-artifact" in schema:
        return "artifact"
    kind = schema.get("type")
    return kind if isinstance(kind, str) else "any"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
