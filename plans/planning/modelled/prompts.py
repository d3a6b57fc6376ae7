"""The prompts: files beside the code, with slots written <<name>>."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "prompts"
_SLOT = re.compile(r"<<([a-z_]+)>>")


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


def prompt(name: str, **slots: str) -> str:
    """Return the prompt with its slots filled, all at once: what a slot brings is not looked at again.

    Raises KeyError for a slot that is not given, or given and not there.
    """
    text = _text(name)
    unknown = slots.keys() - set(_SLOT.findall(text))
    if unknown:
        raise KeyError(f"{name} has no slot {sorted(unknown)}")
    return _SLOT.sub(lambda hit: slots[hit[1]], text)
