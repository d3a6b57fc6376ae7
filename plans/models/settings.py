"""Settings of operators: a row per skill and per playbook. Lease: who holds a duty that only one process may do."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import Approval
from plans.models.choices import one_of

APPROVALS = [
    (Approval.AUTO.value, _("As the plan and the autonomy say")),
    (Approval.ALWAYS.value, _("Always ask")),
]


class SkillRow(models.Model):
    name = models.CharField(_("skill"), max_length=100, unique=True)
    enabled = models.BooleanField(_("enabled"), default=True)
    approval = models.CharField(_("approval"), max_length=10, choices=APPROVALS, default=Approval.AUTO)
    timeout_seconds = models.PositiveIntegerField(
        _("longest run time in seconds"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(86_400)],
        help_text=_("Empty: the skill's own value. A plan may only ask for less."),
    )
    retries = models.PositiveIntegerField(
        _("retries"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(100)],
        help_text=_("Empty: the skill's own value. A plan may only ask for less."),
    )

    concurrency = models.PositiveIntegerField(
        _("calls at once"), null=True, blank=True, validators=[MinValueValidator(1)], help_text=_("Empty: no limit.")
    )
    calls_per_minute = models.PositiveIntegerField(
        _("calls per minute"), null=True, blank=True, validators=[MinValueValidator(1)], help_text=_("Empty: no limit.")
    )
    fallback = models.CharField(
        _("fallback skill"), max_length=100, blank=True, help_text=_("Tried once when this skill has failed for good.")
    )

    class Meta:
        verbose_name = _("skill")
        verbose_name_plural = _("skills")
        ordering = ["name"]
        constraints = [one_of("approval", Approval, "skill_approval_in_enum")]

    def __str__(self) -> str:
        return self.name


class PlaybookRow(models.Model):
    name = models.CharField(_("playbook"), max_length=100, unique=True)
    enabled = models.BooleanField(_("enabled"), default=True)

    class Meta:
        verbose_name = _("playbook")
        verbose_name_plural = _("playbooks")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Pool(models.Model):
    """A named resource that only so many tasks may use at once, counted by their weight."""

    name = models.CharField(_("pool"), max_length=100, unique=True)
    slots = models.PositiveIntegerField(_("slots"), validators=[MinValueValidator(1)])
    description = models.CharField(_("description"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("pool")
        verbose_name_plural = _("pools")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Hold(models.Model):
    """At most one row, made by the System page's switch: while it exists no worker claims new work."""

    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(_("since"), auto_now_add=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("hold")
        verbose_name_plural = _("holds")

    def __str__(self) -> str:
        return self.reason or "hold"


class Host(models.Model):
    """A supervisor that runs or has run, by its own name; it says so every few seconds."""

    name = models.CharField(_("host"), max_length=120, unique=True)
    version = models.CharField(_("version"), max_length=40, blank=True)
    has_web = models.BooleanField(_("web"), default=False)
    workers = models.PositiveIntegerField(_("workers"), default=0)
    slots = models.PositiveIntegerField(_("slots"), default=0)
    # what the host wrote into the blob store under its own name; every other host must be able to read it
    probe = models.CharField(max_length=64, blank=True)
    restarts = models.PositiveIntegerField(_("restarts by the watchdog"), default=0)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    seen_at = models.DateTimeField(_("last seen"), null=True, blank=True)

    class Meta:
        verbose_name = _("host")
        verbose_name_plural = _("hosts")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Lease(models.Model):
    """One row per duty: `sweeper`. `renewals` grows with each renewal: holders are judged by its standing still."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=120, blank=True)
    renewals = models.BigIntegerField(default=0)
    renewed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")

    def __str__(self) -> str:
        return self.name
