"""The decision about a budget that is reached: raise it by an amount, or stop the run."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from plans.engine.runs import default_budget
from plans.web.forms.decide import CommentForm
from plans.web.forms.limits import MOST_USD, money
from plans.wording import sentence

MOST_TOKENS = 10**12
USUAL_TOKENS = 1_000_000


class BudgetForm(CommentForm):
    """`usd` and `tokens` give what to raise by: what the run has reached decides which of them is asked for."""

    choice = forms.ChoiceField(choices=[("raise", ""), ("stop", "")], required=False)
    amount = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "class": "num"})
    )

    def __init__(self, content: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        code = str((content.get("error") or {}).get("code"))
        self.counts_tokens = code == "budget_tokens_reached"
        field = self.fields["amount"]
        field.label = _("Raise by (tokens)") if self.counts_tokens else _("Raise by (USD)")
        field.initial = str(USUAL_TOKENS) if self.counts_tokens else money(default_budget() or Decimal(1))

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["usd"], data["tokens"] = None, None
        if data.get("choice") == "raise" and not self.errors:
            try:
                data["tokens" if self.counts_tokens else "usd"] = self._amount(data["amount"])
            except forms.ValidationError as error:
                self.add_error("amount", error)
        return data

    def _amount(self, text: str) -> Decimal | int:
        text = text.replace(" ", "").replace("\u00a0", "").removeprefix("$")
        try:
            amount = Decimal(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
        except InvalidOperation:
            raise forms.ValidationError(sentence("form_not_a_number")) from None
        most = MOST_TOKENS if self.counts_tokens else MOST_USD
        if not amount.is_finite() or not 0 < amount <= most:
            raise forms.ValidationError(sentence("raise_out_of_range", {"most": most}))
        return int(amount) if self.counts_tokens else amount.quantize(Decimal("0.0001"))
