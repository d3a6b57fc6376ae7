"""The hot path: what one turn of a chain asks of the database, and nothing more."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from plans.engine import turn
from plans.engine.hot import Claimed, Done
from plans.models import Pool
from tests.engine.plant import Plant, states

pytestmark = pytest.mark.django_db(transaction=True)

TURN = [
    "BEGIN",
    "UPDATE plans_task",
    "UPDATE plans_attempt",
    "WITH d",
    "WITH k",
    "INSERT INTO plans_attempt",
    "UPDATE plans_run",
    "INSERT INTO plans_event",
    "COMMIT",
]


def chain(length: int) -> list[dict[str, object]]:
    return [{"id": f"t{n}", "depends_on": [f"t{n - 1}"] if n else []} for n in range(length)]


def finished(claimed: Claimed) -> Done:
    return Done(claimed=claimed, outputs='{"value":null}')


def statements(captured: CaptureQueriesContext) -> list[str]:
    texts = [query["sql"].partition("times: ")[2] or query["sql"] for query in captured]
    heads = [next((head for head in TURN if text.startswith(head)), text) for text in texts]
    # psycopg has no BEGIN of its own to capture
    return [head for head in heads if head not in {"BEGIN", "COMMIT"}]


def test_a_turn_of_a_chain_is_seven_statements(plant: Plant):
    run = plant.run(*chain(4))
    (claimed,) = turn.take([], 1, "here:1:1").claimed
    for _number in range(2):
        with CaptureQueriesContext(connection) as captured:
            (claimed,) = turn.take([finished(claimed)], 2, "here:1:1").claimed
        assert statements(captured) == [head for head in TURN if head not in {"BEGIN", "COMMIT"}]
    assert states(run) == {"t0": "succeeded", "t1": "succeeded", "t2": "running", "t3": "pending"}


def test_limits_of_others_add_no_statement_to_a_turn(plant: Plant):
    Pool.objects.create(name="crm", slots=1)
    plant.run(*({"id": f"p{n}", "pool": "crm"} for n in range(5)))
    plant.run(*chain(3))
    (claimed,) = turn.take([], 1, "here:1:1").claimed
    with CaptureQueriesContext(connection) as captured:
        (claimed,) = turn.take([finished(claimed)], 2, "here:1:1").claimed
    assert len(statements(captured)) == len(TURN) - 2
    assert claimed.key == "t1"


def test_the_claim_passes_no_row_that_is_not_for_it(plant: Plant):
    """However many gated rows are ready, the claim reads its index from the first one it may take."""
    if connection.vendor != "sqlite":
        pytest.skip("the plan of a small table says nothing on PostgreSQL")
    with connection.cursor() as cursor:
        cursor.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM plans_task WHERE state = 'ready' AND NOT held AND gated = FALSE "
            "ORDER BY priority DESC, rank DESC, id LIMIT 4"
        )
        plan = " ".join(row[3] for row in cursor.fetchall())
    assert "task_ready (gated=?)" in plan
    assert "TEMP B-TREE" not in plan
