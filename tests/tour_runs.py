"""Rows for the tour: people, and runs in several states made by the real services from own samples."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission, User

from plans import tasks
from plans.engine.control import cancel_run
from plans.engine.plans import approve_plan
from plans.models import Request, Run
from plans.web.examples import every_example, run_example
from tests.processes import wait_for
from tests.web.factories import review_run

MIXED: dict[str, Any] = {
    "schema": 1,
    "goal": "Check the orders of the last quarter, ask finance about the odd ones and send a summary",
    "intent": {
        "summary": "The orders are collected, odd ones are asked about, and a summary is written.",
        "assumptions": ["The quarter is July to September 2026.", "Amounts are in euros."],
        "expected_output": "One summary",
    },
    "milestones": [
        {"id": "m1", "name": "Collect"},
        {"id": "m2", "name": "Check"},
        {"id": "m3", "name": "Tell"},
    ],
    "tasks": [
        {"id": "t1", "name": "List the orders", "skill": "noop", "milestone": "m1",
         "description": "Every order of the quarter with date, region and amount.",
         "params": {"value": 214}, "outputs": {"orders": "json"}},
        {"id": "t2", "name": "List the returns", "skill": "noop", "milestone": "m1",
         "params": {"value": 11}, "outputs": {"returns": "json"}},
        {"id": "t3", "name": "Compare both lists", "skill": "sql", "milestone": "m2",
         "params": {"query": "SELECT no_such_column FROM nowhere"}, "outputs": {"odd": "table"},
         "depends_on": ["t1", "t2"]},
        {"id": "t4", "name": "財務に確認する", "skill": "ask_human", "milestone": "m2", "depends_on": ["t1"],
         "params": {"question": "Which of the two amounts is right?", "fields": {
             "type": "object", "required": ["amount"],
             "properties": {"amount": {"type": "number", "title": "Amount"}, "why": {"type": "string", "title": "Why"}}}},
         "outputs": {"said": "json"}},
        {"id": "t5", "name": "Close the month", "skill": "noop", "milestone": "m2", "approval": "always", "risk": "high",
         "params": {"value": "{{ orders }}"}, "outputs": {"closed": "json"}, "depends_on": ["t2"]},
        {"id": "t6", "name": "Wait for the bank's file", "skill": "wait", "milestone": "m3", "params": {"seconds": 7200},
         "depends_on": ["t1"]},
        {"id": "t7", "name": "Write the summary", "skill": "noop", "milestone": "m3",
         "params": {"value": "{{ said }}"}, "outputs": {"summary": "json"}, "depends_on": ["t3", "t5", "t6"]},
    ],
}  # fmt: skip
BROKEN: dict[str, Any] = {
    "schema": 1,
    "goal": "Move last month's invoices to the archive",
    "tasks": [
        {"id": "t1", "name": "Find the invoices", "skill": "fetch_everything", "outputs": {"found": "json"}},
        {"id": "t2", "name": "Archive them", "skill": "noop", "params": {"value": "{{ fund }}"}},
    ],
}


def fill(password: str) -> dict[str, str]:
    """Make people and runs; return name → `user:path` of every page to look at."""
    ada = User.objects.create_user("ada", password=password, is_staff=True)
    ada.user_permissions.add(*Permission.objects.filter(content_type__app_label="plans"))
    User.objects.create_user("newcomer", password=password)
    examples = {
        example.playbook.name: run_example(example, ada, time_zone="UTC", token=None) for example in every_example()
    }
    for name in ("busiest_pages", "look_at_table", "sales_by_month"):
        until(examples[name], "review")
    for name in ("busiest_pages", "look_at_table"):
        approve(examples[name], ada)
    broken, mixed, gone = review_run(ada, BROKEN), review_run(ada, MIXED), review_run(ada, MIXED)
    approve(gone, ada)
    cancel_run(run=gone, by=ada)
    approve(mixed, ada)
    planning = Run.objects.create(
        goal="四半期レポートの数値を監査し、差異の原因を説明する", owner=ada, state="planning"
    )
    error = {"code": "no_playbook", "params": {}}
    failed = Run.objects.create(goal="Write a poem about the sea", owner=ada, state="failed", error=error)
    until(examples["busiest_pages"], "succeeded")
    until(examples["look_at_table"], "succeeded")
    wait_for(lambda: Request.objects.filter(run=mixed, state="open").count() == 3, timeout=60, what="three requests")
    done, run = examples["busiest_pages"].uuid, mixed.uuid
    asked = Request.objects.filter(run=mixed, state="open").first()
    return {
        "login": ":/login",
        "new-newcomer": "newcomer:/",
        "runs-empty": "newcomer:/runs",
        "inbox-empty": "newcomer:/inbox",
        "new": "ada:/",
        "form-filled": "ada:/",
        "form-parameters": "ada:/",
        "form-nothing-fits": "ada:/",
        "menu": "ada:/",
        "plan": f"ada:/runs/{examples['sales_by_month'].uuid}/plan",
        "plan-mixed": f"ada:/runs/{run}/plan",
        "plan-broken": f"ada:/runs/{broken.uuid}/plan",
        "plan-planning": f"ada:/runs/{planning.uuid}/plan",
        "plan-failed": f"ada:/runs/{failed.uuid}/plan",
        "run": f"ada:/runs/{run}",
        "run-task": f"ada:/runs/{run}?task=t3",
        "run-done": f"ada:/runs/{done}",
        "runs": "ada:/runs",
        "runs-nothing": "ada:/runs?q=nothing+like+it",
        "inbox": "ada:/inbox",
        "request": f"ada:/requests/{asked.uuid if asked else ''}",
        "playbooks": "ada:/playbooks",
        "import": "ada:/import",
        "cancel": f"ada:/runs/{run}/cancel",
        "404": "ada:/runs/00000000-0000-0000-0000-000000000000",
        "admin": "ada:/admin/",
    }


def approve(run: Run, user: User) -> None:
    run.refresh_from_db()
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=user, catalogue=tasks.catalogue())


def until(run: Run, state: str) -> None:
    def is_there() -> bool:
        run.refresh_from_db()
        return run.state == state

    wait_for(is_there, timeout=90, what=f"{run} to be {state}")
