"""A daphne with the live test page, a run that others move, and browsers of its owner."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from playwright.sync_api import BrowserContext, Page

from plans.core.kinds import EventKind
from plans.core.states import TaskState
from plans.models import Run
from tests.processes import Site, Started, status, wait_for
from tests.web.live.rows import move

SETTINGS = "tests.browser.live_site.settings"
# What a browser itself says when a server goes away; everything else it says is a failure.
LOSS = re.compile(r"WebSocket connection to|net::ERR_(CONNECTION|SOCKET|EMPTY)|ERR_NETWORK")


def elsewhere(act: Callable[[], Any]) -> Any:
    """Do something as another process would: Playwright's loop forbids the database in this thread."""
    found: list[Any] = []

    def call() -> None:
        try:
            found.append(act())
        finally:
            connection.close()

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(60)
    assert found, "it failed; see the thread's exception"
    return found[0]


@dataclass
class Live:
    """A daphne with the test page, a run, and browsers of its owner."""

    site: Site
    web: Started
    url: str
    run: Run
    context: BrowserContext
    problems: list[str]

    def open(self, *scripts: str) -> Page:
        page = self.context.new_page()
        for script in scripts:
            page.add_init_script(script)
        page.set_default_timeout(20_000)
        page.on("console", lambda said: self.heard(f"{said.type}: {said.text}") if said.type == "error" else None)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.goto(f"{self.url}/live-page/{self.run.uuid}")
        return page

    def heard(self, text: str) -> None:
        if not LOSS.search(text):
            self.problems.append(text)

    def start(self) -> None:
        """Start daphne on the port it had."""
        port = int(self.url.rpartition(":")[2])
        with socket.create_server(("127.0.0.1", port)) as listener:
            fd = listener.fileno()
            command = ("-m", "daphne", "-v", "0", "--fd", str(fd), "planner_site.asgi:application")
            self.web = self.site.start(*command, pass_fds=(fd,), DJANGO_SETTINGS_MODULE=SETTINGS)
        wait_for(lambda: status(self.url), timeout=60, what="daphne to answer again")

    def move(self, key: str, state: TaskState, kind: EventKind) -> None:
        elsewhere(lambda: move(self.run, key, state, kind) or True)

    def running(self, key: str) -> None:
        self.move(key, TaskState.RUNNING, EventKind.TASK_RUNNING)

    def succeeded(self, key: str) -> None:
        self.move(key, TaskState.SUCCEEDED, EventKind.TASK_SUCCEEDED)
