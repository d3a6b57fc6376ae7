"""The nearest known name, for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_BETWEEN_WORDS = str.maketrans("", "", " \t\n-_")


def folded(name: str) -> str:
    """Return the form in which names that people take for the same are equal: case, blanks, dashes, underscores."""
    return name.casefold().translate(_BETWEEN_WORDS)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None when none is."""
    names = sorted(known)
    same = [each for each in names if folded(each) == folded(name)]
    if same:
        return same[0]
    found = get_close_matches(name, names, n=1, cutoff=0.7)
    return found[0] if found else None
