"""Event: one line of a run's history, numbered without gaps. Correction: one try to put a failure right."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import EventKind
from plans.core.states import CorrectionKind
from plans.models.choices import choices, one_of
from plans.models.runs import Run


class Event(models.Model):
    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="events")
    seq = models.BigIntegerField(_("number"))
    at = models.DateTimeField(_("time"))
    kind = models.CharField(_("kind"), max_length=30, choices=[(k.value, k.value) for k in EventKind])
    task_key = models.CharField(_("task"), max_length=200, blank=True)
    attempt = models.IntegerField(_("attempt"), null=True, blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("actor"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    # code + params, at most 4 KB
    data = models.JSONField(_("data"), default=dict, blank=True)

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["run", "seq"]
        constraints = [
            models.UniqueConstraint(fields=["run", "seq"], name="event_seq_unique"),
            one_of("kind", EventKind, "event_kind_in_enum"),
            models.CheckConstraint(condition=models.Q(seq__gte=1), name="event_seq_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}#{self.seq} {self.kind}"


class Correction(models.Model):
    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="corrections")
    task_key = models.CharField(_("task"), max_length=200)
    attempt = models.IntegerField(_("attempt"), default=0)
    kind = models.CharField(_("kind"), max_length=20, choices=choices(CorrectionKind))
    # task, class and message without what varies: `core.ladder.problem`
    problem = models.CharField(max_length=64)
    error = models.JSONField(_("error"), default=dict, blank=True)
    # what a person said the step should mind
    hint = models.TextField(_("hint"), blank=True)
    # empty: the engine's own, which are limited
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("by"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    created_at = models.DateTimeField(_("time"), auto_now_add=True)

    class Meta:
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        ordering = ["id"]
        constraints = [one_of("kind", CorrectionKind, "correction_kind_in_enum")]
        indexes = [models.Index(fields=["run", "problem"], name="correction_by_problem")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.task_key} {self.kind}"
