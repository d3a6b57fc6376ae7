"""Addresses of the pages. Everything but login, theme and CSP reports needs a signed-in person."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from plans.web.graph import views as graph
from plans.web.views import (
    artifacts,
    csp,
    decisions,
    edits,
    examples,
    history,
    imports,
    live,
    new_run,
    plan,
    playbooks,
    run,
    runs,
    steering,
    theme,
)

urlpatterns = [
    path("login", LoginView.as_view(template_name="plans/login.html", redirect_authenticated_user=True), name="login"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("theme", theme.choose, name="theme"),
    path("favicon.ico", theme.icon, name="favicon"),
    path("csp-report", csp.report, name="csp_report"),
    path("", login_required(new_run.new_run), name="new_run"),
    path("suggestions", login_required(new_run.suggestions), name="suggestions"),
    path("examples/<slug:name>", login_required(examples.start), name="example"),
    path("import", login_required(imports.import_plan), name="import"),
    path("playbooks", login_required(playbooks.playbooks), name="playbooks"),
    path("inbox", login_required(decisions.inbox), name="inbox"),
    path("inbox/live", login_required(live.inbox), name="live_inbox"),
    path("requests/<uuid:uuid>", login_required(decisions.decision), name="request"),
    path("requests/<uuid:uuid>/edit", login_required(edits.edit), name="edit_request"),
    path("runs", login_required(runs.runs), name="runs"),
    path("runs/<uuid:uuid>", login_required(run.run), name="run"),
    path("runs/<uuid:uuid>/graph", login_required(graph.run_svg), name="run_graph"),
    path("runs/<uuid:uuid>/tab", login_required(run.tab), name="run_tab"),
    path("runs/<uuid:uuid>/panel", login_required(run.panel), name="run_panel"),
    path("runs/<uuid:uuid>/plan", login_required(plan.plan), name="plan"),
    path("runs/<uuid:uuid>/plan/graph", login_required(graph.plan_svg), name="plan_graph"),
    path("runs/<uuid:uuid>/plan/approve", login_required(plan.approve), name="approve_plan"),
    path("runs/<uuid:uuid>/plan/reject", login_required(plan.reject), name="reject_plan"),
    path("runs/<uuid:uuid>/events", login_required(history.events), name="events"),
    path("runs/<uuid:uuid>/events.jsonl", login_required(history.export), name="events_export"),
    path("runs/<uuid:uuid>/output", login_required(history.output), name="output"),
    path("runs/<uuid:uuid>/live", login_required(live.run), name="live_run"),
    path("runs/<uuid:uuid>/requests", login_required(live.requests), name="live_requests"),
    path("runs/<uuid:uuid>/result", login_required(live.result), name="live_result"),
    path("runs/<uuid:uuid>/log", login_required(history.log), name="log"),
    path("runs/<uuid:uuid>/pause", login_required(steering.pause), name="pause_run"),
    path("runs/<uuid:uuid>/resume", login_required(steering.resume), name="resume_run"),
    path("runs/<uuid:uuid>/rerun", login_required(steering.rerun), name="rerun"),
    path("runs/<uuid:uuid>/fork", login_required(steering.fork), name="fork"),
    path("runs/<uuid:uuid>/cancel", login_required(run.cancel), name="cancel_run"),
    path("artifacts/<uuid:uuid>", login_required(artifacts.download), name="artifact"),
    path("artifacts/<uuid:uuid>/rows", login_required(history.rows), name="artifact_rows"),
    path("artifacts/<uuid:uuid>/csv", login_required(artifacts.table_csv), name="artifact_csv"),
    path("artifacts/<uuid:uuid>/view", login_required(artifacts.view), name="artifact_view"),
]
