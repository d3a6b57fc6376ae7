"""What test_disk_full runs in a process of its own: DATA is a small disk with everything on it. Prints facts as JSON."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

DATA = Path(sys.argv[1])
os.environ |= {
    "DJANGO_SETTINGS_MODULE": "planner_site.settings_test",
    "PLANS_DATA_DIR": str(DATA),
    "ALLOWED_HOSTS": "testserver",
}

import django  # noqa: E402

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.files.uploadedfile import SimpleUploadedFile  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import OperationalError  # noqa: E402
from django.test import Client  # noqa: E402

from plans.core.skill import Outputs, Result  # noqa: E402
from plans.engine.sql import is_database_full  # noqa: E402
from plans.models import Artifact, Blob, Event, Run  # noqa: E402
from tests.engine.plant import Plant, check_history, states, task  # noqa: E402

FILLER = DATA / "filler"
MEGABYTE = 1024 * 1024


def fill() -> None:
    """Take all the room that is left."""
    with FILLER.open("ab", buffering=0) as file:
        for size in (MEGABYTE, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def stored() -> list[str]:
    """Return the files of the blob store and of steps at work."""
    return [path.name for folder in ("blobs", "work") for path in (DATA / folder).rglob("*") if path.is_file()]


def large_output(plant: Plant) -> dict[str, Any]:
    """A step whose output does not fit."""
    plant.skill("large", lambda params, context: Outputs(values={"value": "x" * 20 * MEGABYTE}), retries=0)
    run = plant.run({"id": "a", "skill": "large", "on_failure": "retry_then_stop"}, {"id": "b"})
    plant.drain()
    check_history(run)
    error = task(run, "a").error
    return {
        "states": states(run),
        "code": error and error["code"],
        "class": error and error["class"],
        "stored": stored(),
        "rows": Artifact.objects.count() + Blob.objects.count(),
    }


def full_database(plant: Plant) -> dict[str, Any]:
    """Nothing can be written: what is refused leaves nothing, and afterwards all is as before."""
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username="owner"))
    before = Run.objects.count(), Event.objects.count()
    fill()
    try:
        plant.run({"id": "a"})
        refused = False
    except OperationalError as error:
        refused = is_database_full(error)
    page = client.post("/", {"goal": "x y z", "files": SimpleUploadedFile("a.csv", b"a,b\n1,2\n" * 100_000)})
    after = Run.objects.count(), Event.objects.count()
    FILLER.unlink()
    run = plant.run({"id": "a"})
    plant.drain()
    return {
        "refused": refused,
        "unchanged": before == after,
        "page": page.content.decode(),
        "then": states(run),
        "stored": stored(),
    }


def full_at_finish(plant: Plant) -> dict[str, Any]:
    """The disk fills up while a step runs: its result is kept until there is room to commit it."""
    calls: list[int] = []

    def filling(params: dict[str, Any], context: Any) -> Result:
        calls.append(1)
        fill()
        threading.Timer(1.0, FILLER.unlink).start()
        return Outputs(values={"value": "y" * 50_000})

    plant.skill("filling", filling, idempotent=False)
    run = plant.run({"id": "a", "skill": "filling"}, {"id": "b", "depends_on": ["a"]})
    plant.drain()
    check_history(run)
    return {"states": states(run), "calls": len(calls)}


def main() -> None:
    call_command("migrate", verbosity=0, interactive=False)
    plant = Plant()
    facts = {step.__name__: step(plant) for step in (large_output, full_database, full_at_finish)}
    sys.stdout.write(json.dumps(facts))


if __name__ == "__main__":
    main()
