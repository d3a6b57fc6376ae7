"""How far the items of a fan-out are, in words: the same in lists, in the graph and in frames."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from plans.core.states import TaskState
from plans.items import ItemCounts


def items_note(counted: ItemCounts | None) -> str:
    """Return such as "312 of 1,000 done, 2 failed"; empty for what is no fan-out."""
    if counted is None or not counted.total:
        return ""
    n = _("%(done)s of %(total)s done") % {"done": _whole(counted.done), "total": _whole(counted.total)}
    notes = [n]
    if failed := counted.states[TaskState.FAILED]:
        notes.append(_("%(n)s failed") % {"n": _whole(failed)})
    if waiting := counted.states[TaskState.WAITING]:
        notes.append(ngettext("%(n)s waits", "%(n)s wait", waiting) % {"n": _whole(waiting)})
    if counted.missing:
        notes.append(_("%(n)s missing") % {"n": _whole(counted.missing)})
    return ", ".join(notes)


def _whole(n: int) -> str:
    return number_format(n, use_l10n=True, force_grouping=True)
