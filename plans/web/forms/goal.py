"""The New run form: goal, autonomy and the one-time token that makes a doubled POST one run."""

from __future__ import annotations

import re
import secrets
import unicodedata
import zoneinfo
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.states import Autonomy
from plans.models.choices import choices
from plans.web.forms.limits import NAMES, LimitFields
from plans.wording import sentence

LONGEST_GOAL = 8000
SHORTEST_GOAL = 10
TOKEN = r"[A-Za-z0-9_-]{16,64}"  # noqa: S105

HINTS: dict[str, Promise] = {
    Autonomy.EVERY_STEP: _("I approve each step before it starts"),
    Autonomy.RISKY_STEPS: _("I approve what writes, spends or is hard to undo"),
    Autonomy.PLAN_ONLY: _("I approve the plan, then it runs"),
    Autonomy.UNATTENDED: _("It runs at once; I look at the result"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One radio card."""

    value: str
    label: str
    hint: str | Promise
    is_checked: bool


def said_length(text: str) -> int:
    """Return the length of `text` as it is read: a Chinese, Japanese or Korean character says as much as two letters."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


class GoalForm(LimitFields):
    """Step one. `token`, `time_zone` and `playbook` travel hidden."""

    goal = forms.CharField(
        label=_("Goal"),
        required=False,
        help_text=_("Any language. Say what you want to have at the end."),
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

    @property
    def limit_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in NAMES]

    @property
    def cards(self) -> list[Card]:
        """Return the ways to run, for radio cards."""
        field = self.fields["autonomy"]
        chosen = str(self["autonomy"].value() or field.initial)
        return [
            Card(value=value, label=str(label), hint=HINTS[value], is_checked=value == chosen)
            for value, label in field.choices  # type: ignore[attr-defined]
        ]

    def clean_goal(self) -> str:
        """Count code points as the person sees them: browsers send a line break as two characters."""
        goal = self.cleaned_data["goal"].replace("\r\n", "\n").strip()
        if not goal:
            raise forms.ValidationError(sentence("goal_empty"))
        if len(goal) > LONGEST_GOAL:
            raise forms.ValidationError(sentence("goal_too_long", {"limit": LONGEST_GOAL, "length": len(goal)}))
        if said_length(goal) < SHORTEST_GOAL:
            raise forms.ValidationError(sentence("goal_too_short"))
        return str(goal)

    def clean_token(self) -> str:
        token = str(self.cleaned_data["token"])
        return token if re.fullmatch(TOKEN, token) else secrets.token_urlsafe(24)

    def clean_time_zone(self) -> str:
        """An unknown zone is no reason to refuse a goal."""
        name = self.cleaned_data["time_zone"]
        return name if name in zoneinfo.available_timezones() else "UTC"
