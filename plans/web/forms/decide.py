"""Forms of decisions: the digest says what the person saw."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.wording import sentence

LONGEST_COMMENT = 4000
DIGEST = r"^[0-9a-f]{64}$"


class DigestField(forms.RegexField):
    """The digest of what the person saw."""

    def __init__(self, *, required: bool = True) -> None:
        super().__init__(regex=DIGEST, widget=forms.HiddenInput, required=required)


class CommentForm(forms.Form):
    comment = forms.CharField(
        label=_("Comment (optional)"),
        required=False,
        max_length=LONGEST_COMMENT,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )


class ChangesForm(CommentForm):
    """What should be different about a plan."""

    def clean_comment(self) -> str:
        comment = str(self.cleaned_data["comment"]).strip()
        if not comment:
            raise forms.ValidationError(sentence("comment_empty"))
        return comment


class PlanForm(CommentForm):
    """`graph_hash` names the revision the person saw."""

    graph_hash = DigestField()


class ApprovalForm(CommentForm):
    digest = DigestField()
    decision = forms.ChoiceField(choices=[("approve", ""), ("reject", "")])


class FailureForm(CommentForm):
    digest = DigestField(required=False)
    choice = forms.ChoiceField(choices=[("retry", ""), ("skip", ""), ("stop", "")])
