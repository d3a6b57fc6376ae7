"""The database refuses nonsense."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from plans import events
from plans.core.kinds import EventKind
from plans.events import Line
from plans.models import Attempt, Dependency, Event, Run, Task
from tests.engine.plant import Plant, task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(plant: Plant) -> Run:
    return plant.run({"id": "a"}, {"id": "b", "depends_on": ["a"]})


def refuses(work: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        work()


def test_nonsense_is_refused_by_the_database(run: Run):
    a, b = task(run, "a"), task(run, "b")
    now = run.created_at
    refuses(lambda: Task.objects.create(run=run, key="a"))
    refuses(lambda: Dependency.objects.create(upstream=a, downstream=b))
    refuses(lambda: Dependency.objects.create(upstream=a, downstream=a))
    refuses(lambda: Task.objects.filter(pk=a.pk).update(state="running"))
    refuses(lambda: Task.objects.filter(pk=a.pk).update(state="flying"))
    refuses(lambda: Task.objects.filter(pk=a.pk).update(state="skipped"))
    refuses(lambda: Task.objects.filter(pk=a.pk).update(unmet=-1))
    refuses(lambda: Run.objects.filter(pk=run.pk).update(state="flying"))
    refuses(lambda: Run.objects.filter(pk=run.pk).update(left=-1))
    refuses(lambda: Event.objects.create(run=run, seq=1, at=now, kind="run.created"))
    refuses(lambda: Event.objects.create(run=run, seq=99, at=now, kind="nonsense"))
    Attempt.objects.create(task=a, number=1, started_at=now)
    refuses(lambda: Attempt.objects.create(task=a, number=1, started_at=now))


def test_a_rolled_back_transaction_leaves_no_hole_in_the_numbers(run: Run):
    before = Event.objects.filter(run=run).count()
    with transaction.atomic():
        events.append(run.pk, [Line(kind=EventKind.RUN_STUCK)])
        transaction.set_rollback(True)
    events.append(run.pk, [Line(kind=EventKind.RUN_STUCK), Line(kind=EventKind.RUN_STUCK)])
    numbers = list(Event.objects.filter(run=run).order_by("seq").values_list("seq", flat=True))
    assert numbers == list(range(1, before + 3))


def test_event_data_never_passes_4_kb(run: Run):
    big = {"text": "長" * 20_000, "list": ["x" * 100] * 500, "deep": {str(n): "y" * 50 for n in range(3000)}}
    events.append(run.pk, [Line(kind=EventKind.RUN_STUCK, data=big)])
    stored = events.fit(big)
    assert len(stored.encode()) <= events.DATA_LIMIT_BYTES


def test_ready_events_of_a_wide_fan_stay_under_the_limit_and_name_every_task():
    keys = [f"步骤 {n} " + "k" * 150 for n in range(300)]
    lines = events.ready_lines(keys)
    assert [key for line in lines for key in line.data["keys"]] == keys
    assert all(len(events.fit(line.data).encode()) <= events.DATA_LIMIT_BYTES for line in lines)
    assert '"cut"' not in "".join(events.fit(line.data) for line in lines)
