"""Fetching what a person may see: every look-up starts from `Run.objects.for_user`, others get 404."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from plans.models import Artifact, Attachment, Attempt, Request, Run, Task


def member(request: HttpRequest) -> User:
    """Return the signed-in person. Raises Http404 for anonymous ones, whom `login_required` has sent away before."""
    if isinstance(request.user, AnonymousUser):
        raise Http404
    return request.user


def get_run(user: User, uuid: UUID) -> Run:
    return get_object_or_404(Run.objects.for_user(user).select_related("revision", "owner"), uuid=uuid)


def get_task(run: Run, key: str) -> Task:
    """Return a task of a run that `get_run` gave."""
    return get_object_or_404(Task, run=run, key=key)


def get_attempt(run: Run, key: str, number: int) -> Attempt:
    """Return an attempt of a run that `get_run` gave."""
    return get_object_or_404(Attempt.objects.select_related("task"), task__run=run, task__key=key, number=number)


def get_request(user: User, uuid: UUID) -> Request:
    rows = Request.objects.filter(run__in=Run.objects.for_user(user))
    return get_object_or_404(rows.select_related("run__revision", "run__owner", "task", "decided_by"), uuid=uuid)


def get_artifact(user: User, uuid: UUID) -> Artifact:
    rows = Artifact.objects.filter(run__in=Run.objects.for_user(user))
    return get_object_or_404(rows.select_related("blob", "run", "task"), uuid=uuid)


def own_attachments(user: User, uuids: Sequence[str]) -> list[Attachment]:
    """Return this person's attachments among `uuids`, in that order; malformed and foreign ones are left out."""
    wanted = list(dict.fromkeys(uuid for text in uuids if (uuid := _as_uuid(text))))
    found = {row.uuid: row for row in Attachment.objects.filter(owner=user, uuid__in=wanted).select_related("blob")}
    return [found[uuid] for uuid in wanted if uuid in found]


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def steers(user: User, run: Run) -> bool:
    """Tell whether `user` may decide on the plan of `run` and cancel it: its owner, or an operator."""
    return run.owner_id == user.pk or user.has_perm("plans.operate")
