"""Runs, revisions, tasks, attempts, events, requests and artifacts, read-only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from plans.models import Artifact, Attempt, Event, Request, Revision, Run, Task
from plans.web.admin.readonly import ReadOnlyAdmin, children, parent, pretty


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["short_goal", "state", "owner", "playbook", "has_gaps", "created_at", "ended_at"]
    list_filter = ["state", "has_gaps", "autonomy", "playbook", "created_at", "owner"]
    list_select_related = ["owner"]
    search_fields = ["goal", "uuid"]
    date_hierarchy = "created_at"
    fields = [
        ("state", "has_gaps"), "goal", "owner", "uuid", "playbook", "autonomy", "time_zone", "origin_link",
        "revision_link", "revisions", "tasks", "events", "requests", "artifacts", "model_calls", "inputs_text", "error_text",
        "created_at", "started_at", "ended_at", "cancel_requested_at",
    ]  # fmt: skip
    origin_link = parent("origin", _("origin"))
    revision_link = parent("revision", _("current revision"))
    revisions = children("revision", "run", _("revisions"))
    tasks = children("task", "run", _("tasks"))
    events = children("event", "run", _("events"))
    requests = children("request", "run", _("requests"))
    artifacts = children("artifact", "run", _("artifacts"))
    model_calls = children("modelcall", "run", _("model calls"))
    inputs_text = pretty("inputs", _("inputs"))
    error_text = pretty("error", _("error"))

    @admin.display(description=_("goal"), ordering="id")
    def short_goal(self, run: Run) -> str:
        return run.goal if len(run.goal) <= 100 else run.goal[:99] + "…"

    def view_on_site(self, run: Run) -> str:
        return reverse("run", args=[run.uuid])


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "run_link", "number", "source", "created_at"]
    list_filter = ["source", "created_at"]
    list_select_related = ["run"]
    search_fields = ["graph_hash", "run__goal"]
    fields = ["run_link", "number", "source", "graph_hash", "plan_text", "findings_text", "compiled_text", "created_at"]
    run_link = parent("run", _("run"))
    plan_text = pretty("plan", _("plan"))
    findings_text = pretty("findings", _("findings"))
    compiled_text = pretty("compiled", _("compiled"))


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "run_link", "kind", "skill", "state", "reason", "attempt", "started_at", "ended_at"]
    list_filter = ["state", "kind", "skill", "reason"]
    list_select_related = ["run"]
    search_fields = ["key", "name", "run__goal"]
    fields = [
        "run_link", "key", "name", "kind", "milestone_key", "skill", "skill_version", ("state", "reason"), "attempt",
        "attempts", "requests", "artifacts", "model_calls", "spec_text", "outputs_text", "error_text", "priority", "retries",
        "timeout_seconds", "claimed_by", "lease_expires_at", "ready_at", "started_at", "ended_at",
    ]  # fmt: skip
    run_link = parent("run", _("run"))
    attempts = children("attempt", "task", _("attempts"))
    requests = children("request", "task", _("requests"))
    artifacts = children("artifact", "task", _("artifacts"))
    model_calls = children("modelcall", "task", _("model calls"))
    spec_text = pretty("spec", _("specification"))
    outputs_text = pretty("outputs", _("outputs"))
    error_text = pretty("error", _("error"))


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "task_link", "number", "state", "worker", "started_at", "ended_at"]
    list_filter = ["state", "started_at"]
    list_select_related = ["task"]
    search_fields = ["task__key", "task__name", "worker"]
    fields = [
        "task_link", "number", "state", "worker", "started_at", "ended_at", "params_text", "error_text", "log",
    ]  # fmt: skip
    task_link = parent("task", _("task"))
    params_text = pretty("params", _("rendered parameters"))
    error_text = pretty("error", _("error"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave the large columns out of the list."""
        rows = super().get_queryset(request)
        is_list = request.resolver_match is not None and str(request.resolver_match.url_name).endswith("changelist")
        return rows.defer("log", "params") if is_list else rows


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ["seq", "run_link", "at", "kind", "task_key", "attempt", "actor"]
    list_display_links = ["seq"]
    list_filter = ["kind", "at"]
    list_select_related = ["run", "actor"]
    search_fields = ["task_key", "run__goal", "run__uuid"]
    fields = ["run_link", "seq", "at", "kind", "task_key", "attempt", "actor", "data_text"]
    run_link = parent("run", _("run"))
    data_text = pretty("data", _("data"))


@admin.register(Request)
class RequestAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "run_link", "task_link", "kind", "state", "decision", "decided_by", "created_at"]
    list_filter = ["kind", "state", "decision", "created_at"]
    list_select_related = ["run", "task", "decided_by"]
    search_fields = ["uuid", "run__goal", "task__key"]
    fields = [
        "run_link", "task_link", "uuid", "kind", "state", "decision", "decided_by", "decided_at", "comment", "digest",
        "content_text", "schema_text", "answer_text", "created_at", "consumed_at", "deadline_at",
    ]  # fmt: skip
    run_link = parent("run", _("run"))
    task_link = parent("task", _("task"))
    content_text = pretty("content", _("content"))
    schema_text = pretty("schema", _("schema"))
    answer_text = pretty("answer", _("answer"))


@admin.register(Artifact)
class ArtifactAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "name", "run_link", "task_link", "kind", "size", "created_at"]
    list_filter = ["kind", "created_at"]
    list_select_related = ["run", "task", "blob"]
    search_fields = ["uuid", "name", "filename", "run__goal"]
    fields = [
        "run_link", "task_link", "uuid", "attempt", "name", "kind", "filename", "media_type", "size", "blob_id",
        "meta_text", "created_at",
    ]  # fmt: skip
    run_link = parent("run", _("run"))
    task_link = parent("task", _("task"))
    meta_text = pretty("meta", _("meta"))

    @admin.display(description=_("size in bytes"), ordering="blob__size")
    def size(self, artifact: Artifact) -> int:
        return artifact.blob.size
