"""What a skill may touch while it runs: the engine's implementation of `core.skill.Context`."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from plans import storage
from plans.core.errors import LeaseLost, NeedsPerson
from plans.core.hashing import digest
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.storable import storable, storable_json
from plans.core.values import ArtifactRef

LOG_LIMIT_CHARS = 64_000


@dataclass(slots=True)
class Checkpoint:
    """A value on its way to the loop, which alone writes rows; `committed` is set once it has answered."""

    value: Json
    committed: threading.Event = field(default_factory=threading.Event)
    kept: bool = False


@dataclass(kw_only=True)
class SkillContext:
    """One attempt's context. `send` hands a Checkpoint to the loop."""

    run_id: str
    task_key: str
    attempt: int
    deadline: float
    params: JsonObject
    resumed: bool
    answers: Mapping[str, JsonObject]
    saved: Json
    send: Callable[[Checkpoint], None]
    show: Callable[[JsonObject], None]
    model: Any = None
    hints: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)
    _chars: int = 0
    _told: int = 0
    _workdir: Path | None = None

    @property
    def workdir(self) -> Path:
        # Made on first use: most steps of a large plan need none.
        if self._workdir is None:
            folder = Path(settings.PLANS_DATA_DIR) / "work"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._workdir = Path(tempfile.mkdtemp(prefix="step-", dir=folder))
        return self._workdir

    @property
    def idempotency_key(self) -> str:
        """Equal for all attempts of this call with these inputs; made when asked for, few skills have outside effects."""
        return digest([self.run_id, self.task_key, self.params])

    def cancelled(self) -> bool:
        return self.stop.is_set()

    def log(self, message: str) -> None:
        if self._chars < LOG_LIMIT_CHARS:
            self.lines.append(message[: LOG_LIMIT_CHARS - self._chars])
            self._chars += len(message)

    def progress(self, data: JsonObject) -> None:
        self.show(data)

    def secret(self, name: str) -> str:
        """Raise NeedsPerson: no secret store is configured, so no secret can be there."""
        raise NeedsPerson("secret_missing", name=name)

    def checkpoint(self, value: Json) -> None:
        item = Checkpoint(storable_json(value))
        self.send(item)
        while not item.committed.wait(0.5):
            if self.stop.is_set() or time.monotonic() > self.deadline:
                break
        if not item.kept:
            raise LeaseLost(task=self.task_key, attempt=self.attempt)
        self.saved = value

    def path(self, ref: ArtifactRef) -> Path:
        return storage.local_path(ref.sha256)

    def store(
        self, path: Path, *, kind: ValueKind, name: str, filename: str, media_type: str, meta: JsonObject | None = None
    ) -> ArtifactRef:
        sha256, size = storage.put_file(path)
        return ArtifactRef(
            sha256=sha256, kind=kind, name=name, filename=filename, media_type=media_type, size=size, meta=meta or {}
        )

    def close(self) -> None:
        """Remove the work directory."""
        if self._workdir is not None:
            shutil.rmtree(self._workdir, ignore_errors=True)

    def news(self) -> str | None:
        """Return the log when lines came since the last call. The loop calls this while the slot's thread writes."""
        count = len(self.lines)
        if count == self._told:
            return None
        self._told = count
        return storable("\n".join(self.lines[:count]))

    def log_text(self) -> str:
        return storable("\n".join(self.lines))
