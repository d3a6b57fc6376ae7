"""Addresses in a drawing: a task, a fold. What a person folded or opened is in the query; the rest follows the rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

FOLD, OPEN, TASK, DRAW = "fold", "open", "task", "draw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """`rest` are the other parameters of the page, kept as they are."""

    folds: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    selected: str | None = None
    draws_all: bool = False
    rest: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, query: QueryDict) -> Links:
        """Read `?fold=KEY&open=KEY&task=KEY&draw=all`; fold and open may be repeated."""
        return cls(
            folds=tuple(dict.fromkeys(filter(None, query.getlist(FOLD)))),
            opens=tuple(dict.fromkeys(filter(None, query.getlist(OPEN)))),
            selected=query.get(TASK) or None,
            draws_all=query.get(DRAW) == "all",
            rest=tuple(
                (name, value)
                for name, values in query.lists()
                if name not in {FOLD, OPEN, TASK, DRAW}
                for value in values
            ),
        )

    def task(self, key: str) -> str:
        """Return the address that selects a task."""
        return replace(self, selected=key).query()

    def fold(self, key: str) -> str:
        """Return the address with one milestone folded."""
        opens = tuple(name for name in self.opens if name != key)
        return replace(self, folds=(*(name for name in self.folds if name != key), key), opens=opens).query()

    def open(self, key: str) -> str:
        """Return the address with one milestone open."""
        folds = tuple(name for name in self.folds if name != key)
        return replace(self, opens=(*(name for name in self.opens if name != key), key), folds=folds).query()

    def draw_all(self) -> str:
        """Return the address that draws a graph of any size."""
        return replace(self, draws_all=True).query()

    def query(self) -> str:
        pairs = [*self.rest, *((FOLD, key) for key in self.folds), *((OPEN, key) for key in self.opens)]
        if self.draws_all:
            pairs.append((DRAW, "all"))
        if self.selected is not None:
            pairs.append((TASK, self.selected))
        return "?" + urlencode(pairs)
