"""The elements of a piece of HTML or SVG as a browser would see them."""

from __future__ import annotations

from html.parser import HTMLParser


class Elements(HTMLParser):
    """Collects elements as a browser would."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def of_class(self, name: str) -> list[dict[str, str]]:
        return [attributes for _, attributes in self.found if name in (attributes.get("class") or "").split()]
