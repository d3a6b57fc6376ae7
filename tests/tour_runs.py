"""Rows for the tour: people, and runs in several states made by the real services from own samples."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import Permission, User

from plans import tasks
from plans.core.editing import change_step, remove_step
from plans.core.kinds import EventKind
from plans.engine import revisions
from plans.engine.control import cancel_run
from plans.engine.plans import approve_plan
from plans.engine.revising import revise
from plans.events import Line, append
from plans.models import ModelCall, Request, Run, Task
from plans.web.examples import every_example, run_example
from tests.processes import wait_for
from tests.web.factories import model_call, review_run, world

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
         "params": {"query": "SELECT error('The two lists do not fit') AS odd"}, "outputs": {"odd": "table"},
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
    write_slowly(planning)
    edited, chosen, dear = edit(review_run(ada, MIXED)), drafts(review_run(ada, MIXED)), world(ada).run
    error = {"code": "no_playbook", "params": {}}
    failed = Run.objects.create(goal="Write a poem about the sea", owner=ada, state="failed", error=error)
    until(examples["busiest_pages"], "succeeded")
    until(examples["look_at_table"], "succeeded")
    wait_for(lambda: Request.objects.filter(run=mixed, state="open").count() == 3, timeout=60, what="three requests")
    done, run = examples["busiest_pages"].uuid, mixed.uuid
    call = spend(examples["busiest_pages"])
    reach_budget(dear)
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
        "plan-edited": f"ada:/runs/{edited.uuid}/plan",
        "plan-alternatives": f"ada:/runs/{chosen.uuid}/plan",
        "edit-step": f"ada:/runs/{edited.uuid}/plan/step?step=t3",
        "edit-json": f"ada:/runs/{edited.uuid}/plan/json",
        "revisions": f"ada:/runs/{edited.uuid}/plan/revisions",
        "revision-diff": f"ada:/runs/{edited.uuid}/plan/diff",
        "calls": f"ada:/runs/{done}/calls",
        "call": f"ada:/runs/{done}/calls/{call.pk}",
        "run-budget": f"ada:/runs/{dear.uuid}",
        "plan-planning": f"ada:/runs/{planning.uuid}/plan",
        "plan-failed": f"ada:/runs/{failed.uuid}/plan",
        "run": f"ada:/runs/{run}",
        "run-task": f"ada:/runs/{run}?task=t3",
        "run-done": f"ada:/runs/{done}",
        "runs": "ada:/runs",
        "runs-nothing": "ada:/runs?q=nothing+like+it",
        "inbox": "ada:/inbox",
        "request": f"ada:/requests/{asked.uuid if asked else ''}",
        "system": "ada:/system",
        "rerun": f"ada:/runs/{done}/rerun",
        "fork": f"ada:/runs/{done}/fork",
        "playbooks": "ada:/playbooks",
        "import": "ada:/import",
        "cancel": f"ada:/runs/{run}/cancel",
        "404": "ada:/runs/00000000-0000-0000-0000-000000000000",
        "admin": "ada:/admin/",
    }


def write_slowly(run: Run) -> None:
    """Let the run look as if a model wrote its plan just now."""
    Task.objects.create(run=run, key="planning:1", kind="planning", skill="planning", state="waiting")
    data = {
        "stage": "draft",
        "thinking": "The quarters differ in how returns are booked, so both lists are needed before anything is compared.",
        "tasks": ["List the orders", "List the returns", "Compare both lists"],
        "count": 3,
    }
    append(run.pk, [Line(kind=EventKind.PLANNING_PROGRESS, task_key="planning:1", data=data)])


def edit(run: Run) -> Run:
    """Edit the plan twice, the second time so that a check must be fixed."""
    wanted = {"timeout_seconds": 30, "estimate": {"seconds": 12, "usd": 0.03}, "risk": "medium"}
    for seen, change in enumerate([partial(change_step, key="t3", fields=wanted), partial(remove_step, key="t2")], 1):
        revise(run=run, seen=seen, change=change, by=run.owner, catalogue=tasks.catalogue(), comment="As agreed")
    return run


def drafts(run: Run) -> Run:
    """Give the plan three others to choose from."""
    first = run.revision
    for label, usd in (("careful", 0.62), ("cheap", 0.08), ("fast", 0.31)):
        compiled = {**first.compiled, "estimate": {"seconds": 600 * usd, "usd": usd}}
        revisions.keep(run, first.plan, first.findings, compiled=compiled, source="alternative", label=label)
    return run


def spend(run: Run) -> ModelCall:
    task = run.tasks.filter(kind="step").first()
    model_call(task, purpose="draft", usd=None, outcome="error")
    return model_call(task, request_text='{"model": "claude-test", "messages": []}', reply_text="A short answer.")


def reach_budget(run: Run) -> None:
    Run.objects.filter(pk=run.pk).update(budget_usd="0.01")
    task = run.tasks.filter(key="t1").get()
    error = {"code": "budget_usd_reached", "params": {"budget": "0.0100", "spent": "0.0124", "most": "0.0200"}}
    content = {"error": error, "choices": ["raise", "stop"], "budget_usd": "0.01", "spent_usd": "0.0124"}
    run.request_rows.all().delete()
    Request.objects.create(run=run, task=task, kind="budget", content=content)


def approve(run: Run, user: User) -> None:
    run.refresh_from_db()
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=user, catalogue=tasks.catalogue())


def until(run: Run, state: str) -> None:
    def is_there() -> bool:
        run.refresh_from_db()
        return run.state == state

    wait_for(is_there, timeout=90, what=f"{run} to be {state}")
