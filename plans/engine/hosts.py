"""Hosts that say they live, the storage they share, and the switch that holds new work."""

from __future__ import annotations

import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from django.db.models import F
from django.db.models.functions import Now

from plans import storage
from plans.engine import doorbell
from plans.engine.boundaries import Boundary
from plans.engine.sql import committing, patient
from plans.models import Hold, Host

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ALIVE_SECONDS = 30
"""A host not seen for so long, by the database's clock, counts as gone."""


def is_held() -> bool:
    """Tell whether an operator holds all new work."""
    return Hold.objects.exists()


@patient
def hold(*, by: User | None, reason: str = "") -> None:
    """Hold all new work: what runs goes on, nothing more is claimed. Asking twice is harmless."""
    with committing(Boundary.HOLD):
        if not Hold.objects.select_for_update().exists():
            Hold.objects.create(by=by, reason=reason[:500])


@patient
def release() -> None:
    """Let work be claimed again."""
    with committing(Boundary.HOLD):
        Hold.objects.all().delete()
        doorbell.ring(0, doorbell.workers())


def announce(name: str, *, version: str, has_web: bool, workers: int, slots: int) -> None:
    """Say that this supervisor has started, and leave a probe in the blob store."""
    probe = secrets.token_hex(16)
    _write_probe(name, probe)
    columns = {"version": version, "has_web": has_web, "workers": workers, "slots": slots, "probe": probe}
    Host.objects.update_or_create(name=name, defaults={**columns, "started_at": Now(), "seen_at": Now()})


def seen(name: str) -> None:
    """Say that this supervisor still lives."""
    Host.objects.filter(name=name).update(seen_at=Now())


def restarted(name: str) -> None:
    """Count a cluster the watchdog had to kill."""
    Host.objects.filter(name=name).update(restarts=F("restarts") + 1)


def left(name: str) -> None:
    """Forget a supervisor that ended as it should."""
    Host.objects.filter(name=name).delete()
    _probe_path(name).unlink(missing_ok=True)


def alive() -> list[Host]:
    """Return the hosts that live, by name."""
    edge = timedelta(seconds=ALIVE_SECONDS)
    return list(Host.objects.filter(seen_at__gt=Now() - edge, seen_at__lt=Now() + edge))


def unreadable_probes() -> list[str]:
    """Return the names of live hosts whose probe cannot be read here: they do not share this host's storage."""
    return [host.name for host in alive() if host.probe and _read_probe(host.name) != host.probe]


def _probe_path(name: str) -> Path:
    return storage.root() / "probes" / "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def _write_probe(name: str, probe: str) -> None:
    path = _probe_path(name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    written = path.with_name(f"{path.name}.{os.getpid()}")
    written.write_text(probe, encoding="ascii")
    written.replace(path)


def _read_probe(name: str) -> str:
    try:
        return _probe_path(name).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
