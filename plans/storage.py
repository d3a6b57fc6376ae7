"""The blob store: bytes by sha256 under STORAGE_URL, written before any row names them."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from plans.core.errors import DiskFull

CHUNK = 1024 * 1024


def root() -> Path:
    """Return the local root of the store. Raises ImproperlyConfigured for a scheme that is not built."""
    parts = urlsplit(settings.STORAGE_URL)
    if parts.scheme != "file":
        raise ImproperlyConfigured(f"STORAGE_URL must be a file:// address, not {parts.scheme}://.")
    return Path(unquote(parts.path))


def local_path(sha256: str) -> Path:
    """Return where the bytes of `sha256` lie. Raises ValueError for anything that is not a sha256."""
    if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
        raise ValueError(f"not a sha256: {sha256!r}")
    return root() / sha256[:2] / sha256[2:4] / sha256


def put_stream(stream: BinaryIO, limit_bytes: int | None = None) -> tuple[str, int]:
    """Store a stream; return (sha256, size).

    Raises ValueError when it is over `limit_bytes`, DiskFull when there is no room; nothing is left behind then.
    """
    try:
        return _put(stream, limit_bytes)
    except OSError as error:
        if is_full(error):
            raise DiskFull from error
        raise


def is_full(error: OSError) -> bool:
    """Tell whether a write failed because the disk, or this user's share of it, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def _put(stream: BinaryIO, limit_bytes: int | None) -> tuple[str, int]:
    folder = root() / "incoming"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if limit_bytes is not None and size > limit_bytes:
                    raise ValueError("over the limit")
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            # The row that will name these bytes may survive a power cut; so must they.
            os.fsync(file.fileno())
            return _settle(Path(file.name), digest.hexdigest()), size
        except BaseException:
            os.unlink(file.name)
            raise


def put_file(path: Path) -> tuple[str, int]:
    """Store a copy of the file at `path`; return (sha256, size)."""
    with path.open("rb") as stream:
        return put_stream(stream)


def put_bytes(data: bytes) -> tuple[str, int]:
    """Store `data`; return (sha256, size)."""
    return put_stream(io.BytesIO(data))


def _settle(incoming: Path, sha256: str) -> str:
    target = local_path(sha256)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chmod(incoming, 0o400)
    os.replace(incoming, target)
    return sha256


def stored_before(edge: float) -> Iterator[Path]:
    """Yield stored and abandoned files last written before `edge` (seconds since the epoch)."""
    for path in root().glob("??/??/*"):
        if path.stat().st_mtime < edge:
            yield path
    for path in (root() / "incoming").glob("*"):
        if path.stat().st_mtime < edge:
            yield path
