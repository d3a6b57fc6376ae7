"""A form over the params of a step that waits for approval: words as words, structures as JSON."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.core.jsontypes import Json, JsonObject
from plans.core.values import is_ref
from plans.web.forms.decide import CommentForm, DigestField
from plans.wording import sentence

LONG_TEXT = 80


class EffectForm(CommentForm):
    """Fields are called p0, p1 … in the order of the params; files and tables cannot be typed and stay as they are."""

    digest = DigestField()

    def __init__(self, effect: JsonObject, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        given: JsonObject = effect.get("params") or {}
        self.kept = {name: value for name, value in given.items() if holds_ref(value)}
        self.names = {f"p{index}": name for index, name in enumerate(given) if name not in self.kept}
        for key, name in self.names.items():
            self.fields[key] = make_field(name, given[name])
        self.order_fields([*self.names, "comment"])
        self.order = list(given)

    def params(self) -> JsonObject:
        """Return the params as typed, in their own order."""
        typed = {name: self.cleaned_data[key] for key, name in self.names.items()} | self.kept
        return {name: typed[name] for name in self.order}


def holds_ref(value: Json) -> bool:
    """Tell whether a file or table is somewhere in `value`."""
    if is_ref(value):
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(holds_ref(each) for each in inner)


def make_field(name: str, value: Json) -> forms.Field:
    """Return the field for one param by the kind of its value."""
    common: dict[str, Any] = {"label": name, "required": False, "initial": value}
    if isinstance(value, str):
        rows = min(12, 2 + value.count("\n") + len(value) // LONG_TEXT)
        is_long = len(value) > LONG_TEXT or "\n" in value
        widget = (
            forms.Textarea(attrs={"rows": rows, "dir": "auto"}) if is_long else forms.TextInput(attrs={"dir": "auto"})
        )
        return forms.CharField(widget=widget, strip=False, **common)
    common["initial"] = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, (dict, list)) else None)
    return _JsonText(help_text="" if isinstance(value, (int, float)) else _("JSON"), **common)


class _JsonText(forms.CharField):
    """A value that is no text: shown and typed as JSON, so that 1, "1" and true stay apart."""

    widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "dir": "ltr"})

    def clean(self, value: Any) -> Any:
        text = super().clean(value).strip()
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise forms.ValidationError(sentence("form_not_json")) from None
