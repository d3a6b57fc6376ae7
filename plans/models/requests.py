"""Request: something a person must decide or answer."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from plans.core.states import RequestKind, RequestState
from plans.models.choices import choices, one_of
from plans.models.runs import Run
from plans.models.tasks import Task


class Request(models.Model):
    uuid = models.UUIDField(_("id"), default=uuid.uuid4, unique=True, editable=False)
    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="request_rows")
    task = models.ForeignKey(
        Task, verbose_name=_("task"), null=True, blank=True, on_delete=models.CASCADE, related_name="request_rows"
    )
    kind = models.CharField(_("kind"), max_length=20, choices=choices(RequestKind))
    state = models.CharField(_("state"), max_length=10, choices=choices(RequestState), default=RequestState.OPEN)
    # tells several questions of one task apart
    key = models.CharField(max_length=100, default="main")
    # sha256 of what will happen; a decision names it and a changed one is refused
    digest = models.CharField(_("digest"), max_length=64, blank=True)
    # what is shown: code + params, the exact effect, choices, JSON Schema of a question
    content = models.JSONField(_("content"), default=dict)
    schema = models.JSONField(null=True, blank=True)
    decision = models.CharField(_("decision"), max_length=30, blank=True)
    answer = models.JSONField(_("answer"), null=True, blank=True)
    comment = models.TextField(_("comment"), blank=True)
    assignees = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="assigned_requests")
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="decisions"
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)
    consumed_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(_("deadline"), null=True, blank=True)
    default = models.JSONField(null=True, blank=True)

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        ordering = ["id"]
        constraints = [
            one_of("state", RequestState, "request_state_in_enum"),
            one_of("kind", RequestKind, "request_kind_in_enum"),
            models.UniqueConstraint(
                fields=["task", "kind", "key"], condition=Q(state="open"), name="request_one_open_per_task"
            ),
            models.CheckConstraint(
                condition=~Q(state="decided") | Q(decided_at__isnull=False), name="request_decided_has_time"
            ),
        ]
        indexes = [models.Index(fields=["run", "state"], name="request_by_run")]

    def __str__(self) -> str:
        return f"{self.kind} {self.uuid}"
