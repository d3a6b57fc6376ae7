"""The content policy of every page, reports of what was refused, and the theme."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans.web.urls import urlpatterns
from tests.web.factories import review_run, world

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
    "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    "report-uri /csp-report",
}  # fmt: skip
FORBIDDEN = re.compile(r"<style\b|\sstyle\s*=|\s(?:on[a-z]+|hx-on[:\w-]*)\s*=|javascript:", re.IGNORECASE)
TEMPLATES = sorted(Path(settings.BASE_DIR / "templates").rglob("*.html"))
PAGES = sorted(
    {route.name for route in urlpatterns}
    - {"logout", "theme", "csp_report", "favicon", "artifact", "artifact_view", "artifact_csv", "events_export"}
)


def inline_scripts(text: str) -> list[str]:
    tags = re.findall(r"<script\b[^>]*>", text)
    return [tag for tag in tags if "src=" not in tag and 'type="application/json"' not in tag]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_no_template_has_anything_inline(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert FORBIDDEN.findall(text) == []
    assert inline_scripts(text) == []


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_sent_with_the_policy_and_holds_nothing_inline(name: str, client: Client, owner: User) -> None:
    made = world(owner, text='"><script>alert(1)</script> style="x" ')
    route = next(route for route in urlpatterns if route.name == name)
    by_name = {"request": made.approval.uuid, "artifact_rows": made.table.uuid, "example": "busiest_pages"}
    of_plan = str(route.pattern).startswith("runs/<uuid:uuid>/plan")
    values = [by_name.get(name, review_run(owner).uuid if of_plan else made.run.uuid)]
    if name == "model_call":
        values.append(made.call.pk)
    client.force_login(owner)

    query = {"task": "t1", "attempt": "1", "output": "said", "tab": "events", "step": "t1"}
    response = client.get(reverse(name, args=values if "<" in str(route.pattern) else []), query, follow=True)

    # 405: an address that only takes a POST; 503: a site without workers is not ready
    assert response.status_code in {200, 404, 405, 503}
    assert set(response["Content-Security-Policy"].split("; ")) == POLICY
    if response["Content-Type"].startswith("text/html"):
        text = re.sub(r"&[a-z]+;|&#\w+;", "", response.content.decode())
        tags = " ".join(re.findall(r"<[a-z][^>]*>", text))
        assert FORBIDDEN.findall(re.sub(r'"[^"]*"', '""', tags)) == []
        assert inline_scripts(text) == []


@pytest.mark.parametrize("path", ["/login", "/nowhere", "/admin/", "/admin/plans/run/", "/admin/login/"])
def test_login_errors_and_admin_have_it_too(path: str, admin_client: Client) -> None:
    response = admin_client.get(path)

    assert set(response["Content-Security-Policy"].split("; ")) == POLICY


def test_an_artifact_keeps_its_own_stricter_policy(client: Client, owner: User) -> None:
    made = world(owner)
    client.force_login(owner)

    response = client.get(reverse("artifact_view", args=[made.artifact.uuid]))

    assert response["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


def test_htmx_may_evaluate_and_inject_nothing(client: Client) -> None:
    text = client.get(reverse("login")).content.decode()

    found = re.search(r"name=\"htmx-config\"\s+content='([^']*)'", text)
    assert found is not None
    assert json.loads(found[1]) == {
        "allowEval": False,
        "includeIndicatorStyles": False,
        "selfRequestsOnly": True,
        "allowScriptTags": False,
        "historyCacheSize": 0,
    }


def test_a_report_is_one_bounded_line_in_the_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    body = {"csp-report": {"blocked-uri": "inline\n", "document-uri": "x" * 5000, "script-sample": "secret"}}

    with caplog.at_level(logging.WARNING, logger="plans.web.views.csp"):
        response = client.post(reverse("csp_report"), json.dumps(body), content_type="application/csp-report")

    assert response.status_code == 204
    assert len(caplog.records) == 1
    line = caplog.records[0].getMessage()
    assert "\n" not in line
    assert "secret" not in line
    assert len(line) < 1000


@pytest.mark.parametrize(
    ("body", "code"), [(b"", 400), (b"{", 400), (b"[]", 400), (b'{"csp-report": 1}', 400), (b"x" * 9000, 413)]
)
def test_a_report_that_is_none_is_refused(client: Client, body: bytes, code: int) -> None:
    assert client.post(reverse("csp_report"), body, content_type="application/csp-report").status_code == code


@pytest.mark.parametrize(("cookie", "shown"), [("dark", "dark"), ("light", "light"), ("neon", ""), ("", "")])
def test_the_first_paint_is_in_the_chosen_theme(client: Client, cookie: str, shown: str) -> None:
    client.cookies["theme"] = cookie

    text = " ".join(client.get(reverse("login")).content.decode().split())

    assert re.findall(r'<html [^>]*data-theme="([^"]*)"', text) == ([shown] if shown else [])
    assert f'name="color-scheme" content="{shown or "light dark"}"' in text


def test_a_theme_is_chosen_without_javascript_and_leads_back(client: Client) -> None:
    response = client.post(reverse("theme"), {"theme": "dark", "next": "/login?next=/runs"})

    assert (response["Location"], client.cookies["theme"].value) == ("/login?next=/runs", "dark")
    response = client.post(reverse("theme"), {"theme": "", "next": "/login"})
    assert client.cookies["theme"].value == ""


@pytest.mark.parametrize("onward", ["https://elsewhere.test/", "//elsewhere.test", "javascript:alert(1)", ""])
def test_choosing_a_theme_leads_nowhere_else(client: Client, onward: str) -> None:
    assert client.post(reverse("theme"), {"theme": "dark", "next": onward})["Location"] == reverse("new_run")
