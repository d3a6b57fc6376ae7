"""What a run may take, as fields of the New run form: money, time, tasks at once, and what the model gets to see."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from plans.engine.runs import Limits, default_budget
from plans.wording import sentence

MOST_USD = Decimal(1_000_000)
LEAST_USD = Decimal("0.01")
MOST_AT_ONCE = 1000
LOCAL = "%Y-%m-%dT%H:%M"
# The fields in the order of the form; hidden on its second step.
NAMES = ("budget_usd", "deadline", "tasks_at_once")


class LimitFields(forms.Form):
    """`limits()` gives the engine's value. A deadline is read in the zone that travels with the form."""

    budget_usd = forms.CharField(
        label=_("Budget in USD"),
        required=False,
        help_text=_("Stops and asks at this cost."),
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "class": "num"}),
    )
    deadline = forms.CharField(
        label=_("Deadline"), required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    tasks_at_once = forms.CharField(
        label=_("Tasks at once"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "class": "num"}),
    )
    model_sees_rows = forms.BooleanField(
        label=_("The model may see sample rows"),
        required=False,
        initial=True,
        help_text=_("Otherwise it gets names and types of columns only."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        usual = default_budget()
        if usual is not None:
            self.initial.setdefault("budget_usd", money(usual))
        if not settings.PLANS_MODEL_SEES_ROWS:
            del self.fields["model_sees_rows"]

    def limits(self) -> Limits:
        """Return what was asked for; the form is valid."""
        data = self.cleaned_data
        return Limits(budget_usd=data["budget_usd"], deadline_at=data["deadline"], tasks_at_once=data["tasks_at_once"])

    @property
    def sees_rows(self) -> bool:
        return bool(self.cleaned_data.get("model_sees_rows"))

    def clean_budget_usd(self) -> Decimal | None:
        text = self.cleaned_data["budget_usd"].replace(" ", "").replace("\u00a0", "").removeprefix("$")
        if not text:
            return None
        try:
            usd = Decimal(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except InvalidOperation:
            raise forms.ValidationError(sentence("form_not_a_number")) from None
        if not usd.is_finite() or not LEAST_USD <= usd <= MOST_USD:
            raise forms.ValidationError(sentence("budget_out_of_range", {"least": LEAST_USD, "most": MOST_USD}))
        return usd.quantize(Decimal("0.0001"))

    def clean_tasks_at_once(self) -> int | None:
        text = self.cleaned_data["tasks_at_once"].strip()
        if not text:
            return None
        if not text.isascii() or not text.isdigit():
            raise forms.ValidationError(sentence("form_not_whole"))
        if not 1 <= int(text[:9]) <= MOST_AT_ONCE:
            raise forms.ValidationError(sentence("at_once_out_of_range", {"most": MOST_AT_ONCE}))
        return int(text)

    def clean_deadline(self) -> datetime | None:
        text = self.cleaned_data["deadline"].strip()
        if not text:
            return None
        try:
            typed = datetime.fromisoformat(text)
        except ValueError:
            raise forms.ValidationError(sentence("form_not_a_moment")) from None
        at = (typed if typed.tzinfo else typed.replace(tzinfo=self._zone())).astimezone(UTC)
        if at <= timezone.now():
            raise forms.ValidationError(sentence("deadline_past"))
        return at

    def _zone(self) -> zoneinfo.ZoneInfo:
        name = str(self.data.get("time_zone") or "")
        return zoneinfo.ZoneInfo(name if name in zoneinfo.available_timezones() else "UTC")


def money(usd: Decimal) -> str:
    """Return an amount as it is typed: two decimals, more only where they say something."""
    text = f"{usd:.4f}"
    return text.removesuffix("00")
