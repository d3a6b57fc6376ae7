"""`make tour`: a real site with runs in several states, and pictures of every page, light and dark, narrow and wide.

python -m tests.tour [FOLDER] [--only NAME]
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "tests" / "screenshots"
SIZES = {"390": {"width": 390, "height": 844}, "1440": {"width": 1440, "height": 900}}
PASSWORD = "a password for the tour"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=PICTURES)
    parser.add_argument("--only", default="", help="only pages whose name begins so")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp(prefix="forethought-tour-"))
    try:
        set_up(data)
        from tests.tour_runs import fill

        with site(data) as address:
            pages = {name: path for name, path in fill(PASSWORD).items() if name.startswith(options.only)}
            take_pictures(address, pages, options.folder)
    finally:
        shutil.rmtree(data, ignore_errors=True)
    return 0


def set_up(data: Path) -> None:
    """Make an empty site in `data`, for this process and those it starts."""
    os.environ.update(DJANGO_SETTINGS_MODULE="planner_site.settings", PLANS_DATA_DIR=str(data), LOG_LEVEL="WARNING")
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)


@contextmanager
def site(data: Path) -> Iterator[str]:
    """Start workers and web server; yield the address."""
    from tests.processes import status, wait_for

    ready = data / "ready"
    environment = os.environ | {"PLANS_WORKER_READY_FILE": str(ready)}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        descriptor = listener.fileno()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        daphne = ["-m", "daphne", "-v", "0", "--fd", str(descriptor), "planner_site.asgi:application"]
        started = [
            subprocess.Popen([sys.executable, *command], cwd=ROOT, env=environment, pass_fds=(descriptor,))
            for command in (["manage.py", "work"], daphne)
        ]
        try:
            wait_for(ready.exists, timeout=60, what="the workers")
            wait_for(lambda: status(address), timeout=60, what="the web server")
            yield address
        finally:
            for process in reversed(started):
                process.terminate()
            for process in started:
                process.wait(60)


def take_pictures(address: str, pages: dict[str, str], folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import ARGUMENTS

    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for width, size in SIZES.items():
            for theme in ("light", "dark"):
                context = browser.new_context(viewport=size, has_touch=width == "390", base_url=address)
                context.add_cookies([{"name": "theme", "value": theme, "url": address}])
                page = context.new_page()
                page.on("console", lambda said: print(said.type, said.text) if said.type == "error" else None)
                for name, path in pages.items():
                    visit(page, name, path)
                    page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)
                    print(f"{name}-{width}-{theme}.png")
                context.close()
        browser.close()


def visit(page, name: str, path: str) -> None:
    """Open a page; those behind a form are reached through it."""
    who, _colon, path = path.partition(":")
    sign_in(page, who)
    page.goto(path)
    if name.startswith("form-"):
        sample = ROOT / "plans" / "samples" / ("sales.csv" if name == "form-nothing-fits" else "access.log")
        goal = "Write a poem about the sea" if name == "form-nothing-fits" else "find the five pages with most traffic"
        page.get_by_label("Goal", exact=True).fill(goal)
        page.get_by_label("Attachments").set_input_files(str(sample))
        page.locator("#suggestions p").first.wait_for()
        if name != "form-filled":
            page.get_by_role("button", name="Make a plan").click()
            page.wait_for_load_state()
    if name == "menu":
        page.locator("details[data-menu] summary").click()
    page.wait_for_load_state("load")


def sign_in(page, who: str) -> None:
    """Be `who` from here on; an empty name is nobody."""
    if getattr(page, "visitor", None) == who:
        return
    page.context.clear_cookies(name="sessionid")
    page.visitor = who
    if not who:
        return
    page.goto("/login")
    page.get_by_label("Username").fill(who)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/")


if __name__ == "__main__":
    sys.exit(main())
