"""Forms of decisions: the digest says what the person saw."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_COMMENT = 4000
DIGEST = r"^[0-9a-f]{64}$"


class CommentForm(forms.Form):
    comment = forms.CharField(
        label=_("Comment (optional)"),
        required=False,
        max_length=LONGEST_COMMENT,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )


class PlanForm(CommentForm):
    """`graph_hash` names the revision the person saw."""

    graph_hash = forms.RegexField(regex=DIGEST, widget=forms.HiddenInput)


class ApprovalForm(CommentForm):
    digest = forms.RegexField(regex=DIGEST, widget=forms.HiddenInput)
    decision = forms.ChoiceField(choices=[("approve", ""), ("reject", "")])


class FailureForm(CommentForm):
    choice = forms.ChoiceField(choices=[("retry", ""), ("skip", ""), ("stop", "")])
