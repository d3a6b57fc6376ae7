"""Sentences that say why a run does not move."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from plans.core.states import RequestKind

WAITS: dict[str, Any] = {
    RequestKind.PLAN_APPROVAL: _lazy("The plan waits for an approval since %(since)s"),
    RequestKind.TASK_APPROVAL: _lazy("“%(task)s” waits for an approval since %(since)s"),
    RequestKind.QUESTION: _lazy("“%(task)s” waits for an answer since %(since)s"),
    RequestKind.FAILURE: _lazy("“%(task)s” has failed and waits for a decision since %(since)s"),
    RequestKind.BUDGET: _lazy("The budget is reached; a decision is needed since %(since)s"),
    RequestKind.STUCK: _lazy("The run cannot move by itself; somebody is asked since %(since)s"),
}


def clock(at: datetime | None) -> str:
    """Return a time as people say it: the hour today, else with its day, in the active zone."""
    if at is None:
        return _("a while ago")
    here, now = timezone.localtime(at), timezone.localtime()
    return formats.date_format(here, "H:i" if here.date() == now.date() else "j M H:i")


def _request(params: Mapping[str, Any]) -> str:
    text = str(WAITS[params["kind"]]) % {"task": params["task"], "since": clock(params["since"])}
    if params["deadline"] is None:
        return text + "."
    when = clock(params["deadline"])
    if params["default"] is None:
        return _("%(text)s, until %(at)s.") % {"text": text, "at": when}
    return _("%(text)s; default %(default)s at %(at)s.") % {
        "text": text, "default": _default(params["default"]), "at": when,
    }  # fmt: skip


def _default(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {inner}" for name, inner in value.items())
    return str(value)


def _running(params: Mapping[str, Any]) -> str:
    return _("“%(task)s” runs since %(since)s on %(worker)s, its lease was renewed %(seconds)s s ago.") % {
        **params, "since": clock(params["since"]),
    }  # fmt: skip


def _pool(params: Mapping[str, Any]) -> str:
    return _(
        "“%(task)s” is ready, but pool %(pool)s is full (%(used)s of %(slots)s): %(holder)s on %(worker)s since %(since)s."
    ) % {**params, "since": clock(params["since"])}


def _no_worker(params: Mapping[str, Any]) -> str:
    if params["seconds"] is None:
        return _("“%(task)s” is ready, and no worker has ever claimed a step. Is one running?") % params
    return _("“%(task)s” is ready, and no worker has claimed for %(seconds)s s. Is one running?") % params


def _no_slot(params: Mapping[str, Any]) -> str:
    return ngettext(
        "“%(task)s” is ready and waits for a free slot: %(running)s step runs.",
        "“%(task)s” is ready and waits for a free slot: %(running)s steps run.",
        params["running"],
    ) % dict(params)


def _held(params: Mapping[str, Any]) -> str:
    text = _("All new work is held since %(at)s") % {"at": clock(params["at"])}
    if params["by"]:
        text = _("All new work is held by %(by)s since %(at)s") % {"by": params["by"], "at": clock(params["at"])}
    return f"{text}: {params['reason']}" if params["reason"] else f"{text}."


def _timed(text: Any) -> Any:
    return lambda params: str(text) % {**params, "at": clock(params["at"])}


SENTENCES: dict[str, Any] = {
    "why_ended": _timed(_lazy("The run has ended (%(state)s) at %(at)s.")),
    "why_cancelling": _timed(_lazy("Cancelling was asked for at %(at)s; what runs is being stopped.")),
    "why_paused": _timed(_lazy("The run is paused since %(at)s. Resume lets it go on.")),
    "why_pausing": _timed(_lazy("Pausing since %(at)s: what runs now goes on to its end.")),
    "why_held": _held,
    "why_request": _request,
    "why_running": _running,
    "why_retrying": _timed(_lazy("“%(task)s” has failed and is tried again at %(at)s.")),
    "why_waits_until": _timed(_lazy("“%(task)s” waits until %(at)s.")),
    "why_pool_full": _pool,
    "why_skill_full": _lazy("“%(task)s” is ready, but %(skill)s may run only %(limit)s at a time, over all runs."),
    "why_rate_full": _lazy("“%(task)s” is ready, but %(skill)s may start only %(limit)s times a minute."),
    "why_run_full": _lazy("“%(task)s” is ready, but this run may do only %(limit)s tasks at once."),
    "why_items_full": _lazy("“%(task)s” is ready, but its step may do only %(limit)s items at once."),
    "why_money_full": _lazy("“%(task)s” is ready, but what runs now has reserved the rest of the budget."),
    "why_no_worker": _no_worker,
    "why_no_slot": _no_slot,
    "why_ready": _lazy("“%(task)s” is ready and will start in a moment."),
    "why_more": _lazy("And %(count)s more like these."),
    "why_stuck": _lazy("Nothing is ready, running or waiting, yet these have not ended: %(tasks)s."),
}
