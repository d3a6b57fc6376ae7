"""Skill `report`: one page that shows everything and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from plans.core.errors import BadInputError
from plans.core.kinds import ValueKind
from tests.skills.context import FolderContext

Call = Callable[..., Any]
Page = Callable[..., str]


class Elements(HTMLParser):
    """Collects (tag, attributes) of everything a browser would build."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(html)
    return parser.found


@pytest.fixture
def page(call: Call, context: FolderContext) -> Page:
    def run(**params: Any) -> str:
        report = call("report", **{"title": "Title", **params})
        assert (report.kind, report.media_type) == ("html", "text/html; charset=utf-8")
        return context.path(report).read_text(encoding="utf-8")

    return run


def main_of(html: str) -> str:
    return html.partition("<main>\n")[2].partition("</main>")[0]


def test_markdown_becomes_a_whole_page(page: Page) -> None:
    html = page(title="Sales <2026>", body="Some *words*.\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| x | 1 |\n")

    assert html.startswith('<!doctype html>\n<html lang="en')
    assert "<title>Sales &lt;2026&gt;</title>" in html
    assert main_of(html) == (
        "<h1>Sales &lt;2026&gt;</h1>\n<p>Some <em>words</em>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"
        '<table>\n<thead>\n<tr>\n<th>a</th>\n<th class="num">b</th>\n</tr>\n</thead>\n'
        '<tbody>\n<tr>\n<td>x</td>\n<td class="num">1</td>\n</tr>\n</tbody>\n</table>\n'
    )


def test_tables_and_pictures_go_where_the_body_says_and_the_rest_to_the_end(page: Page, call: Call) -> None:
    table = call("sql", query="SELECT 'North' AS region, 1234.5 AS amount")
    image = call("chart", table=table.model_dump(), x="region", y="amount", title="By region")

    html = main_of(
        page(
            body="Before\n\n[[image:bars]]\n\nAfter\n\n[[table:nope]]",
            tables={"by region": table.model_dump()},
            images={"bars": image.model_dump()},
        )
    )

    order = [
        html.index(mark)
        for mark in ("Before", "<img", "After", "There is no “nope” here", "<h2>by region</h2>", ">North<")
    ]
    assert order == sorted(order)
    assert re.search(r'<img src="data:image/png;base64,[A-Za-z0-9+/=]+" alt="Bar chart: By region\.', html)


def test_numbers_are_written_for_people(page: Page, call: Call) -> None:
    table = call(
        "sql",
        query="SELECT * FROM (VALUES (2026, 1234567, 1234.5, 12.3456789, DATE '2026-01-01', true, NULL), "
        "(2027, 2, 0.25, -0.0000001, DATE '2026-02-01', false, NULL)) t(year, n, money, ratio, month, ok, nothing)",
    )

    html = main_of(page(tables={"t": table.model_dump()}))

    cells = re.findall(r"<td(?: class=\"([^\"]*)\")?>([^<]*)</td>", html)
    assert cells == [
        ("num", "2026"), ("num", "1,234,567"), ("num", "1,234.50"), ("num", "12.35"), ("keep", "2026-01"), ("keep", "yes"),
        ("none", "–"),
        ("num", "2027"), ("num", "2"), ("num", "0.25"), ("num", "0.00"), ("keep", "2026-02"), ("keep", "no"),
        ("none", "–"),
    ]  # fmt: skip


def test_a_long_table_is_cut_and_says_so(page: Page, call: Call) -> None:
    table = call("sql", query="SELECT range AS n FROM range(1234)")

    html = main_of(page(tables={"t": table.model_dump()}))

    assert (html.count("<tr>") - 1, "First 200 of 1,234 rows" in html) == (200, True)


def test_an_empty_table_says_so(page: Page, call: Call) -> None:
    table = call("sql", query="SELECT 1 AS a WHERE false")

    assert "<figcaption>No rows</figcaption>" in page(tables={"t": table.model_dump()})


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<iframe src=//evil.invalid></iframe>",
    "<style>body{display:none}</style>",
    "</main></body><script>alert(1)</script>",
    "[a](javascript:alert(1))",
    "[a](  JaVaScRiPt:alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:x)",
    "![a](https://evil.invalid/pixel.png)",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    '<a href="javascript:alert(1)">a</a>',
    '<https://ok.invalid/" onmouseover=alert(1)>',
    "[[image:<script>]]",
    "<!-- <script>alert(1)</script> -->",
    '<p style="background:url(//evil.invalid)" onclick="x">p</p>',
]


def test_nothing_hostile_lives_in_body_title_notes_or_cells(page: Page, call: Call, context: FolderContext) -> None:
    cells = "\n".join(
        ["text,<script>alert(1)</script>"] + [f'"{text.replace(chr(34), chr(34) * 2)}",1' for text in HOSTILE]
    )
    table, _ = call("load_file", file=context.attach("bad.csv", cells).model_dump())

    html = page(title=HOSTILE[0], body="\n\n".join(HOSTILE), notes=HOSTILE, tables={HOSTILE[0]: table.model_dump()})

    built = elements(html)
    assert {tag for tag, _ in built} <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "a", "figure", "table", "thead", "tbody",
        "tr", "th", "td", "section", "ul", "li",
    }  # fmt: skip
    for tag, attributes in built:
        assert not any(name.startswith("on") or name in ("style", "srcset", "formaction") for name in attributes), tag
        if tag == "a":
            assert (attributes.get("href") or "https://").startswith("https://")
            assert attributes["rel"] == "noopener noreferrer nofollow"
    assert sum(tag == "style" for tag, _ in built) == 1


def test_the_page_forbids_itself_everything_but_its_own_pictures(page: Page) -> None:
    policies = [a["content"] for tag, a in elements(page()) if a.get("http-equiv") == "Content-Security-Policy"]

    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def test_what_skills_found_becomes_sentences(page: Page) -> None:
    dropped = [
        {"code": "not_a_log_line", "count": 3, "of": "rows", "lines": [4, 9, 12]},
        {"code": "not_a_number", "count": 1, "of": "cells", "lines": [7], "column": "amount", "samples": ["n.k."]},
    ]

    html = main_of(page(notes=["Plain *text*", dropped, None, ""]))

    assert re.findall(r"<li>(.*?)</li>", html) == [
        "Plain <em>text</em>",
        "3 rows left out: not a line of an access log (lines 4, 9, 12).",
        "1 cell of column “amount”: not a number, “n.k.” (line 7).",
    ]


def test_a_file_that_is_no_picture_is_refused(page: Page, context: FolderContext) -> None:
    path = context.workdir / "fake.png"
    path.write_text("<svg onload=alert(1)>")
    fake = context.store(path, kind=ValueKind.IMAGE, name="fake", filename="fake.png", media_type="image/png")

    with pytest.raises(BadInputError) as caught:
        page(images={"fake": fake.model_dump()})

    assert caught.value.code == "report_not_a_picture"
