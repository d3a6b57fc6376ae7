"""What a sandbox is given and what it gives back: plain values, the same for every back-end."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from plans.core.jsontypes import Json, JsonObject

MIB = 1024 * 1024

Status: TypeAlias = Literal[
    "ok", "error", "timeout", "memory", "output_limit", "bad_result", "cancelled", "sandbox_unavailable"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A file the program may read as `IN_DIR/name`."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run. Whoever is over one is killed, and the outcome's status says which."""

    wall_seconds: float = 60
    memory_bytes: int = 1024 * MIB
    file_bytes: int = 1024 * MIB
    open_files: int = 256
    stdout_bytes: int = MIB
    stderr_bytes: int = MIB // 4
    result_bytes: int = MIB
    artifact_count: int = 50
    artifact_bytes: int = 256 * MIB
    artifacts_bytes: int = 512 * MIB
    """Of all artifacts together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A program and what it works on.

    The program finds its inputs and `params.json` in `IN_DIR`, writes artifacts and `result.json` to `OUT_DIR`.
    `artifacts_dir` is where the host puts the collected artifacts; `scratch_dir` is where the work folder is made.
    """

    code: str
    params: JsonObject = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    limits: Limits = field(default_factory=Limits)
    profile: str = "compute"
    artifacts_dir: Path | None = None
    scratch_dir: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A regular file the program left in `OUT_DIR`, copied to `path` by the host."""

    name: str
    path: Path
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the run cost. `memory_bytes` is the peak of the main process."""

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended. Only `ok` carries a result and artifacts; `rejected`: files that were not collected, and why."""

    status: Status
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    result: Json = None
    result_error: str | None = None
    artifacts: tuple[Artifact, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    usage: Usage = field(default_factory=Usage)
    backend: str = ""
    policy_sha256: str = ""
