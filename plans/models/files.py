"""Blob: bytes by sha256. Artifact: a named, typed output. Attachment: a file a person handed in."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from plans.core.kinds import ValueKind
from plans.core.values import REF_KEY
from plans.models.choices import one_of
from plans.models.runs import Run
from plans.models.tasks import Task


class Blob(models.Model):
    """A row is written after the bytes are in the store, so a row always has its bytes."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    size = models.BigIntegerField(_("size in bytes"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("blob")
        verbose_name_plural = _("blobs")

    def __str__(self) -> str:
        return self.sha256[:12]


class Artifact(models.Model):
    uuid = models.UUIDField(_("id"), default=uuid.uuid4, unique=True, editable=False)
    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="artifacts")
    task = models.ForeignKey(Task, verbose_name=_("task"), on_delete=models.CASCADE, related_name="artifacts")
    attempt = models.IntegerField(_("attempt"))
    name = models.CharField(_("name"), max_length=200)
    kind = models.CharField(_("kind"), max_length=10)
    filename = models.CharField(_("file name"), max_length=255)
    media_type = models.CharField(_("media type"), max_length=100)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT)
    meta = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("artifact")
        verbose_name_plural = _("artifacts")
        ordering = ["task", "id"]
        constraints = [
            models.UniqueConstraint(fields=["task", "attempt", "name"], name="artifact_name_unique"),
            one_of("kind", ValueKind, "artifact_kind_in_enum"),
        ]

    def __str__(self) -> str:
        return self.filename


class Attachment(models.Model):
    """Stored at the first POST, bound to its owner; a run that uses it keeps a reference in its inputs."""

    uuid = models.UUIDField(_("id"), default=uuid.uuid4, unique=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="attachments")
    filename = models.CharField(_("file name"), max_length=255)
    media_type = models.CharField(_("media type"), max_length=100)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT)
    # what the profiler found: see plans.skills.profile
    profile = models.JSONField(_("profile"), default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("attachment")
        verbose_name_plural = _("attachments")
        ordering = ["id"]

    def __str__(self) -> str:
        return self.filename

    def as_ref(self) -> dict[str, Any]:
        """Return the JSON form of an ArtifactRef of kind file."""
        return {
            REF_KEY: self.blob_id,
            "kind": ValueKind.FILE.value,
            "name": self.filename,
            "filename": self.filename,
            "media_type": self.media_type,
            "size": self.blob.size,
            "meta": {},
        }
