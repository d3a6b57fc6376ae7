"""The main job in a real browser against real daphne and real workers: goal, plan, approval, run, result."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from playwright.sync_api import FrameLocator, Page, expect

from tests.processes import Site, wait_for
from tests.web.factories import review_run, simple_plan, world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GOAL = "find the five pages with most traffic and make a bar chart report"
SAMPLES = Path(__file__).resolve().parents[2] / "plans" / "samples"
PASSWORD = "a password for the browser"


@dataclass
class Visitor:
    """A signed-in person with a browser."""

    page: Page
    url: str

    def open(self, path: str) -> None:
        self.page.goto(self.url + path)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def submit_goal(self, goal: str, *files: Path) -> None:
        self.open("/")
        self.page.get_by_label("Goal", exact=True).fill(goal)
        if files:
            self.page.get_by_label("Attachments").set_input_files([str(file) for file in files])
        self.press("Make a plan")
        expect(self.page.get_by_role("heading", name="Check the parameters")).to_be_visible()

    def reload_until(self, text: str, timeout: float = 60) -> None:
        """Reload until the run's state reads `text`; every wait is for a condition, none for a time."""

        def is_there() -> bool:
            # The run's own state stands first in the page's head; tasks further down have states of their own.
            if text in self.page.locator("main header .pill").first.inner_text():
                return True
            self.page.reload()
            return False

        wait_for(is_there, timeout=timeout, what=f"{text!r} on {self.page.url}")

    def reload_until_asked(self) -> None:
        wait_for(
            lambda: self.page.locator("[data-ask]").count() or not self.page.reload(), timeout=60, what="a question"
        )

    def make_and_approve(self) -> None:
        self.press("Make a plan")
        self.reload_until("Needs approval")
        self.press("Approve and run")
        expect(self.page.get_by_role("link", name=re.compile(r"^Tasks"))).to_be_visible()

    def report(self) -> FrameLocator:
        return self.page.frame_locator("iframe.report")


@pytest.fixture
def address(site: Site) -> str:
    """Start the site with two workers; return its address. Rows are made before a browser is there (its loop forbids)."""
    user = User.objects.create_user("ada")
    # The started processes know no quick test hashes, so the password is stored as they store one.
    User.objects.filter(pk=user.pk).update(password=PBKDF2PasswordHasher().encode(PASSWORD, "saltsaltsaltsaltsaltsa"))
    site.worker()
    return site.web()[1]


