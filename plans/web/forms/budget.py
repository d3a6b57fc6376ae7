"""The decision about a budget that is reached (money, tokens or time): raise it by an amount, or stop the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.engine.runs import default_budget
from plans.web.forms.decide import CommentForm
from plans.web.forms.limits import MOST_USD, money
from plans.wording import sentence

MOST_TOKENS = 10**12
MOST_MINUTES = 60 * 24 * 365
USUAL_TOKENS = 1_000_000
USUAL_MINUTES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What is asked for: `name` is the key of the cleaned value, `times` what one of the unit counts as."""

    name: str
    label: Any
    usual: Callable[[], str]
    most: Decimal | int
    times: int = 1
    is_whole: bool = True


USD = Unit(
    name="usd",
    label=_("Raise by (USD)"),
    usual=lambda: money(default_budget() or Decimal(1)),
    most=MOST_USD,
    is_whole=False,
)
TOKENS = Unit(name="tokens", label=_("Raise by (tokens)"), usual=lambda: str(USUAL_TOKENS), most=MOST_TOKENS)
MINUTES = Unit(
    name="seconds", label=_("Raise by (minutes)"), usual=lambda: str(USUAL_MINUTES), most=MOST_MINUTES, times=60
)
UNITS = {"budget_tokens_reached": TOKENS, "budget_seconds_reached": MINUTES, "deadline_reached": MINUTES}


class BudgetForm(CommentForm):
    """`usd`, `tokens` or `seconds` give what to raise by: what the run has reached decides which of them is asked for."""

    choice = forms.ChoiceField(choices=[("raise", ""), ("stop", "")], required=False)
    amount = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "class": "num"})
    )

    def __init__(self, content: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.unit = UNITS.get(str((content.get("error") or {}).get("code")), USD)
        field = self.fields["amount"]
        field.label, field.initial = self.unit.label, self.unit.usual()

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data |= {"usd": None, "tokens": None, "seconds": None}
        if data.get("choice") == "raise" and not self.errors:
            try:
                data[self.unit.name] = self._amount(data["amount"])
            except forms.ValidationError as error:
                self.add_error("amount", error)
        return data

    def _amount(self, text: str) -> Decimal | int:
        text = text.replace(" ", "").replace("\u00a0", "").removeprefix("$")
        try:
            amount = Decimal(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except InvalidOperation:
            raise forms.ValidationError(sentence("form_not_a_number")) from None
        if not amount.is_finite() or not 0 < amount <= self.unit.most:
            raise forms.ValidationError(sentence("raise_out_of_range", {"most": self.unit.most}))
        amount *= self.unit.times
        return int(amount) if self.unit.is_whole else amount.quantize(Decimal("0.0001"))
