"""The list of runs: filters in the query string, counts by state, pages by key, all with a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import QueryDict
from django.utils import timezone

from plans.core.states import RequestState, RunState
from plans.models import Request, Run
from plans.web.address import number_of

PAGE = 30
LONGEST_SEARCH = 200
PERIODS = (1, 7, 30, 365)
NEEDS_YOU = "needs"
"""A run that waits for a person, whatever its own state."""

GROUPS: dict[str, Q] = {
    NEEDS_YOU: Q(is_asking=True),
    RunState.RUNNING: Q(is_asking=False, state__in=[RunState.PLANNING, RunState.RUNNING, RunState.REVIEW]),
    RunState.PAUSED: Q(is_asking=False, state=RunState.PAUSED),
    RunState.FAILED: Q(state=RunState.FAILED),
    RunState.SUCCEEDED: Q(state=RunState.SUCCEEDED),
    RunState.CANCELLED: Q(state=RunState.CANCELLED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the address asks for; whatever it says wrong counts as not said."""

    search: str = ""
    state: str = ""
    owner: int | None = None
    playbook: str = ""
    days: int | None = None

    @classmethod
    def of(cls, query: QueryDict) -> Filters:
        days = number_of(query, "days")
        state = query.get("state", "")
        return cls(
            search=query.get("q", "").strip()[:LONGEST_SEARCH].replace("\0", ""),
            state=state if state in GROUPS else "",
            owner=number_of(query, "owner"),
            playbook=query.get("playbook", "")[:100].replace("\0", ""),
            days=days if days in PERIODS else None,
        )

    def query(self, **page: int) -> str:
        """Return the query string that asks for the same, on another page."""
        said = {
            "q": self.search, "state": self.state, "owner": self.owner, "playbook": self.playbook, "days": self.days,
        }  # fmt: skip
        return "?" + urlencode({name: value for name, value in {**said, **page}.items() if value})

    def with_state(self, state: str) -> str:
        """Return the query string for another state."""
        return replace(self, state=state).query()

    @property
    def is_any(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One page of runs, newest first, and how many there are in each group under the other filters."""

    runs: Sequence[Run]
    counts: dict[str, int]
    total: int
    newer: int | None
    older: int | None


def list_runs(user: User, filters: Filters, *, before: int | None = None, after: int | None = None) -> Listed:
    """Return the runs `user` may see under `filters`: those older than `before`, or just newer than `after`."""
    found = _found(user, filters)
    counted = found.aggregate(**{f"n_{name}": Count("pk", filter=group) for name, group in GROUPS.items()})
    counts = {name: counted[f"n_{name}"] for name in GROUPS}
    rows = found.filter(GROUPS[filters.state]) if filters.state else found
    page, more = _page(rows.select_related("owner"), before, after)
    has_newer = more if after is not None else before is not None
    has_older = more if after is None else True
    return Listed(
        runs=page,
        counts=counts,
        total=counts[filters.state] if filters.state else sum(counts.values()),
        newer=page[0].pk if page and has_newer else None,
        older=page[-1].pk if page and has_older else None,
    )


def list_recent(user: User, limit: int) -> list[Run]:
    """Return the newest runs `user` may see."""
    return _page(_found(user, Filters()).select_related("owner"), None, None)[0][:limit]


def _page(rows: QuerySet[Run], before: int | None, after: int | None) -> tuple[list[Run], bool]:
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        return found[:PAGE][::-1], len(found) > PAGE
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: PAGE + 1])
    return found[:PAGE], len(found) > PAGE


def _found(user: User, filters: Filters) -> QuerySet[Run]:
    asking = Request.objects.filter(run=OuterRef("pk"), state=RequestState.OPEN)
    rows = Run.objects.filter(pk__in=Run.objects.for_user(user).order_by().values("pk"))
    found = rows.annotate(is_asking=Exists(asking))
    if filters.search:
        found = found.filter(goal__icontains=filters.search)
    if filters.owner is not None:
        found = found.filter(owner=filters.owner)
    if filters.playbook:
        found = found.filter(playbook=filters.playbook)
    if filters.days:
        found = found.filter(created_at__gte=timezone.now() - timedelta(days=filters.days))
    return found


def owners(user: User) -> list[User]:
    """Return the people whose runs an operator may filter by; others see their own and need no choice."""
    if not user.has_perm("plans.operate"):
        return []
    return list(User.objects.filter(pk__in=Run.objects.order_by().values("owner")).order_by("username"))
