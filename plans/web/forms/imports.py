"""The Import a plan form: pasted text or a file, judged by the compiler, not by the form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.web.shown.values import number
from plans.wording import sentence

LONGEST_PLAN = 2_000_000


class ImportForm(forms.Form):
    text = forms.CharField(
        label=_("Plan"),
        required=False,
        strip=False,
        help_text=_("A plan in JSON, as exported or as a model wrote it."),
        widget=forms.Textarea(attrs={"rows": 14, "class": "code", "spellcheck": "false"}),
    )
    file = forms.FileField(label=_("Or a plan file"), required=False, allow_empty_file=True)

    def clean(self) -> dict[str, Any]:
        """Put the plan's text, from wherever it came, into `text`."""
        data = self.cleaned_data
        if upload := data.get("file"):
            if upload.size > LONGEST_PLAN:
                self.add_error("file", sentence("plan_too_large", {"limit": number(LONGEST_PLAN)}))
                return data
            try:
                data["text"] = upload.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", sentence("plan_not_text"))
                return data
        if not (data.get("text") or "").strip():
            self.add_error("text", sentence("plan_empty"))
        elif len(data["text"]) > LONGEST_PLAN:
            self.add_error("text", sentence("plan_too_large", {"limit": number(LONGEST_PLAN)}))
        return data
