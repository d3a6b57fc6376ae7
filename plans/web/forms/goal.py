"""The New run form: goal, autonomy and the one-time token that makes a doubled POST one run."""

from __future__ import annotations

import re
import secrets
import zoneinfo
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from plans.core.states import Autonomy
from plans.models.choices import choices
from plans.wording import sentence

LONGEST_GOAL = 8000
TOKEN = r"[A-Za-z0-9_-]{16,64}"  # noqa: S105


class GoalForm(forms.Form):
    """Step one. `token`, `time_zone` and `playbook` travel hidden."""

    goal = forms.CharField(
        label=_("Goal"),
        required=False,
        help_text=_("Any language, up to 8,000 characters."),
        widget=forms.Textarea(attrs={"rows": 4, "class": "goal", "dir": "auto"}),
    )
    autonomy = forms.ChoiceField(
        label=_("When should Forethought ask you?"), widget=forms.RadioSelect, initial=Autonomy.RISKY_STEPS
    )
    token = forms.CharField(required=False, widget=forms.HiddenInput)
    time_zone = forms.CharField(required=False, widget=forms.HiddenInput(attrs={"data-time-zone": ""}), initial="UTC")
    playbook = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        allowed = [member for member in Autonomy if member != Autonomy.UNATTENDED or user.has_perm("plans.unattended")]
        words = dict(choices(Autonomy))
        self.fields["autonomy"].choices = [(member.value, words[member.value]) for member in allowed]  # type: ignore[attr-defined]
        self.initial.setdefault("token", secrets.token_urlsafe(24))

    def clean_goal(self) -> str:
        """Count code points as the person sees them: browsers send a line break as two characters."""
        goal = self.cleaned_data["goal"].replace("\r\n", "\n").strip()
        if not goal:
            raise forms.ValidationError(sentence("goal_empty"))
        if len(goal) > LONGEST_GOAL:
            raise forms.ValidationError(sentence("goal_too_long", {"limit": LONGEST_GOAL, "length": len(goal)}))
        return str(goal)

    def clean_token(self) -> str:
        token = str(self.cleaned_data["token"])
        return token if re.fullmatch(TOKEN, token) else secrets.token_urlsafe(24)

    def clean_time_zone(self) -> str:
        """An unknown zone is no reason to refuse a goal."""
        name = self.cleaned_data["time_zone"]
        return name if name in zoneinfo.available_timezones() else "UTC"
