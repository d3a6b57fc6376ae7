"""The cost ledger: a row per model call. And which model does what, as an operator set it in the admin."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from plans.core.model import CallOutcome, Purpose
from plans.models.choices import choices, one_of
from plans.models.runs import Run
from plans.models.tasks import Task


class ModelCall(models.Model):
    """One call: what it was for, what it took, how it ended. `usd` is empty where the model's price is not known.

    While a call runs, and when its worker died, tokens and USD are the most it can have taken.
    """

    # a call of the Test button belongs to no run
    run = models.ForeignKey(
        Run, verbose_name=_("run"), null=True, blank=True, on_delete=models.CASCADE, related_name="model_calls"
    )
    task = models.ForeignKey(
        Task, verbose_name=_("task"), null=True, blank=True, on_delete=models.CASCADE, related_name="model_calls"
    )
    attempt = models.IntegerField(_("attempt"), null=True, blank=True)
    purpose = models.CharField(_("purpose"), max_length=20, choices=choices(Purpose))
    model = models.CharField(_("model"), max_length=100)
    outcome = models.CharField(_("outcome"), max_length=20, choices=choices(CallOutcome))
    # code of the error, when there was one
    problem = models.CharField(_("problem"), max_length=60, blank=True)
    request_id = models.CharField(_("request id"), max_length=100, blank=True)
    input_tokens = models.BigIntegerField(_("input tokens"), default=0)
    output_tokens = models.BigIntegerField(_("output tokens"), default=0)
    cache_write_tokens = models.BigIntegerField(_("cache write tokens"), default=0)
    cache_read_tokens = models.BigIntegerField(_("cache read tokens"), default=0)
    usd = models.DecimalField(_("USD"), max_digits=14, decimal_places=8, null=True, blank=True)
    tries = models.IntegerField(_("tries"), default=1)
    latency_ms = models.IntegerField(_("latency in ms"), default=0)
    # the exact text both ways, redacted
    request_text = models.TextField(_("request"), blank=True)
    reply_text = models.TextField(_("reply"), blank=True)
    thinking_text = models.TextField(_("thinking"), blank=True)
    # sha256 of the request, where its answer may be taken again
    request_hash = models.CharField(max_length=64, blank=True, editable=False)
    at = models.DateTimeField(_("time"), auto_now_add=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ["id"]
        constraints = [
            one_of("purpose", Purpose, "model_call_purpose_in_enum"),
            one_of("outcome", CallOutcome, "model_call_outcome_in_enum"),
        ]
        indexes = [
            models.Index(fields=["run", "id"], name="model_call_by_run"),
            models.Index(fields=["request_hash"], name="model_call_by_request", condition=~models.Q(request_hash="")),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.model}"


class ModelSettings(models.Model):
    """At most one row. What is empty comes from the environment, then from the defaults."""

    api_key = models.TextField(_("API key"), blank=True, editable=False)
    base_url = models.CharField(_("address of the endpoint"), max_length=500, blank=True)
    mode = models.CharField(_("structured output"), max_length=10, blank=True)
    plan_model = models.CharField(_("model for plans"), max_length=100, blank=True)
    hard_model = models.CharField(_("model for large goals"), max_length=100, blank=True)
    small_model = models.CharField(_("model for small calls"), max_length=100, blank=True)
    review = models.BooleanField(_("second opinion on each plan"), default=False)
    alternatives = models.BooleanField(_("offer alternatives"), default=False)

    class Meta:
        verbose_name = _("models")
        verbose_name_plural = _("models")

    def __str__(self) -> str:
        return "models"
