"""A real Context for skill tests: files in a folder, no engine."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.values import ArtifactRef


class FolderContext:
    """Keeps blobs by sha256 in `root`; `stop` is what cancels the work."""

    run_id = "00000000-0000-0000-0000-000000000001"
    task_key = "t1"
    attempt = 1
    idempotency_key = "key"
    model: Any = None

    def __init__(self, root: Path, *, seconds: float = 60, stop: Callable[[], bool] = lambda: False) -> None:
        self.root = root
        self.workdir = root / "work"
        self.workdir.mkdir(parents=True)
        self.deadline = time.monotonic() + seconds
        self.resumed = False
        self.answers: dict[str, JsonObject] = {}
        self.saved: Json = None
        self.logged: list[str] = []
        self.shown: list[JsonObject] = []
        self._stop = stop

    def cancelled(self) -> bool:
        return self._stop()

    def log(self, message: str) -> None:
        self.logged.append(message)

    def progress(self, data: JsonObject) -> None:
        self.shown.append(data)

    def secret(self, name: str) -> str:
        raise KeyError(name)

    def checkpoint(self, value: Json) -> None:
        self.saved = value

    def path(self, ref: ArtifactRef) -> Path:
        return self.root / ref.sha256

    def store(
        self, path: Path, *, kind: ValueKind, name: str, filename: str, media_type: str, meta: JsonObject | None = None
    ) -> ArtifactRef:
        data = path.read_bytes()
        sha256 = hashlib.sha256(data).hexdigest()
        target = self.root / sha256
        if not target.exists():
            target.write_bytes(data)
        return ArtifactRef(
            sha256=sha256,
            kind=kind,
            name=name,
            filename=filename,
            media_type=media_type,
            size=len(data),
            meta=meta or {},
        )

    def attach(self, filename: str, content: bytes | str | Path) -> ArtifactRef:
        """Store a file as an attachment would be; return its reference."""
        source = self.workdir / "incoming"
        if isinstance(content, Path):
            shutil.copyfile(content, source)
        else:
            source.write_bytes(content.encode() if isinstance(content, str) else content)
        ref = self.store(source, kind=ValueKind.FILE, name=filename, filename=filename, media_type="text/plain")
        source.unlink()
        return ref
