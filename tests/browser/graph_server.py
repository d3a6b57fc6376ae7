"""A loopback server of one graph page with the product's templates and static files, and no database: for graph.js."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from django.http import QueryDict
from django.template.loader import render_to_string

from plans.web.graph.links import Links
from plans.web.graph.page import graph_shown
from plans.web.graph.values import GraphMilestone, GraphPlan, GraphTask, Look

STATIC = Path(__file__).resolve().parents[2] / "static"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Graph</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/plans/tokens.css">
<link rel="stylesheet" href="/static/plans/app.css"><link rel="stylesheet" href="/static/plans/graph.css">
<link rel="stylesheet" href="/harness.css"><script type="module" src="/static/plans/graph.js"></script></head>
<body><div class="bar">{tools}</div><main>{graph}</main></body></html>"""
FRAME = (
    "body { display: grid; grid-template-rows: auto minmax(0, 1fr); height: 100dvh; margin: 0 } .bar { padding: 6px; }"
)


@dataclass
class Scene:
    """What the page shows; a test may change the looks between two requests."""

    plan: GraphPlan
    looks: dict[str, Look] | None
    theme: str = "light"
    refuses: bool = False


def look(state: str, word: str, **more: object) -> Look:
    return Look(state=state, word=word, **more)  # type: ignore[arg-type]


def billing() -> Scene:
    """Return fourteen steps of four milestones with every state."""
    started = datetime.now(UTC) - timedelta(seconds=252)
    rows = [
        ("inventory", "Inventory API calls", "m1", "succeeded", "Succeeded", "1m 42s", []),
        ("export", "Export 30 days of webhooks", "m1", "succeeded", "Succeeded", "3m 08s", []),
        ("changes", "Summarise breaking changes", "m1", "succeeded", "Succeeded", "51 s", ["inventory"]),
        ("keys", "Design idempotency keys", "m2", "succeeded", "Succeeded", "2m 20s", ["changes", "export"]),
        ("risks", "移行リスクを洗い出す", "m2", "retrying", "Retrying, attempt 2 of 3", "", ["changes"]),
        ("schema", "Draft schema migration", "m2", "succeeded", "Succeeded", "1m 05s", ["keys"]),
        ("adapter", "Implement the v2 client adapter", "m3", "running", "Running", "", ["schema"]),
        ("migrate", "Migrate staging database", "m3", "waiting", "Needs approval", "", ["schema"]),
        ("bench", "Benchmark the current client", "m3", "failed", "Failed", "12.4 s", ["export"]),
        ("replay", "Replay webhooks on staging", "m3", "pending", "Pending", "", ["adapter", "migrate"]),
        ("runbook", "Update the on-call runbook", "m4", "ready", "Ready", "", ["schema"]),
        ("canary", "Canary on 5% of traffic", "m4", "until", "Waits until 18:00 UTC", "", ["replay"]),
        ("ledger", "Compare both ledgers & <b>say</b> what differs, row by row, in both currencies", "m4",
         "skipped", "Skipped: its condition was not met", "", ["bench", "replay"]),
        ("remove", "Remove the v1 client", "m4", "cancelled", "Removed from the plan", "", ["canary"]),
    ]  # fmt: skip
    titles = {"m1": "Discover", "m2": "Design", "m3": "Build and verify", "m4": "Release"}
    plan = GraphPlan(
        tasks=tuple(GraphTask(key=row[0], title=row[1], milestone=row[2]) for row in rows),
        milestones=tuple(GraphMilestone(key=key, title=title) for key, title in titles.items()),
        edges=tuple((up, row[0]) for row in rows for up in row[6]),
    )
    looks = {
        row[0]: look(row[3], row[4], length=row[5], since=started if row[3] == "running" else None) for row in rows
    }
    return Scene(plan=plan, looks=looks)


class Server(ThreadingHTTPServer):
    request_queue_size = 64  # a page asks for a dozen modules at once


@contextmanager
def served(scene: Scene) -> Iterator[str]:
    """Serve `scene` and yield the address of its page."""
    server = Server(("127.0.0.1", 0), _handler(scene))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/run"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(scene: Scene) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            answers: dict[str, Callable[[str], tuple[bytes, str]]] = {
                "/run": lambda query: (_page(scene, query), "text/html; charset=utf-8"),
                "/svg": lambda query: (_stage(scene, query), "text/html; charset=utf-8"),
                "/harness.css": lambda query: (FRAME.encode(), "text/css"),
            }
            file = (STATIC / address.path.removeprefix("/static/")).resolve()
            if address.path == "/svg" and scene.refuses:
                self.send_error(503)
            elif address.path in answers:
                self._send(*answers[address.path](address.query))
            elif address.path.startswith("/static/") and file.is_relative_to(STATIC) and file.is_file():
                self._send(file.read_bytes(), TYPES[file.suffix])
            else:
                self.send_error(404)

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the browser's fixture reports what fails."""

    return Handler


def _context(scene: Scene, query: str) -> dict[str, object]:
    links = Links.of(QueryDict(query))
    return {"graph": graph_shown(scene.plan, scene.looks, links=links, now=datetime.now(UTC), source="/svg")}


def _page(scene: Scene, query: str) -> bytes:
    context = _context(scene, query)
    tools = render_to_string("plans/graph/_tools.html", context)
    graph = render_to_string("plans/graph/_graph.html", context)
    return PAGE.format(theme=scene.theme, tools=tools, graph=graph).encode()


def _stage(scene: Scene, query: str) -> bytes:
    return render_to_string("plans/graph/_stage.html", _context(scene, query)).encode()
