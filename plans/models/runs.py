"""Run: one go at a goal. Revision: one numbered version of its plan."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from plans.core.states import RUN_TERMINAL, Autonomy, RequestState, RunState
from plans.models.choices import choices, one_of
from plans.models.fields import OrderedJSONField

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class RunQuerySet(models.QuerySet["Run"]):
    def for_user(self, user: User | AnonymousUser) -> RunQuerySet:
        """Return the runs `user` may see: own ones, those that ask for this person, all with `plans.operate`."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.has_perm("plans.operate"):
            return self
        # A subquery and not a join with DISTINCT: PostgreSQL cannot compare the `json` columns of a run.
        asked = self.model.objects.filter(request_rows__assignees=user, request_rows__state=RequestState.OPEN)
        return self.filter(models.Q(owner=user) | models.Q(pk__in=asked.values("pk")))


class Run(models.Model):
    uuid = models.UUIDField(_("id"), default=uuid.uuid4, unique=True, editable=False)
    goal = models.TextField(_("goal"))
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, verbose_name=_("owner"), on_delete=models.PROTECT, related_name="runs"
    )
    state = models.CharField(_("state"), max_length=20, choices=choices(RunState), default=RunState.PLANNING)
    autonomy = models.CharField(_("autonomy"), max_length=20, choices=choices(Autonomy), default=Autonomy.RISKY_STEPS)
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    playbook = models.CharField(_("playbook"), max_length=100, blank=True)
    # name -> JSON or ArtifactRef: attachments and parameters, read as inputs.<name>
    inputs = OrderedJSONField(_("inputs"), default=dict, blank=True)
    # the form's one-time token: the same POST twice makes one run
    client_token = models.CharField(max_length=64, null=True, editable=False)  # noqa: DJ001
    origin = models.ForeignKey("self", verbose_name=_("origin"), null=True, blank=True, on_delete=models.SET_NULL)
    revision = models.ForeignKey(
        "plans.Revision", verbose_name=_("revision"), null=True, on_delete=models.PROTECT, related_name="+"
    )
    # constraints of the goal; empty: none
    budget_usd = models.DecimalField(_("budget in USD"), max_digits=12, decimal_places=4, null=True, blank=True)
    budget_tokens = models.BigIntegerField(_("budget in tokens"), null=True, blank=True)
    budget_seconds = models.PositiveIntegerField(_("budget in seconds"), null=True, blank=True)
    deadline_at = models.DateTimeField(_("deadline"), null=True, blank=True)
    # False: a model that plans this run is told names and types of the attached columns, no values
    model_sees_rows = models.BooleanField(_("the model sees sample rows"), default=True)
    tasks_at_once = models.PositiveIntegerField(_("tasks at once"), null=True, blank=True)
    seq = models.BigIntegerField(default=0, editable=False)
    left = models.IntegerField(_("tasks left"), default=0, editable=False)
    failed_count = models.IntegerField(default=0, editable=False)
    has_gaps = models.BooleanField(_("with gaps"), default=False)
    error = models.JSONField(_("error"), null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    # not empty: the run is cancelled but for steps that always run, because a person or a failure stopped it
    ending = models.CharField(max_length=10, blank=True)
    pause_requested_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-id"]
        permissions = [("operate", _("Can see and steer every run")), ("unattended", _("Can run without approval"))]
        constraints = [
            one_of("state", RunState, "run_state_in_enum"),
            one_of("autonomy", Autonomy, "run_autonomy_in_enum"),
            models.UniqueConstraint(fields=["owner", "client_token"], name="run_one_per_token"),
            models.CheckConstraint(condition=models.Q(left__gte=0), name="run_left_not_negative"),
        ]
        indexes = [models.Index(fields=["owner", "-id"], name="run_by_owner")]

    def __str__(self) -> str:
        return self.goal[:80]

    @property
    def is_terminal(self) -> bool:
        return self.state in RUN_TERMINAL


class Revision(models.Model):
    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField(_("number"))
    plan = OrderedJSONField(_("plan"))
    graph_hash = models.CharField(_("graph hash"), max_length=64)
    findings = models.JSONField(_("findings"), default=list, blank=True)
    # levels, critical path and estimate as `core.compile` gave them
    compiled = models.JSONField(default=dict, blank=True)
    source = models.CharField(_("source"), max_length=40)
    # of several drafts for one goal: careful, cheap, fast
    label = models.CharField(_("label"), max_length=40, blank=True)
    comment = models.TextField(_("comment"), blank=True)
    # what the model wrote, where nothing else of it could be kept
    raw_reply = models.TextField(_("raw reply"), blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("author"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ["run", "number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="revision_number_unique")]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.number}"

    @property
    def is_acceptable(self) -> bool:
        """True when no finding blocks approval."""
        return not any(finding["severity"] == "error" for finding in self.findings)
