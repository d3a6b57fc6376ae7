"""The New run form as a browser sends it."""

from __future__ import annotations

import re
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

GOAL = "find the five pages with most traffic and make a bar chart report"
LINE = '198.18.0.%d - - [17/May/2026:10:05:%02d +0000] "GET /page/%d HTTP/1.1" 200 100 "-" "Mozilla/5.0"\n'
LOG = "".join(LINE % (n, n, n % 7) for n in range(50)).encode()
SALES = "Order date,Region,Sales\n" + "".join(f"2025-{m:02d}-15,North,{m}00.50\n" for m in range(1, 13))


def upload(data: bytes = LOG, name: str = "web.log") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def send(browser: Client, **data: Any) -> str:
    sent = {"goal": GOAL, "autonomy": "risky_steps", "token": "t" * 20, "plan": "1", **data}
    response = browser.post(reverse("new_run"), sent, follow=True)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def hidden(text: str, name: str) -> list[str]:
    return re.findall(rf'name="{name}" value="([^"]*)"', text)
