"""django-q2's cluster with a stop flag that its workers can see."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import connections
from django_q.cluster import Cluster

from plans.engine import stopping

MARGIN_SECONDS = 5


class StoppableCluster(Cluster):  # type: ignore[misc]
    """A cluster whose graceful stop is bounded: on a signal its drains claim nothing more and give their leases back."""

    def sig_handler(self, signum: int, frame: FrameType | None) -> Any:
        stopping.request_stop()
        # A wedged cluster never ends by itself (django-q2 issue 23: a killed idle worker holds the queue's lock), and the
        # supervisor that would kill it may be gone.
        limit = threading.Timer(settings.PLANS_STOP_SECONDS + MARGIN_SECONDS, kill_group)
        limit.daemon = True
        limit.start()
        return super().sig_handler(signum, frame)


def work() -> int:
    """Run workers in this process group until SIGTERM or SIGINT; return the exit code."""
    # Forked children must not inherit an open connection: two processes would share one socket or file handle.
    connections.close_all()
    stopping.reset()
    cluster = StoppableCluster()
    cluster.start()
    announce()
    cluster.sentinel.join()
    # A sentinel that ends without having been asked to is a failure, whatever its own code says.
    return 0 if stopping.requested_at() is not None else 1


def kill_group() -> None:
    """Kill this process's group, if it is the leader of one: another's group is not ours to kill."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)


def announce() -> None:
    """Tell the supervisor, by a file, that the workers are up."""
    path = os.environ.get("PLANS_WORKER_READY_FILE")
    if path:
        Path(path).write_text(str(os.getpid()), encoding="ascii")
