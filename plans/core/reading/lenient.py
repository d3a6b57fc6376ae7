"""A JSON reader that forgives what can only mean one thing, and says each thing it forgave.

Comments, trailing commas, single and typographic quotes, bare keys, Python's words, full-width punctuation, line breaks
inside texts and backslashes that escape nothing are certain. A text that ends too early, or a place that could be read
in two ways, is refused with its position. Time grows with the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 100

_BLANK = re.compile(r"[\s\u200b\u2060\ufeff]+")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+])")
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_LEFT_OUT = re.compile(r"\.\.\.|…")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_CONTROL = re.compile("[\x00-\x1f]")
# opening mark -> what may close the text, and what the text consists of until then
_QUOTES: dict[str, tuple[str, re.Pattern[str]]] = {
    '"': ('"', re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)),
    "'": ("'", re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL)),
    **dict.fromkeys("“”„‟", ("“”„‟", re.compile(r"[^“”„‟\\]*(?:\\.[^“”„‟\\]*)*", re.DOTALL))),
    **dict.fromkeys("‘’‚", ("‘’‚", re.compile(r"[^‘’‚\\]*(?:\\.[^‘’‚\\]*)*", re.DOTALL))),
}
_LIKE = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ","}


class Broken(Exception):
    """The text cannot be read at `position`."""

    code = "not_json"

    def __init__(self, position: int, detail: str) -> None:
        super().__init__(detail)
        self.position = position
        self.detail = detail


class Cut(Broken):
    """The text ends, or leaves something out, where more was to come."""

    code = "plan_cut_off"


class TooDeep(Exception):
    """More levels than a plan may have."""


class Lenient:
    """Reads values out of one text. `notes` gives the position of the first of each kind of thing that was forgiven."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.notes: dict[str, int] = {}
        self.repeated: list[str] = []
        self.keys = 0
        """How many keys were read: one is enough to know that this is no prose."""
        self._at = 0

    def read(self, start: int) -> tuple[Any, int]:
        """Return the value that begins at `start` and where it ends. Raises Broken, Cut, TooDeep."""
        self._at = start
        return self._value(0), self._at

    def _note(self, code: str, position: int) -> None:
        self.notes.setdefault(code, position)

    def _skip(self) -> None:
        while True:
            if blank := _BLANK.match(self.text, self._at):
                self._at = blank.end()
            elif comment := _COMMENT.match(self.text, self._at):
                self._note("comments_removed", self._at)
                self._at = comment.end()
            elif self.text.startswith("/*", self._at):
                raise Cut(self._at, "a comment is not closed")
            else:
                return

    def _next(self) -> str:
        """Return the sign that comes next, full-width signs as the plain ones they stand for."""
        self._skip()
        if self._at >= len(self.text):
            raise Cut(self._at, "the text ends here")
        sign = self.text[self._at]
        if sign in _LIKE:
            self._note("punctuation_corrected", self._at)
        return _LIKE.get(sign, sign)

    def _value(self, depth: int) -> Any:
        sign = self._next()
        if sign in "{[":
            if depth >= MAX_DEPTH:
                raise TooDeep
            self._at += 1
            return self._object(depth + 1) if sign == "{" else self._list(depth + 1)
        if sign in _QUOTES:
            return self._text()
        if number := _NUMBER.match(self.text, self._at):
            self._at = number.end()
            return self._number(number[0])
        return self._word()

    def _number(self, written: str) -> int | float:
        try:
            found: int | float = json.loads(written)
        except ValueError as error:  # thousands of digits
            raise Broken(self._at, str(error)[:100]) from error
        return found

    def _word(self) -> Any:
        if _LEFT_OUT.match(self.text, self._at):
            raise Cut(self._at, "something is left out here")
        word = _WORD.match(self.text, self._at)
        if word is None or word[0] not in _WORDS:
            if word and word.end() == len(self.text):
                raise Cut(self._at, "the text ends here")
            raise Broken(self._at, "a value was expected")
        if word[0][0].isupper():
            self._note("words_corrected", self._at)
        self._at = word.end()
        return _WORDS[word[0]]

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def item() -> Any:
            key = self._key()
            if self._next() != ":":
                raise Broken(self._at, "“:” was expected")
            self._at += 1
            self.keys += 1
            if key in found and key not in self.repeated:
                self.repeated.append(key)
            found[key] = self._value(depth)
            return found[key]

        self._items("}", item, lambda sign: sign in _QUOTES or _WORD.match(sign) is not None)
        return found

    def _key(self) -> str:
        if self._next() in _QUOTES:
            return self._text()
        word = _WORD.match(self.text, self._at)
        if word is None:
            raise Broken(self._at, "a key was expected")
        self._note("quotes_corrected", self._at)
        self._at = word.end()
        return word[0]

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []

        def item() -> Any:
            found.append(self._value(depth))
            return found[-1]

        # Two texts side by side could also be one text in two pieces.
        self._items("]", item, lambda sign: sign in "{[")
        return found

    def _items(self, closer: str, item: Callable[[], Any], may_follow: Callable[[str], bool]) -> None:
        """Read items up to `closer`. A comma may be missing where it is plain that one item has ended."""
        if self._next() == closer:
            self._at += 1
            return
        while True:
            last = item()
            end = self._at
            sign = self._next()
            if sign == ",":
                self._at += 1
                if self._next() != closer:
                    continue
                self._note("trailing_commas_removed", end)
                sign = closer
            if sign == closer:
                self._at += 1
                return
            is_plain = isinstance(last, dict | list) or "\n" in self.text[end : self._at]
            if not (is_plain and may_follow(sign)):
                raise Broken(self._at, f"“,” or “{closer}” was expected")
            self._note("missing_commas_added", end)

    def _text(self) -> str:
        start = self._at
        mark = self.text[start]
        closers, inside = _QUOTES[mark]
        if self.text.startswith(mark * 3, start) and (end := self.text.find(mark * 3, start + 3)) >= 0:
            self._note("quotes_corrected", start)
            return self._block(start + 3, end)
        body = inside.match(self.text, start + 1)
        end = body.end() if body else len(self.text)
        if end >= len(self.text) or self.text[end] not in closers:
            raise Cut(start, "a text that begins here is not closed")
        if mark != '"':
            self._note("quotes_corrected", start)
        self._at = end + 1
        return self._decoded(self.text[start + 1 : end], start + 1)

    def _block(self, start: int, end: int) -> str:
        """Return a text in triple quotes; with a backslash in it nobody can say what was meant."""
        body = self.text[start:end]
        if "\\" in body:
            raise Broken(start + body.index("\\"), "a backslash inside triple quotes")
        self._at = end + 3
        return body

    def _decoded(self, raw: str, start: int) -> str:
        if _CONTROL.search(raw):
            self._note("line_breaks_kept", start)
        if "\\" not in raw:
            return raw
        escapes = [(each.start(), each[1][0]) for each in _ESCAPE.finditer(raw)]
        wrong = [place for place, sign in escapes if not _is_escape(raw, place, sign)]
        if wrong:
            # `C:\Users` is a path; in `C:\Users\new` the `\n` could be either.
            if len(wrong) < sum(sign not in "\"'/" for _, sign in escapes):
                raise Broken(start + wrong[0], "a backslash that escapes nothing")
            self._note("backslashes_kept", start + wrong[0])
        return _paired(_ESCAPE.sub(lambda each: _unescaped(each[1]), raw))


def _is_escape(raw: str, place: int, sign: str) -> bool:
    return sign in "\"'\\/bfnrt" or (sign == "u" and _ESCAPE.match(raw, place)[1] != "u")  # type: ignore[index]


def _paired(text: str) -> str:
    """Return the text with each pair of surrogates as the one character that it stands for."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", **{sign: sign for sign in "\"'\\/"}}


def _unescaped(escape: str) -> str:
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _PLAIN.get(escape, "\\" + escape)