@pytest.fixture
def visitor(address: str, page: Page) -> Visitor:
    """Log in by the form, as a person does."""
    page.goto(address + "/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="What should be done?")).to_be_visible()
    return Visitor(page, address)


@pytest.fixture
def endless_words(address: str) -> list[str]:
    """Return addresses of pages full of words without an end."""
    owner = User.objects.get(username="ada")
    made = world(owner, goal="w" * 5000, text="w" * 500)
    review = review_run(owner, simple_plan(goal="界" * 2000))
    run = f"/runs/{made.run.uuid}"
    return [f"/runs/{review.uuid}/plan", run, f"{run}?task=t1", f"{run}/events", f"/requests/{made.question.uuid}"]


def busiest(path: Path, top: int = 5) -> list[tuple[str, int]]:
    """Count page views with nothing of the product's: GET, status below 400, no query, no static file."""
    line = re.compile(r'\] "GET (\S+) HTTP/[\d.]+" (\d{3}) ')
    static = re.compile(r"\.(png|jpe?g|gif|svg|ico|webp|avif|bmp|css|js|mjs|map|woff2?|ttf|otf|eot)$", re.IGNORECASE)
    views: Counter[str] = Counter()
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if (found := line.search(text)) and int(found[2]) < 400:
            address = found[1].partition("?")[0].partition("#")[0]
            if not static.search(address):
                views[address] += 1
    return sorted(views.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


def assert_reported(visitor: Visitor, expected: list[tuple[str, int]]) -> None:
    """Each page stands in a row of a table of the report, next to its number."""
    expect(visitor.report().locator("tr").first).to_be_visible()
    rows = [row.split() for row in visitor.report().locator("tr").all_inner_texts()]
    for address, count in expected:
        assert [row for row in rows if address in row and str(count) in row] != [], (address, count, rows)


def carry_out(visitor: Visitor, log: Path) -> None:
    visitor.submit_goal(GOAL, log)
    visitor.make_and_approve()
    visitor.reload_until("Succeeded")
    expect(visitor.page.get_by_role("heading", name="Result")).to_be_visible()


def test_the_busiest_pages_of_the_own_sample_end_in_a_report_one_can_read_and_download(visitor: Visitor) -> None:
    log = SAMPLES / "access.log"

    carry_out(visitor, log)

    assert_reported(visitor, busiest(log))
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("link", name=re.compile(r"^Download .*\.html$")).click()
    html = Path(download.value.path()).read_text(encoding="utf-8")
    assert download.value.suggested_filename.endswith(".html")
    for address, count in busiest(log):
        assert address in html
        assert str(count) in html


def test_the_busiest_pages_of_a_real_log_are_the_right_ones(visitor: Visitor, corpora: Path) -> None:
    carry_out(visitor, corpora / "data" / "logs" / "apache_access_combined.log")

    expected = [
        ("/", 491),
        ("/blog/tags/puppet", 409),
        ("/projects/xdotool/", 169),
        ("/projects/xdotool/xdotool.xhtml", 128),
        ("/articles/dynamic-dns-with-dhcp/", 120),
    ]
    assert_reported(visitor, expected)
    text = visitor.report().locator("body").inner_text()
    assert "GET" in text
    assert "2015" in text


def test_a_diagnosis_asks_in_the_browser_and_skips_what_an_answer_makes_needless(visitor: Visitor) -> None:
    visitor.submit_goal("The recent files are missing in Word")
    visitor.make_and_approve()
    visitor.reload_until_asked()

    visitor.page.get_by_label("Number (0 to 50)").fill("none")
    visitor.press("Answer")
    expect(visitor.page.get_by_text("Enter a whole number, such as 12.")).to_be_visible()
    visitor.page.get_by_label("Number (0 to 50)").fill("0")
    visitor.press("Answer")
    visitor.reload_until("Succeeded")

    assert visitor.page.get_by_text("Skipped: its condition was not met").count() >= 3
    expect(visitor.report().locator("h1").first).to_be_visible()


def test_a_goal_nothing_fits_keeps_text_and_file_and_makes_no_run(visitor: Visitor, tmp_path: Path) -> None:
    table = tmp_path / "sales.csv"
    table.write_text("day,amount\n2025-01-01,1\n2025-01-02,2\n", encoding="utf-8")
    visitor.open("/")
    visitor.page.get_by_label("Goal", exact=True).fill("Write a poem about the sea")
    visitor.page.get_by_label("Attachments").set_input_files(str(table))
    visitor.press("Make a plan")

    expect(visitor.page.get_by_text("No playbook fits this goal, so no run was made.")).to_be_visible()
    expect(visitor.page.get_by_label("Goal", exact=True)).to_have_value("Write a poem about the sea")
    expect(visitor.page.get_by_text("sales.csv", exact=True)).to_be_visible()
    visitor.open("/runs")
    expect(visitor.page.get_by_text("No runs yet.")).to_be_visible()


def test_a_run_is_cancelled_only_after_a_second_look(visitor: Visitor) -> None:
    visitor.submit_goal("The recent files are missing in Word")
    visitor.make_and_approve()
    visitor.reload_until_asked()

    visitor.page.get_by_role("link", name="Cancel run").click()
    expect(visitor.page.get_by_role("heading", name="Cancel this run?")).to_be_visible()
    visitor.press("Cancel run")

    visitor.reload_until("Cancelled")


def test_no_page_scrolls_sideways_on_a_phone_even_with_endless_words(
    endless_words: list[str], visitor: Visitor
) -> None:
    visitor.page.set_viewport_size({"width": 390, "height": 844})

    for path in ["/", "/runs", "/inbox", "/playbooks", "/import", *endless_words]:
        visitor.open(path)
        wide = visitor.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert (path, wide) == (path, 0)
