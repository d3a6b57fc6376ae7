"""Logs as inert text: the end of one in the page, older parts by link, control characters as visible signs."""

from __future__ import annotations

from dataclasses import dataclass

TAIL = 400
LINE = 2000
# U+2400 … are the pictures of the control characters; tab and line feed keep their meaning.
PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
PICTURES |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogShown:
    """Lines `first` to `last` (from 1) of `total`; `before` asks for the lines above, None at the beginning."""

    text: str
    first: int
    last: int
    total: int
    before: int | None
    after: bool


def inert(text: str) -> str:
    """Return `text` with control characters made visible: escape codes colour and move nothing."""
    return text.replace("\r\n", "\n").translate(PICTURES)


def log_shown(log: str, before: int | None = None, size: int = TAIL) -> LogShown:
    """Return the last `size` lines that stand before line `before`."""
    lines = log.removesuffix("\n").split("\n") if log else []
    end = min(len(lines), before - 1 if before else len(lines))
    end = max(end, 0)
    start = max(end - size, 0)
    shown = [line if len(line) <= LINE else line[:LINE] + "…" for line in lines[start:end]]
    return LogShown(
        text=inert("\n".join(shown)),
        first=start + 1 if end else 0,
        last=end,
        total=len(lines),
        before=start + 1 if start else None,
        after=end < len(lines),
    )
