"""Checks of placeholders as other products write them: they are ordinary text here and would be passed on as such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plans.core import placeholders
from plans.core.compile import fixes
from plans.core.compile.draft import Draft
from plans.core.names import RESULT, dotted
from plans.core.spec import TaskSpec

# Each gives the name in its first group, or a number in `n`; what follows the bracket is the path.
_FORMS = re.compile(
    r"\$\{\s*(?P<dollar>[^{}\s][^{}]{0,100}?)\s*\}"
    r"|<(?:node|step|task|GENERATED)>?-(?P<node>\d{1,4})>?(?P<after>(?:\.\w+)?)"
    r"|(?<!\{)\{(?P<brace>[A-Za-z_][\w-]{0,100}\.[\w.]{1,100})\}(?!\})"
    r"|\#E(?P<evidence>\d{1,4})\b"
    r"|<<\s*(?P<angle>[^<>\s][^<>]{0,100}?)\s*>>",
)
_MOST_LOOKED_AT = 100_000
"""Characters of one text; a longer one is data."""


def check(draft: Draft) -> None:
    """Add a finding for each foreign placeholder that can only mean a task or output, and for each that means nothing."""
    ids = list(draft.tasks)
    for task in draft.tasks.values():
        info = draft.info(task)
        literal = info.literal if info else frozenset()
        for name, value in task.params.items():
            for path, text in placeholders.texts_in({} if name in literal else value, (name,)):
                if len(text) <= _MOST_LOOKED_AT and ("{" in text or "<" in text or "#E" in text):
                    field = "params." + ".".join(str(step) for step in path)
                    _check_text(draft, task, field, text, ids)


def _check_text(draft: Draft, task: TaskSpec, field: str, text: str, ids: list[str]) -> None:
    meant: dict[str, str] = {}
    unknown: dict[str, None] = {}
    for written, name, is_sure in _found(text, ids):
        reference = _meant(draft, name) if name is not None else None
        if reference is not None:
            meant[written] = reference
        elif is_sure:
            unknown[written] = None
    if meant:
        corrected = _FORMS.sub(lambda match: f"{{{{ {meant[match[0]]} }}}}" if match[0] in meant else match[0], text)
        fix = fixes.replace(field, corrected)
        draft.say("foreign_placeholder", task=task.id, fix=fix, id=task.id, field=field, written=list(meant)[:10])
    if unknown:
        draft.say("unknown_placeholder", task=task.id, id=task.id, field=field, written=list(unknown)[:10])


def _found(text: str, ids: list[str]) -> Iterator[tuple[str, str | None, bool]]:
    """Give what is written, the name in it (None: a number that no task has), and whether it is surely a placeholder."""
    for match in _FORMS.finditer(text):
        groups = match.groupdict()
        if groups["node"] is not None:
            number = int(groups["node"])
            yield match[0], ids[number] if number < len(ids) else None, True
        elif groups["evidence"] is not None:
            number = int(groups["evidence"]) - 1
            yield match[0], ids[number] if 0 <= number < len(ids) else None, False
        else:
            name = next(groups[key] for key in ("dollar", "brace", "angle") if groups[key] is not None)
            yield match[0], name, groups["dollar"] is not None and name.isdigit()


def _meant(draft: Draft, name: str) -> str | None:
    """Return the reference in our own form, None when the name is of no task and no output."""
    owner, _, rest = name.partition(".")
    if owner in draft.producers:
        return name
    if owner not in draft.tasks:
        return None
    outputs = draft.outputs(draft.tasks[owner])
    first = rest.partition(".")[0]
    is_output = outputs is None or first in outputs
    return f"{dotted(owner)}.{rest if rest and is_output and first not in {'output', 'outputs'} else RESULT}"
