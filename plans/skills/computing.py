"""Call a compute program through the sandbox and turn how it ended into the errors the engine knows."""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plans.core.errors import (
    BadInputError,
    DiskFull,
    PermanentSkillError,
    RetryableSkillError,
    SkillCancelled,
    SkillCrashed,
    SkillTimeout,
)
from plans.core.jsontypes import JsonObject
from plans.core.skill import Context
from plans.skills import sandbox

PACKAGE = "plans.skills.compute"
STDERR_LINES = 3
NO_SPACE = os.strerror(errno.ENOSPC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What a program gave back: its value and the files it wrote, by name."""

    value: Any
    files: Mapping[str, Path]


def compute(program: str, params: JsonObject, inputs: Mapping[str, Path], context: Context) -> Computed:
    """Run a program for a skill, within the attempt's deadline and work folder."""
    seconds = max(0.1, context.deadline - time.monotonic())
    target = Path(tempfile.mkdtemp(prefix="artifacts-", dir=context.workdir))
    return call(
        program,
        params,
        inputs,
        seconds=seconds,
        cancelled=context.cancelled,
        artifacts_dir=target,
        scratch_dir=context.workdir,
    )


def call(
    program: str,
    params: JsonObject,
    inputs: Mapping[str, Path],
    *,
    seconds: float,
    cancelled: Callable[[], bool],
    artifacts_dir: Path | None = None,
    scratch_dir: Path | None = None,
) -> Computed:
    """Run `plans.skills.compute.<program>`.

    Raises BadInputError (what the program said), SkillTimeout, SkillCancelled, SkillCrashed, RetryableSkillError.
    """
    job = sandbox.Job(
        code=f"from {PACKAGE}.{program} import main\nmain()",
        params=params,
        inputs=tuple(sandbox.Input(name=name, path=path) for name, path in inputs.items()),
        limits=sandbox.Limits(wall_seconds=seconds),
        artifacts_dir=artifacts_dir,
        scratch_dir=scratch_dir,
    )
    outcome = sandbox.run(job, cancelled=cancelled)
    if outcome.status != "ok":
        raise _error(program, outcome, seconds)
    result = outcome.result
    if isinstance(result, dict) and (problem := result.get("problem")):
        raise BadInputError(problem["code"], **problem["params"])
    if not isinstance(result, dict) or "value" not in result:
        raise PermanentSkillError("no_result", program=program)
    return Computed(value=result["value"], files={each.name: each.path for each in outcome.artifacts})


def _error(program: str, outcome: sandbox.Outcome, seconds: float) -> Exception:
    detail = "\n".join(outcome.stderr.strip().splitlines()[-STDERR_LINES:])[:500]
    if NO_SPACE in detail:
        return DiskFull()
    match outcome.status:
        case "timeout":
            return SkillTimeout("timeout", seconds=round(seconds))
        case "cancelled":
            return SkillCancelled()
        case "memory":
            return SkillCrashed("out_of_memory", program=program)
        case "sandbox_unavailable":
            return RetryableSkillError("sandbox_unavailable", reason=detail)
        case "output_limit" | "bad_result":
            return PermanentSkillError("bad_output", program=program, reason=outcome.result_error or "too much output")
    return SkillCrashed("program_failed", program=program, exit_code=outcome.exit_code, detail=detail)
