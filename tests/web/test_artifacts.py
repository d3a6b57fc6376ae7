"""Artifacts: names that survive, headers that keep the page safe, and what may be shown in place."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from plans import storage
from tests.web.factories import PNG, REPORT, artifact, table, world

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-store",
}


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def body(response) -> bytes:
    return b"".join(response.streaming_content)


@pytest.mark.parametrize("name", ["artifact", "artifact_view"])
def test_every_artifact_answer_carries_the_safe_headers(browser: Client, owner: User, name: str) -> None:
    made = world(owner)

    response = browser.get(reverse(name, args=[made.artifact.uuid]))

    assert {key: response[key] for key in HEADERS} == HEADERS
    assert body(response) == REPORT
    assert response["Content-Length"] == str(len(REPORT))


def test_a_download_is_an_attachment_with_its_real_name(browser: Client, owner: User) -> None:
    made = world(owner)
    found = artifact(made.first, b"1", kind="file", filename='Umsatz "Q4" 销售.csv', media_type="text/csv")

    response = browser.get(reverse("artifact", args=[found.uuid]))

    assert response["Content-Disposition"] == "attachment; filename*=utf-8''Umsatz%20%22Q4%22%20%E9%94%80%E5%94%AE.csv"
    body(response)


def test_a_report_is_shown_to_the_own_page_only(browser: Client, owner: User) -> None:
    response = browser.get(reverse("artifact_view", args=[world(owner).artifact.uuid]))

    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert response["Content-Disposition"].startswith("inline")
    body(response)


@pytest.mark.parametrize(
    ("data", "media_type", "disposition"),
    [(PNG, "image/png", "inline"), (b"<svg onload=alert(1)>", "application/octet-stream", "attachment")],
)
def test_only_a_real_png_is_shown_in_place(
    browser: Client, owner: User, data: bytes, media_type: str, disposition: str
) -> None:
    made = world(owner)
    found = artifact(made.first, data, kind="image", filename="chart.png", media_type="image/png")

    response = browser.get(reverse("artifact_view", args=[found.uuid]))

    assert (response["Content-Type"], response["Content-Disposition"].partition(";")[0]) == (media_type, disposition)
    body(response)


def test_a_table_is_never_shown_in_place(browser: Client, owner: User) -> None:
    made = world(owner)
    found = artifact(made.first, b"PAR1", kind="file", filename="t.html", media_type="text/html")

    response = browser.get(reverse("artifact_view", args=[found.uuid]))

    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")
    body(response)


def test_bytes_that_are_gone_are_404(browser: Client, owner: User) -> None:
    made = world(owner)
    found = artifact(made.first, b"only here", kind="image", filename="x.png", media_type="image/png")
    storage.local_path(found.blob_id).unlink()

    for name in ("artifact", "artifact_view"):
        assert browser.get(reverse(name, args=[found.uuid])).status_code == 404


def test_a_table_is_downloaded_as_csv_that_holds_no_formula(browser: Client, owner: User) -> None:
    made = world(owner)
    rows = [{"=name": "=1+1", "n": 5}, {"=name": "-3.5", "n": 1}, {"=name": '销售, "Q4"', "n": 2}]
    found = table(made.first, rows, "sheet.parquet")

    response = browser.get(reverse("artifact_csv", args=[found.uuid]))

    assert {key: response[key] for key in HEADERS} == HEADERS
    assert response["Content-Disposition"] == 'attachment; filename="sheet.csv"'
    expected = '\ufeff\'=name,n\r\n\'=1+1,5\r\n-3.5,1\r\n"销售, ""Q4""",2\r\n'
    assert response.content.decode() == expected


def test_only_a_table_has_a_csv(browser: Client, owner: User) -> None:
    assert browser.get(reverse("artifact_csv", args=[world(owner).artifact.uuid])).status_code == 404
