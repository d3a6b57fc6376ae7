"""`bench live`, the last step: milliseconds from a commit to the change of the page, in a real Chromium."""

from __future__ import annotations

import os
import random
import shutil
import statistics
import sys
import threading
import time
from importlib import import_module
from typing import Any

from django.conf import settings

from plans.models import Run
from plans.supervise.bench import live
from plans.supervise.bench.figures import Figure, cpu_seconds, figure

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# When the page first showed each event number, by the wall clock this process reads as well.
WATCH = """
window.shown = {};
new MutationObserver(() => {
  const number = document.querySelector("[data-event-count]")?.textContent;
  if (number) window.shown[number] ??= performance.timeOrigin + performance.now();
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


class Page(threading.Thread):
    """A browser on the run's page, in a thread of its own: its loop forbids database calls."""

    def __init__(self, address: str, cookie: str, program: str) -> None:
        super().__init__(daemon=True)
        self.address, self.cookie, self.program = address, cookie, program
        self.shown: dict[int, float] = {}
        self.is_live, self.is_over = threading.Event(), threading.Event()
        self.start()
        if not self.is_live.wait(live.WAIT_SECONDS):
            raise TimeoutError("the page did not go live")

    def run(self) -> None:
        with browser_api().sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=self.program, args=["--no-sandbox", "--disable-gpu"])
            context = browser.new_context()
            # for the whole site: the socket has a path of its own
            context.add_cookies(
                [
                    {
                        "name": settings.SESSION_COOKIE_NAME,
                        "value": self.cookie,
                        "url": self.address.partition("/runs/")[0],
                    }
                ]
            )
            page = context.new_page()
            page.add_init_script(WATCH)
            page.goto(self.address)
            page.locator("html[data-connection=live]").wait_for(state="attached")
            self.is_live.set()
            while not self.is_over.is_set():
                page.wait_for_timeout(50)
                self.shown = {int(number): at for number, at in page.evaluate("window.shown").items()}
            browser.close()

    def have(self, seq: int) -> None:
        """Wait until the page has shown event `seq`. Raises TimeoutError."""
        deadline = time.monotonic() + live.WAIT_SECONDS
        while max(self.shown, default=0) < seq:
            if time.monotonic() > deadline:
                raise TimeoutError(f"event {seq} did not reach the page")
            time.sleep(0.01)

    def close(self) -> None:
        self.is_over.set()
        self.join(live.WAIT_SECONDS)


def browser_api() -> Any:
    return import_module("playwright.sync_api")


def program() -> str | None:
    """Return a Chromium when one and its driver are here; both are for development."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    try:
        browser_api()
    except ImportError:
        return None
    return found


def measure(bench: live.Bench) -> list[Figure]:
    """Measure with the page alone and with nineteen socket clients beside it; without a Chromium say so."""
    found = program()
    if found is None:
        sys.stderr.write("commit to DOM is left out: it needs a Chromium and playwright (make develop)\n")
        return []
    return [*_latency(bench, found, 1), *_latency(bench, found, 20)]


def _latency(bench: live.Bench, found: str, count: int) -> list[Figure]:
    run = live.make_run(bench.owner)
    others = bench.watchers(run, max(count - 1, 1))
    if count == 1:
        others.close()
    page = Page(f"http://127.0.0.1:{bench.port}/runs/{run.uuid}?tab=tasks", live.session_of(bench.owner), found)
    halves, tails, cpus = [], [], []
    for _number in range(live.REPETITIONS):
        cpu = cpu_seconds(bench.pid)
        times = sorted(_singles(run, page))
        halves.append(statistics.median(times))
        tails.append(times[int(len(times) * 0.95)])
        cpus.append((cpu_seconds(bench.pid) - cpu) * 1000 / live.SINGLE_EVENTS)
    page.close()
    if count > 1:
        others.close()
    return [
        figure(f"live.commit_to_dom.p50.{count}", "ms", halves, others.round_trips_ms, cpus),
        figure(f"live.commit_to_dom.p95.{count}", "ms", tails, others.round_trips_ms, cpus),
    ]


def _singles(run: Run, page: Page) -> list[float]:
    """Commit events at random moments; return milliseconds from each commit to the page that shows it (or a later one)."""
    draw = random.Random(20_261_130)  # noqa: S311
    committed = {}
    for _number in range(live.SINGLE_EVENTS):
        time.sleep(draw.uniform(0.12, 0.3))
        seq = live.commit(run, 1)
        committed[seq] = time.time() * 1000
    page.have(seq)
    shown = dict(page.shown)
    return [min(at for number, at in shown.items() if number >= seq) - began for seq, began in committed.items()]
