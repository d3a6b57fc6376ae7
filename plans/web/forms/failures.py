"""Forms of decisions about a failed step: other params, a hint, what it should have made."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.core.catalogue import SkillInfo
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ARTIFACT_KINDS, ValueKind
from plans.engine.failures import HINT_LIMIT
from plans.web.forms.decide import CommentForm, DigestField
from plans.web.forms.params import ParamFields
from plans.wording import sentence

FILES = {
    ValueKind.TABLE: _("A file such as CSV; it is read as load_file reads it."),
    ValueKind.IMAGE: _("An image file."),
    ValueKind.HTML: _("An HTML file."),
    ValueKind.FILE: _("Any file."),
}
WORDS = {
    ValueKind.JSON: _("JSON"),
    ValueKind.LIST: _("JSON: a list, such as [1, 2]"),
    ValueKind.OBJECT: _("JSON: an object, such as {\"a\": 1}"),
}  # fmt: skip


class SeenForm(CommentForm):
    """`digest` is that of the request as it was shown; a step that has failed for good has none."""

    digest = DigestField(required=False)


class ChangesForm(SeenForm):
    """The params of the step as the plan has them."""

    def __init__(self, info: SkillInfo, given: Mapping[str, Json], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params = ParamFields(info, given)
        self.fields.update(self.params.fields)
        self.order_fields([*self.params.fields, "comment"])

    def values(self) -> JsonObject:
        return self.params.values(self.cleaned_data)


class HintForm(SeenForm):
    hint = forms.CharField(
        label=_("What should it mind?"),
        required=False,
        max_length=HINT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )
    field_order = ("hint",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["comment"]

    def clean_hint(self) -> str:
        hint = str(self.cleaned_data["hint"]).strip()
        if not hint:
            raise forms.ValidationError(sentence("hint_empty"))
        return hint


class DoneForm(SeenForm):
    """Fields are called o0, o1 … in the order of the outputs; what is left empty is null."""

    def __init__(self, kinds: Mapping[str, ValueKind], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.names = {f"o{index}": name for index, name in enumerate(kinds)}
        self.kinds = dict(zip(self.names, kinds.values(), strict=True))
        for key, name in self.names.items():
            self.fields[key] = _output(name, self.kinds[key])
        self.order_fields([*self.names, "comment"])

    def values(self) -> JsonObject:
        return {
            self.names[key]: self.cleaned_data[key]
            for key, kind in self.kinds.items()
            if kind not in ARTIFACT_KINDS and self.cleaned_data[key] is not None
        }

    def uploads(self) -> dict[str, tuple[ValueKind, Any]]:
        """Return the kind and the uploaded file of each output that is one."""
        return {
            self.names[key]: (kind, self.cleaned_data[key])
            for key, kind in self.kinds.items()
            if kind in ARTIFACT_KINDS and self.cleaned_data[key]
        }

    def refuse(self, name: str | None, message: str) -> None:
        """Put the engine's objection next to the output it is about."""
        self.add_error(next((key for key, known in self.names.items() if known == name), None), message)


def _output(name: str, kind: ValueKind) -> forms.Field:
    common: dict[str, Any] = {"label": name, "required": False}
    if kind in ARTIFACT_KINDS:
        return forms.FileField(help_text=FILES[kind], **common)
    if kind == ValueKind.BOOLEAN:
        return forms.TypedChoiceField(
            choices=[("", "—"), ("true", _("Yes")), ("false", _("No"))],
            coerce=lambda text: text == "true",
            empty_value=None,
            **common,
        )
    if kind == ValueKind.TEXT:
        return _Text(widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}), strip=False, **common)
    return _Value(is_number=kind == ValueKind.NUMBER, help_text=WORDS.get(kind, ""), **common)


class _Text(forms.CharField):
    def clean(self, value: Any) -> Any:
        return super().clean(value).replace("\r\n", "\n") or None


class _Value(forms.CharField):
    """A number or JSON; a lone word is no JSON, and says so."""

    def __init__(self, *, is_number: bool, **kwargs: Any) -> None:
        self.is_number = is_number
        one_line = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
        lines = forms.Textarea(attrs={"rows": 3, "dir": "ltr", "spellcheck": "false"})
        super().__init__(widget=one_line if is_number else lines, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            found = json.loads(text)
        except ValueError:
            raise forms.ValidationError(self._objection()) from None
        if self.is_number and (
            isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found)
        ):
            raise forms.ValidationError(self._objection())
        return found

    def _objection(self) -> str:
        return sentence("form_not_a_number" if self.is_number else "form_not_json")
