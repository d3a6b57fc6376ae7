"""Rows for what lies in blobs, and who may hand in a reference to one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from plans.core.errors import InputError
from plans.core.jsontypes import Json
from plans.core.values import REF_KEY, ArtifactRef, is_ref
from plans.models import Artifact, Attachment, Blob, Run, Task

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def keep(task: Task, refs: Mapping[str, ArtifactRef]) -> None:
    """Name what the outputs of one task refer to, as of its current attempt."""
    keep_blobs(refs)
    Artifact.objects.bulk_create(
        Artifact(
            run_id=task.run_id,
            task=task,
            attempt=task.attempt,
            name=name,
            kind=ref.kind,
            filename=ref.filename or name,
            media_type=ref.media_type,
            blob_id=ref.sha256,
            meta=ref.meta,
        )
        for name, ref in refs.items()
    )


def keep_blobs(refs: Mapping[str, ArtifactRef]) -> None:
    """Name stored bytes, so that they are not taken for orphans."""
    blobs = {ref.sha256: Blob(sha256=ref.sha256, size=ref.size) for ref in refs.values()}
    if blobs:
        Blob.objects.bulk_create(blobs.values(), ignore_conflicts=True)


def check_refs(value: Json, run: Run, by: User) -> None:
    """Raise InputError `file_not_yours` when `value` refers to bytes that are neither of `run` nor handed in by `by`.

    A reference reads what it names: whoever knows the hash of a stranger's file must not get it by that.
    """
    found = set(_hashes(value)) - set(_hashes(run.inputs))
    if not found:
        return
    of_run = Artifact.objects.filter(run=run, blob_id__in=found).values_list("blob_id", flat=True)
    own = Attachment.objects.filter(owner=by, blob_id__in=found).values_list("blob_id", flat=True)
    if missing := found - set(of_run) - set(own):
        raise InputError("file_not_yours", file=min(missing)[:12])


def _hashes(value: Json) -> Iterator[str]:
    if isinstance(value, dict) and is_ref(value):
        yield str(value[REF_KEY])
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _hashes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _hashes(inner)
