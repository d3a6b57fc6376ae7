"""Task, dependency and attempt: the durable queue."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import RunsIn
from plans.core.states import TASK_TERMINAL, AttemptState, SkipReason, TaskKind, TaskState
from plans.models.choices import choices, one_of
from plans.models.fields import OrderedJSONField
from plans.models.runs import Run


class Task(models.Model):
    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="tasks")
    key = models.CharField(_("key"), max_length=200)
    kind = models.CharField(_("kind"), max_length=10, choices=choices(TaskKind), default=TaskKind.STEP)
    name = models.CharField(_("name"), max_length=500, blank=True)
    milestone_key = models.CharField(_("milestone"), max_length=200, blank=True)
    position = models.IntegerField(default=0)
    skill = models.CharField(_("skill"), max_length=100, blank=True)
    skill_version = models.CharField(max_length=40, blank=True)
    spec = OrderedJSONField(_("specification"), default=dict, blank=True)

    state = models.CharField(_("state"), max_length=10, choices=choices(TaskState), default=TaskState.PENDING)
    reason = models.CharField(_("reason"), max_length=20, blank=True)
    unmet = models.IntegerField(default=0)
    # upstream tasks that ended so that this one cannot run: failed, cancelled or skipped(upstream)
    bad_upstream = models.IntegerField(default=0)
    always_run = models.BooleanField(default=False)
    # True: run_if, an approval, an engine skill or a milestone: decided on the loop by `engine.gates`, not by the hot claim
    gated = models.BooleanField(default=False)
    # True: a pool, a rate or another limit applies, so it starts by way of `engine.limits`
    limited = models.BooleanField(default=False)
    # of a limited row: nothing is left to decide, only room is missing
    decided = models.BooleanField(default=False)
    needs_approval = models.BooleanField(default=False)
    # True: upstream outputs must be loaded before params can be rendered
    has_references = models.BooleanField(default=False)
    # True while the run is paused: not for the claim to take, whatever the state
    held = models.BooleanField(default=False)
    priority = models.IntegerField(_("priority"), default=0)
    # longest remaining path in estimated seconds: the claim takes the longest first
    rank = models.FloatField(default=0)
    runs_in = models.CharField(max_length=10, default=RunsIn.THREAD)
    instant = models.BooleanField(default=False)
    idempotent = models.BooleanField(default=True)
    timeout_seconds = models.IntegerField(_("timeout in seconds"), default=60)
    retries = models.IntegerField(_("retries"), default=2)
    # attempts that count against `retries` (failed and lost), and how many of them were lost
    tries_used = models.IntegerField(default=0)
    losses = models.IntegerField(default=0)

    # the columns of the skill that takes over when this one has failed for good; once it has, those of the first one
    fallback = models.JSONField(null=True, blank=True)

    # fan-out: the key of the group this row is an item of; on the group itself how many items there are
    group = models.CharField(_("group"), max_length=200, blank=True)
    item_index = models.IntegerField(_("item"), null=True, blank=True)
    item_count = models.IntegerField(_("items"), null=True, blank=True)
    items_at_once = models.PositiveIntegerField(_("items at once"), null=True, blank=True)
    pool = models.CharField(_("pool"), max_length=100, blank=True)
    weight = models.IntegerField(_("weight"), default=1)
    # what the run's budget keeps free for it while it runs: the plan's estimate
    reserve_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, editable=False)

    attempt = models.IntegerField(_("attempt"), default=0)
    claimed_by = models.CharField(max_length=120, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    ready_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    # output name -> JSON or ArtifactRef
    outputs = OrderedJSONField(_("outputs"), null=True, blank=True)
    checkpoint = models.JSONField(null=True, blank=True)
    # of a milestone: its check, the counts of its steps, their artifacts, notes and times
    evidence = models.JSONField(_("evidence"), null=True, blank=True)
    # {"code", "params", "class"}
    error = models.JSONField(_("error"), null=True, blank=True)

    class Meta:
        verbose_name = _("task")
        verbose_name_plural = _("tasks")
        ordering = ["run", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "key"], name="task_key_unique"),
            one_of("state", TaskState, "task_state_in_enum"),
            one_of("kind", TaskKind, "task_kind_in_enum"),
            models.CheckConstraint(
                condition=~Q(state=TaskState.RUNNING) | (Q(lease_expires_at__isnull=False) & ~Q(claimed_by="")),
                name="task_running_has_lease",
            ),
            models.CheckConstraint(
                condition=~Q(state=TaskState.SKIPPED) | Q(reason__in=[r.value for r in SkipReason]),
                name="task_skipped_has_reason",
            ),
            models.CheckConstraint(condition=Q(unmet__gte=0), name="task_unmet_not_negative"),
        ]
        indexes = [
            # the claim's order; partial, so it stays as small as the queue, and the claim passes no gated row
            models.Index(
                F("gated"),
                F("priority").desc(),
                F("rank").desc(),
                F("id"),
                name="task_ready",
                condition=Q(state="ready", held=False),
            ),
            models.Index(fields=["lease_expires_at"], name="task_running", condition=Q(state="running")),
            models.Index(fields=["ready_at"], name="task_due", condition=Q(state__in=["retrying", "waiting"])),
            models.Index(fields=["run", "group", "item_index"], name="task_items", condition=~Q(group="")),
        ]

    def __str__(self) -> str:
        return self.name or self.key

    @property
    def is_terminal(self) -> bool:
        return self.state in TASK_TERMINAL


class Dependency(models.Model):
    upstream = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="downstream_edges")
    downstream = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="upstream_edges")

    class Meta:
        verbose_name = _("dependency")
        verbose_name_plural = _("dependencies")
        constraints = [
            models.UniqueConstraint(fields=["upstream", "downstream"], name="edge_unique"),
            models.CheckConstraint(condition=~Q(upstream=F("downstream")), name="edge_not_to_self"),
        ]

    def __str__(self) -> str:
        return f"{self.upstream_id}→{self.downstream_id}"


class Attempt(models.Model):
    task = models.ForeignKey(Task, verbose_name=_("task"), on_delete=models.CASCADE, related_name="attempts")
    number = models.IntegerField(_("number"))
    state = models.CharField(_("state"), max_length=12, choices=choices(AttemptState), default=AttemptState.RUNNING)
    worker = models.CharField(_("worker"), max_length=120, blank=True)
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    params = models.JSONField(_("rendered parameters"), null=True, blank=True)
    error = models.JSONField(_("error"), null=True, blank=True)
    log = models.TextField(_("log"), blank=True)
    # set where the skill had a rate when it started: what its calls per minute are counted by
    rated_skill = models.CharField(max_length=100, null=True, editable=False)  # noqa: DJ001

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ["task", "number"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="attempt_number_unique"),
            one_of("state", AttemptState, "attempt_state_in_enum"),
        ]
        indexes = [
            models.Index(
                fields=["rated_skill", "started_at"], name="attempt_rate", condition=Q(rated_skill__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.task_id}#{self.number}"
