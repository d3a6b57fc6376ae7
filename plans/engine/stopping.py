"""The stop flag: set by the main process, seen by every forked worker, needing no lock."""

from __future__ import annotations

import time
from multiprocessing.sharedctypes import RawValue

# Shared memory made at import, before the cluster forks. An Event would need a lock, and a killed holder would wedge it.
_stop = RawValue("d", 0.0)


def request_stop() -> None:
    """Ask every worker of this cluster to claim nothing more and give back what it cannot finish."""
    if _stop.value == 0.0:
        _stop.value = time.monotonic()


def requested_at() -> float | None:
    """Return the monotonic time of the request, None while there is none."""
    return _stop.value or None


def reset() -> None:
    """Forget a request (a new cluster in the same process)."""
    _stop.value = 0.0
