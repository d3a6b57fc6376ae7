"""Other spellings of our keys and words, as models and neighbouring products write them. Tables only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plans.core.nearest import folded


def _table(spellings: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return folded spelling -> our word; our own words in another case or with dashes included."""
    found = {folded(word): word for word in spellings}
    for word, others in spellings.items():
        found.update({folded(other): word for other in others})
    return found


TASK_KEYS = _table(
    {
        "id": ("task_id", "step_id", "node_id", "key"),
        "name": ("title", "task_name", "step_name", "label"),
        "description": ("instruction", "instructions", "details", "desc"),
        "milestone": ("milestone_id",),
        "skill": ("tool", "skill_name", "tool_name", "skill_id"),
        "params": (
            "parameters", "param", "args", "arguments", "kwargs", "tool_input", "action_input", "tool_args", "tool_params",
            "skill_params",
        ),
        "outputs": ("produces",),
        "depends_on": (
            "dependencies", "dependency", "depends", "deps", "needs", "requires", "prerequisites", "predecessors", "upstream",
            "dependent_task_ids", "wait_for", "waits_for", "after", "run_after",
        ),
        "expected_output": ("expected_result", "deliverable"),
        "run_if": ("condition", "when", "if", "only_if"),
        "for_each": ("foreach", "map_over", "loop_over"),
        "expect": ("assertions", "asserts"),
        "on_failure": ("on_error", "on_fail", "failure_policy", "failure_strategy", "error_handling", "if_fails"),
        "fallback_skill": ("fallback_tool",),
        "retries": ("max_retries", "retry_count", "retry_limit"),
        "timeout_seconds": ("timeout", "timeout_s", "timeout_sec", "time_limit_seconds"),
        "approval": ("requires_approval", "needs_approval", "require_approval", "human_approval"),
        "assignees": ("assignee", "assigned_to"),
        "risk": ("risk_level",),
        "confidence": (),
        "priority": (),
        "pool": ("resource_pool",),
        "weight": ("pool_slots",),
        "always_run": ("run_always",),
        "undo": ("compensation",),
    }
)  # fmt: skip
WEAK_TASK_KEYS = _table({"skill": ("action", "function", "operation"), "params": ("inputs", "input", "with")})
"""Read as ours only where the plan says it in no better way: they may as well be words about the task."""

PLAN_KEYS = _table(
    {
        "goal": ("objective",),
        "result": ("results", "final_outputs", "deliverables"),
        "milestones": ("phases", "stages"),
        "preconditions": ("prerequisites",),
        "risks": (),
        "rollback": ("rollback_plan",),
    }
)
INTENT_KEYS = ("assumptions", "questions", "constraints")
"""Said beside the tasks, they belong to the intent."""

TASKS_KEYS = ("tasks", "steps", "task_list", "subtasks", "task_nodes", "nodes", "todos", "actions")
CHILDREN_KEYS = ("children", "tasks", "steps", "subtasks", "substeps")
LINKS_KEYS = ("edges", "links", "connections", "task_links", "dependencies")
WRAPPED = ("arguments", "input", "parameters", "content", "text", "json")
"""Keys whose text may itself be the JSON of a plan."""

ON_FAILURE = _table(
    {
        "retry_then_ask": ("require_human", "ask_human", "ask", "human", "escalate", "retry", "retry_then_human", "manual"),
        "retry_then_stop": ("stop", "fail", "retry_then_fail"),
        "abort": ("fail_fast", "halt", "stop_run", "retry_then_abort"),
        "retry_different": ("retry_with_different_approach", "try_alternative", "alternative", "retry_other_params"),
        "skip": ("skip_and_continue", "continue", "ignore", "retry_then_skip", "continue_on_error"),
        "fallback": ("use_fallback", "fallback_skill", "fallback_tool"),
        "replan": ("replan_rest",),
    }
)  # fmt: skip

APPROVAL = _table(
    {
        "always": ("required", "require", "yes", "true", "manual", "human", "needed"),
        "auto": ("no", "false", "none", "automatic", "not_required", "optional"),
        "never": (),
    }
)
RISK = _table({"low": ("none", "minimal"), "medium": ("med", "moderate"), "high": ("critical", "severe")})
CONFIDENCE = _table({"high": (), "medium": ("med", "moderate"), "low": ()})
KINDS = _table(
    {
        "json": ("any",),
        "text": ("string", "str", "markdown"),
        "number": ("integer", "int", "float", "numeric"),
        "boolean": ("bool",),
        "list": ("array",),
        "object": ("dict", "map", "mapping"),
        "table": ("dataframe", "csv", "dataset", "rows"),
        "image": ("chart", "plot", "picture", "png", "figure"),
        "file": (),
        "html": (),
    }
)
WORDS = {"on_failure": ON_FAILURE, "approval": APPROVAL, "risk": RISK, "confidence": CONFIDENCE}

NOTHING = frozenset({"", "none", "null", "nil", "n/a", "na", "-", "nothing", "无", "[]"})
"""Words for “no dependency”, unless a task is called so."""
LINK_ENDS = (("source", "target"), ("from", "to"), ("upstream", "downstream"))
SUCCESS = frozenset({"success", "succeeded", "successful", "completed", "complete", "done", "finished", "ok", "data"})
"""What a dependency may say of its condition without changing what a dependency means."""
UNITS = {"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
         "h": 3600, "hr": 3600, "hour": 3600, "hours": 3600}  # fmt: skip
