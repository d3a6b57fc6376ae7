"""Watch a child process group to its end: output, clock, memory and cancellation; then see that all of it is dead."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from plans.skills.sandbox.job import Limits, Status

_Pipes: TypeAlias = dict[int, tuple[bytearray, int]]
"""Descriptor → where its bytes go and how many are too many."""

POLL_SECONDS = 0.05
GONE_SECONDS = 2.0
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
MEMORY_EXIT = 86  # launcher.MEMORY_EXIT; the launcher is a program and cannot be imported


@dataclass(slots=True)
class Ending:
    """How the group ended."""

    status: Status = "ok"
    exit_code: int | None = None
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    truncated: bool = False
    cpu_seconds: float = 0.0
    memory_bytes: int = 0


def watch(child: subprocess.Popen[bytes], limits: Limits, cancelled: Callable[[], bool]) -> Ending:
    """Return when the program has ended or was stopped; its whole group is dead then, whatever happened."""
    ending = Ending()
    stopped: Status | None = None
    try:
        stopped = _attend(child, limits, cancelled, ending)
    finally:
        # Also on an exception of `cancelled`, and after a normal end: a grandchild may still be there.
        _bury(child, ending)
    ending.status = stopped or _verdict(ending.exit_code)
    return ending


def _attend(
    child: subprocess.Popen[bytes], limits: Limits, cancelled: Callable[[], bool], ending: Ending
) -> Status | None:
    """Read output until the program ends (None) or must be stopped (why)."""
    outputs = (
        (child.stdout, ending.stdout, limits.stdout_bytes),
        (child.stderr, ending.stderr, limits.stderr_bytes),
    )
    pipes = {stream.fileno(): (buffer, cap) for stream, buffer, cap in outputs if stream is not None}
    deadline = time.monotonic() + limits.wall_seconds
    process = os.pidfd_open(child.pid)
    try:
        with selectors.DefaultSelector() as selector:
            for descriptor in pipes:
                os.set_blocking(descriptor, False)
                selector.register(descriptor, selectors.EVENT_READ)
            selector.register(process, selectors.EVENT_READ)
            reason = _loop(selector, pipes, process, lambda: _reason_to_stop(child.pid, deadline, limits, cancelled))
    finally:
        os.close(process)
    if reason == "output_limit":
        ending.truncated = True
        for buffer, cap in pipes.values():
            del buffer[cap:]
    return reason


def _loop(
    selector: selectors.BaseSelector, pipes: _Pipes, process: int, reason_to_stop: Callable[[], Status | None]
) -> Status | None:
    next_check = 0.0
    while True:
        ready = {key.fd for key, _ in selector.select(POLL_SECONDS)}
        ended = process in ready
        for descriptor in pipes if ended else ready & pipes.keys():
            if not _drain(descriptor, *pipes[descriptor]) and not ended:
                selector.unregister(descriptor)
        if any(len(buffer) > cap for buffer, cap in pipes.values()):
            return "output_limit"
        if ended:
            return None
        now = time.monotonic()
        if now >= next_check:
            next_check = now + POLL_SECONDS
            if reason := reason_to_stop():
                return reason


def _drain(descriptor: int, buffer: bytearray, cap: int) -> bool:
    """Move what is there into the buffer, little more than `cap` in all; False when the writers have closed."""
    while len(buffer) <= cap:
        try:
            chunk = os.read(descriptor, 65536)
        except BlockingIOError:
            return True
        if not chunk:
            return False
        buffer += chunk
    return True


def _reason_to_stop(pid: int, deadline: float, limits: Limits, cancelled: Callable[[], bool]) -> Status | None:
    if cancelled():
        return "cancelled"
    if time.monotonic() >= deadline:
        return "timeout"
    if _resident_bytes(pid) > limits.memory_bytes:
        return "memory"
    return None


def _resident_bytes(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE_BYTES
    except (FileNotFoundError, ProcessLookupError, IndexError):
        return 0


def _bury(child: subprocess.Popen[bytes], ending: Ending) -> None:
    """Kill the group while its leader is still unreaped (so the number is surely ours), then reap and wait."""
    os.killpg(child.pid, signal.SIGKILL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = ending.exit_code = os.waitstatus_to_exitcode(status)
    ending.cpu_seconds = usage.ru_utime + usage.ru_stime
    ending.memory_bytes = usage.ru_maxrss * 1024
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    deadline = time.monotonic() + GONE_SECONDS
    while _group_exists(child.pid) and time.monotonic() < deadline:
        # Grandchildren were killed with the group and are reaped by init in a moment: no event tells us when.
        time.sleep(0.002)


def _group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # The number already belongs to somebody else: our group is gone.
        return False
    return True


def _verdict(exit_code: int | None) -> Status:
    if exit_code == 0:
        return "ok"
    if exit_code in (MEMORY_EXIT, -signal.SIGKILL):
        # A SIGKILL that was not ours (we return before) is the kernel's, for memory.
        return "memory"
    if exit_code == -signal.SIGXCPU:
        return "timeout"
    return "error"
