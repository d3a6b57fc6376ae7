"""Revisions as lists and comparisons show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from plans.core.findings import Severity
from plans.core.revision_diff import changes
from plans.models import Revision, Run
from plans.web.shown.costs import Estimated, estimated
from plans.wording import sentence

FEW = 8
WORDS: dict[str, str | Promise] = {"added": _("Added"), "removed": _("Removed"), "changed": _("Changed")}
CSS = {"added": "add", "removed": "del", "changed": "chg"}
SOURCES: dict[str, str | Promise] = {
    "playbook": _("made by a playbook"),
    "import": _("imported"),
    "edit": _("edited"),
    "model": _("made by the model"),
    "alternative": _("an alternative of the model"),
    "changes": _("made by the model after a comment"),
    "replan": _("planned anew during the run"),
}
LABELS: dict[str, str | Promise] = {"careful": _("Careful"), "cheap": _("Cheap"), "fast": _("Fast")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeShown:
    """One difference in words; `word` says what kind it is, and `css` colours it."""

    word: str | Promise
    css: str
    text: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionShown:
    """A revision beside others; `changes` are those since the one it follows, `more` how many are not listed."""

    revision: Revision
    source: str | Promise
    label: str | Promise
    is_current: bool
    steps: int
    errors: int
    warnings: int
    estimated: Estimated
    changes: list[ChangeShown]
    more: int = 0


def differences(before: Revision, after: Revision) -> list[ChangeShown]:
    """Return how `after` differs from `before`, in words."""
    return [
        ChangeShown(
            word=WORDS[change.kind],
            css=CSS[change.kind],
            text=sentence(change.code, change.params),
            step=change.step,
        )
        for change in changes(before.plan, after.plan)
    ]


def revisions_shown(run: Run, rows: Sequence[Revision]) -> list[RevisionShown]:
    """Return revisions, given newest first, each with what it changed."""
    older = {row.pk: _followed(row, rows) for row in rows}
    return [revision_shown(run, row, older[row.pk]) for row in rows]


def revision_shown(run: Run, row: Revision, followed: Revision | None) -> RevisionShown:
    found = differences(followed, row) if followed else []
    severities = [finding["severity"] for finding in row.findings]
    return RevisionShown(
        revision=row,
        source=SOURCES.get(row.source, row.source),
        label=LABELS.get(row.label, row.label),
        is_current=row.pk == run.revision_id,
        steps=len(row.plan["tasks"]),
        errors=severities.count(Severity.ERROR),
        warnings=severities.count(Severity.WARNING),
        estimated=estimated(row.compiled.get("estimate") or {}, None),
        changes=found[:FEW],
        more=max(len(found) - FEW, 0),
    )


def _followed(row: Revision, rows: Sequence[Revision]) -> Revision | None:
    """Return the revision that `row` was made of: the newest one before it that is no alternative of its own."""
    if row.label:
        return None
    return next((each for each in rows if each.number < row.number and not each.label), None)
