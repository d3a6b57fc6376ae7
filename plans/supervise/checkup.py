"""How every part is: for `manage.py doctor`, the System page and `/readyz`. Nothing here changes anything."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Sum
from django.db.models.functions import Now
from django.utils import timezone

from plans import storage
from plans.core.errors import ModelError, PlannerError
from plans.core.model import CallOutcome, Tier
from plans.core.states import TaskState
from plans.engine import doorbell, hosts
from plans.models import Host, Lease, ModelCall, Task

LITTLE_DISK_BYTES = 500 * 1024 * 1024
LATE_SWEEP_SECONDS = 30.0
LONG_QUEUE_SECONDS = 60.0
CLOCK_SECONDS = 5.0
# what a model's endpoint says until somebody does something about it
LASTING_PROBLEMS = frozenset(
    {"model_key_refused", "model_no_credit", "model_not_allowed", "model_unknown", "model_not_an_api"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the site; `code` and `params` make the sentence."""

    name: str
    is_good: bool
    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


def good(name: str, code: str, **params: Any) -> Part:
    return Part(name=name, is_good=True, code=code, params=params)


def bad(name: str, code: str, **params: Any) -> Part:
    return Part(name=name, is_good=False, code=code, params=params)


def examine() -> list[Part]:
    """Return one finding per part, in a fixed order. A part that raises is bad, and the others are still looked at."""
    found = []
    for name, look in CHECKS.items():
        try:
            found.append(look())
        except (DatabaseError, OSError, PlannerError, ValueError) as error:
            found.append(bad(name, "doctor_failed", problem=str(error) or type(error).__name__))
    return found


def is_ready() -> list[Part]:
    """Return what keeps this site from taking and doing work; empty means ready."""
    found = []
    for name in ("database", "sweeper", "storage", "queue"):
        try:
            part = {**CHECKS, "queue": queue}[name]()
        except (DatabaseError, OSError) as error:
            part = bad(name, "doctor_failed", problem=type(error).__name__)
        found.append(part)
        if name == "database" and not part.is_good:
            break
    return [part for part in found if not part.is_good]


def database() -> Part:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return good("database", "doctor_database", vendor=connection.display_name)


def broker() -> Part:
    kind = "Redis" if settings.Q_CLUSTER.get("redis") else "the database"
    if problem := doorbell.problem():
        return bad("broker", "doctor_broker_away", kind=kind, problem=problem)
    return good("broker", "doctor_broker", kind=kind, waiting=doorbell.waiting())


def workers() -> Part:
    living = [host for host in hosts.alive() if host.workers]
    if not living:
        return bad("workers", "doctor_no_workers")
    running = Task.objects.filter(state=TaskState.RUNNING).count()
    slots = sum(host.slots for host in living)
    return good("workers", "doctor_workers", hosts=len(living), slots=slots, running=running)


def sweep_age() -> float | None:
    """Return the seconds since the last sweep by the database's clock, None when there was none."""
    row = Lease.objects.filter(name="sweeper").annotate(now=Now()).values_list("renewed_at", "now").first()
    if row is None or row[0] is None:
        return None
    # One that is yet to come is as old: the clock was set back, and nobody has swept since.
    return abs(float((row[1] - row[0]).total_seconds()))


def sweeper() -> Part:
    age = sweep_age()
    if age is None or age > LATE_SWEEP_SECONDS:
        return bad(
            "sweeper", "doctor_sweeper_still" if age is not None else "doctor_sweeper_never", seconds=round(age or 0)
        )
    return good("sweeper", "doctor_sweeper", seconds=round(age))


def watchdog() -> Part:
    living = [host for host in hosts.alive() if host.workers]
    if not living:
        return bad("watchdog", "doctor_no_watchdog")
    restarts = Host.objects.aggregate(n=Sum("restarts"))["n"] or 0
    return good("watchdog", "doctor_watchdog", hosts=len(living), restarts=restarts)


def shared_storage() -> Part:
    root = storage.root()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=root) as file:
        file.write(b"probe")
    foreign = hosts.unreadable_probes()
    if foreign:
        return bad("storage", "doctor_storage_foreign", hosts=", ".join(foreign))
    return good("storage", "doctor_storage", place=str(root))


def sandbox() -> Part:
    if shutil.which("bwrap") is None:
        return bad("sandbox", "doctor_no_sandbox")
    return good("sandbox", "doctor_sandbox")


def model() -> Part:
    """Judge the model by its last call: looking costs nothing. A start and the Test button ask it."""
    from plans.supervise.connection import config

    try:
        found = config()
    except ModelError as error:
        return bad("model", error.code, **error.params)
    if not found.is_connected:
        return good("model", "doctor_no_model")
    last = ModelCall.objects.exclude(outcome=CallOutcome.RUNNING).order_by("-pk").only("problem", "model").first()
    if last is not None and last.problem in LASTING_PROBLEMS:
        return bad("model", last.problem, model=last.model, address=found.url)
    return good("model", "doctor_model", model=found.models[Tier.PLAN], place=found.base_url or "Anthropic")


def mail() -> Part:
    if not settings.EMAIL_HOST or settings.EMAIL_HOST == "localhost":
        return good("mail", "doctor_no_mail")
    return good("mail", "doctor_mail", host=settings.EMAIL_HOST)


def disk() -> Part:
    free = shutil.disk_usage(settings.PLANS_DATA_DIR).free
    code = "doctor_disk_full" if free < LITTLE_DISK_BYTES else "doctor_disk"
    return Part(name="disk", is_good=free >= LITTLE_DISK_BYTES, code=code, params={"gb": f"{free / 1e9:.1f}"})


def clock() -> Part:
    with connection.cursor() as cursor:
        cursor.execute("SELECT CURRENT_TIMESTAMP")
        (found,) = cursor.fetchone()
    if isinstance(found, str):
        # SQLite has this machine's clock, to the second.
        return good("clock", "doctor_clock", seconds=0)
    off = abs((timezone.now() - found).total_seconds())
    if off > CLOCK_SECONDS:
        return bad("clock", "doctor_clock_off", seconds=round(off))
    return good("clock", "doctor_clock", seconds=round(off))


def queue_age() -> float:
    """Return for how many seconds work has been ready while nobody has claimed anything; 0 when nothing waits."""
    ready = Task.objects.filter(state=TaskState.READY, held=False)
    if hosts.is_held() or not ready.exists():
        return 0.0
    from plans.models import Attempt, Event

    last = Attempt.objects.order_by("-pk").values_list("started_at", flat=True).first()
    made = Event.objects.filter(run__tasks__in=ready[:1]).order_by("-pk").values_list("at", flat=True).first()
    known = [at for at in (last, made) if at is not None]
    return max(0.0, (timezone.now() - max(known)).total_seconds()) if known else 0.0


def queue() -> Part:
    age = queue_age()
    if age > LONG_QUEUE_SECONDS:
        return bad("queue", "doctor_queue_old", seconds=round(age))
    return good("queue", "doctor_queue", seconds=round(age))


CHECKS: dict[str, Callable[[], Part]] = {
    "database": database,
    "broker": broker,
    "workers": workers,
    "sweeper": sweeper,
    "watchdog": watchdog,
    "storage": shared_storage,
    "sandbox": sandbox,
    "model": model,
    "mail": mail,
    "disk": disk,
    "clock": clock,
}
