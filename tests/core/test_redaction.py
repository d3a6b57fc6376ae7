"""Secrets leave no text whole, and ordinary text stays as it is."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans.core.redaction import MASK, redact

SECRET = 'canary/ß+42=x"y'


@pytest.mark.parametrize(
    "text",
    [
        f"the value is {SECRET}.",
        json.dumps({"key": SECRET}),
        json.dumps({"key": SECRET}, ensure_ascii=False),
        f"https://example.test/?key={quote(SECRET, safe='')}",
        f"Basic {base64.b64encode(SECRET.encode()).decode()}",
    ],
)
def test_a_known_value_goes_in_every_form(text: str):
    told = redact(text, [SECRET])
    assert MASK in told
    assert "canary" not in told
    assert base64.b64encode(SECRET.encode()).decode()[:10] not in told


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("key sk-ant-api03-AbCdEfGhIjKlMnOp0123", f"key {MASK}"),
        ("AKIAABCDEFGHIJKLMNOP", MASK),
        ("ghp_0123456789abcdefABCDEF0123456789abcd", MASK),
        ("Authorization: Bearer abc123def456ghi789", f"Authorization: Bearer {MASK}"),
        ('{"api_key": "abc123def456ghi789"}', f'{{"api_key": "{MASK}"}}'),
        ("password=hunter2hunter2", f"password={MASK}"),
        ("postgres://ann:s3cretpw@db.example.test/x", f"postgres://{MASK}@db.example.test/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- after", f"{MASK} after"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4", MASK),
    ],
)
def test_what_looks_like_a_key_goes(text: str, left: str):
    assert redact(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Ask for the password of the account and the api key rotation-schedule.",
        "The access token expires-tomorrow-at-noon",
        "SELECT sum(price) FROM sales WHERE region = 'north' -- 2026-11-30T12:00:00",
        "比較今年的銷售額 https://example.test:8080/a?b=1",
        "ratio 12:30@noon, sk-8 and 0123456789012345678901234567890123456789",
        "",
    ],
)
def test_ordinary_text_stays(text: str):
    assert redact(text) == text


@given(st.text(), st.text(min_size=8))
def test_a_secret_never_survives(text: str, secret: str):
    assert secret not in redact(text + secret + text, [secret]).replace(MASK, "") or secret in MASK


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str):
    once = redact(text)
    assert redact(once) == once
