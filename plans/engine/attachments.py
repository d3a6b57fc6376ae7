"""Store files people hand in: bytes first, then a row bound to its owner."""

from __future__ import annotations

import mimetypes
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from django.conf import settings

from plans import storage
from plans.core.errors import DiskFull, InputError
from plans.models import Attachment, Blob

if TYPE_CHECKING:
    from django.contrib.auth.models import User

NAME_LIMIT = 200


def clean_filename(name: str) -> str:
    """Return a display name without folders, control or direction characters, at most 200 characters long."""
    name = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(c for c in unicodedata.normalize("NFC", name) if unicodedata.category(c) not in {"Cc", "Cf", "Cs"})
    stem, dot, suffix = kept.strip(" .").rpartition(".")
    if len(kept) > NAME_LIMIT and dot:
        kept = stem[: NAME_LIMIT - len(suffix[:20]) - 1] + "." + suffix[:20]
    return kept.strip(" .")[:NAME_LIMIT] or "file"


def store_attachment(
    *, owner: User, filename: str, stream: BinaryIO, profile: Callable[[Path, str], dict[str, Any]]
) -> Attachment:
    """Store and profile one file.

    Raises InputError `file_empty`, `file_too_large`, `disk_full`, or the profile's own problem; nothing is kept as a row then.
    """
    filename = clean_filename(filename)
    limit = settings.PLANS_MAX_UPLOAD_BYTES
    try:
        sha256, size = storage.put_stream(stream, limit_bytes=limit)
    except ValueError:
        raise InputError("file_too_large", file=filename, limit_mb=limit // (1024 * 1024)) from None
    except DiskFull as error:
        raise InputError(error.code) from error
    if size == 0:
        raise InputError("file_empty", file=filename)
    found = profile(storage.local_path(sha256), filename)
    if found.get("problem"):
        problem = found["problem"]
        raise InputError(problem["code"], **{**problem.get("params", {}), "file": filename})
    Blob.objects.get_or_create(sha256=sha256, defaults={"size": size})
    media_type = mimetypes.guess_type(filename)[0] or "application/octet-stream"
    return Attachment.objects.create(
        owner=owner, filename=filename, media_type=media_type, blob_id=sha256, profile=found
    )
