"""Program of skill `report`: Markdown with tables and pictures to one HTML file that needs nothing and runs nothing."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from plans.core.errors import BadInputError
from plans.core.jsontypes import JsonObject
from plans.skills.compute.htmltable import table_html
from plans.skills.compute.people import tidy
from plans.skills.compute.program import serve

PLACE = re.compile(r"\s*\[\[\s*(table|image)\s*:\s*(.+?)\s*\]\]\s*")
PICTURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
TAGS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "img", "li", "ol", "p", "pre", "s", "section", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "alt"}, "ol": {"start"}}
CLASSES = {"td": {"num", "mid", "none", "keep"}, "th": {"num", "mid"}, "figure": {"table"}, "section": {"notes"}}
LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Report:
    """Builds the page: pieces are placed where the body names them, the rest follows at the end."""

    def __init__(self, params: JsonObject, in_dir: Path) -> None:
        self.words: dict[str, str] = params["words"]
        self.pieces: dict[tuple[str, str], str] = {}
        for number, (name, alt) in enumerate(params["images"].items()):
            self.pieces["image", name] = _figure(in_dir / f"image{number}", name, alt)
        for number, name in enumerate(params["tables"]):
            self.pieces["table", name] = table_html(in_dir / f"table{number}", self.words)
        self.unplaced = list(self.pieces)
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        # Pictures come from the run, never from elsewhere: opening a report must tell nobody.
        self.markdown.add_render_rule("image", _picture_as_text)

    def body(self, text: str) -> str:
        """Return the body's HTML with the pieces it names in their places."""
        tokens = self.markdown.parse(text)
        placed: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            inner = tokens[index + 1] if index + 1 < len(tokens) else None
            match = PLACE.fullmatch(inner.content) if token.type == "paragraph_open" and inner is not None else None
            if match:
                placed.append(_raw(self._piece(match[1], match[2])))
                index += 3
                continue
            _align(token)
            placed.append(token)
            index += 1
        html: str = self.markdown.renderer.render(placed, self.markdown.options, {})
        return html

    def _piece(self, kind: str, name: str) -> str:
        found = self.pieces.get((kind, name))
        if found is None:
            return f"<p>{escape(self.words['missing'].replace('%(name)s', name))}</p>\n"
        if (kind, name) in self.unplaced:
            self.unplaced.remove((kind, name))
        return found

    def rest(self) -> str:
        """Return the pieces the body did not name, each under its name."""
        return "".join(f"<h2>{escape(tidy(name))}</h2>\n{self.pieces[kind, name]}" for kind, name in self.unplaced)

    def notes(self, notes: Sequence[str]) -> str:
        """Return the notes as a box at the end."""
        if not notes:
            return ""
        items = "".join(f"<li>{self.markdown.renderInline(note)}</li>\n" for note in notes)
        return f'<section class="notes"><h2>{escape(self.words["notes"])}</h2>\n<ul>\n{items}</ul></section>\n'


def report(params: JsonObject, in_dir: Path, out_dir: Path) -> JsonObject:
    """Write `report.html`."""
    page = Report(params, in_dir)
    title = tidy(params["title"])
    body = page.body(params["body"])
    heading = "" if body.lstrip().startswith("<h1") else f"<h1>{escape(title)}</h1>\n"
    content = _clean(heading + body + page.rest() + page.notes(params["notes"]))
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    html = (
        f'<!doctype html>\n<html lang="{escape(params["lang"])}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{content}</main>\n</body>\n</html>\n"
    )
    (out_dir / "report.html").write_text(html, encoding="utf-8")
    return {"tables": len(params["tables"]), "images": len(params["images"])}


def _clean(html: str) -> str:
    """The last word on what is in the page: whatever slipped through above ends here as text or not at all."""
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        attribute_filter=_keep,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow",
    )


def _keep(tag: str, attribute: str, value: str) -> str | None:
    if tag == "a" and attribute == "href":
        return value if LINK.match(value) else None
    if tag == "img" and attribute == "src":
        return value if value.startswith("data:image/") and ";base64," in value[:40] else None
    return value


def _figure(path: Path, name: str, alt: str) -> str:
    data = path.read_bytes()
    media = next((media for magic, media in PICTURES.items() if data.startswith(magic)), None)
    if media is None:
        raise BadInputError("report_not_a_picture", name=name)
    source = f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"
    return f'<figure><img src="{source}" alt="{escape(tidy(alt or name))}"></figure>\n'


def _picture_as_text(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return escape(tokens[index].content)


def _raw(html: str) -> Token:
    return Token("html_block", "", 0, content=html)


def _align(token: Token) -> None:
    """A Markdown table's alignment as a class: style attributes do not survive cleaning."""
    style = str(token.attrs.pop("style", "")) if token.type in ("th_open", "td_open") else ""
    if style.endswith("right"):
        token.attrs["class"] = "num"
    elif style.endswith("center"):
        token.attrs["class"] = "mid"


def main() -> None:
    """Entry point in the sandbox."""
    serve(report)
