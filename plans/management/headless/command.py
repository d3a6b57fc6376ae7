"""The frame of both commands: arguments, the user, one document on stdout, the exit code."""

from __future__ import annotations

import json
import time
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, OperationalError

from plans.core.errors import InputError, PlannerError
from plans.core.jsontypes import JsonObject
from plans.core.states import RunState
from plans.engine.sql import is_database_full
from plans.management.headless import document
from plans.management.headless.waiting import carry
from plans.models import Run

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DEFAULT_SECONDS = 600.0


def seconds(text: str) -> float:
    """Read a time limit. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from error
    if not 0 < value < 10**7:
        raise ArgumentTypeError("must be more than 0 seconds")
    return value


class HeadlessCommand(BaseCommand):
    """A subclass makes the run in `start` and may add to the document in `extend`."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--attach", action="append", default=[], metavar="F", help="a file to hand in (repeatable)")
        parser.add_argument("--approve", action="store_true", help="approve the plan and run it")
        parser.add_argument("--local", action="store_true", help="work in this process instead of running workers")
        parser.add_argument("--timeout", type=seconds, default=DEFAULT_SECONDS, metavar="S", help="seconds to wait")
        parser.add_argument("--as", dest="user", default="", metavar="USER", help="default: the first superuser")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON document")

    def start(self, owner: User, options: dict[str, Any]) -> Run:
        raise NotImplementedError

    def extend(self, shown: JsonObject, run: Run) -> JsonObject:
        return shown

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            shown, good = self._perform(options)
        except PlannerError as error:
            shown, good = {"error": document.of_error(error)}, False
        except DatabaseError as error:
            # Most often a database without tables: that is said, not traced.
            is_full = isinstance(error, OperationalError) and is_database_full(error)
            problem = InputError("disk_full") if is_full else InputError("database_unavailable", problem=str(error))
            shown, good = {"error": document.of_error(problem)}, False
        text = json.dumps(shown, ensure_ascii=False) if options["as_json"] else document.for_people(shown)
        stream = self.stdout if options["as_json"] or good or "run" in shown else self.stderr
        stream.write(text)
        if not good:
            raise SystemExit(1)

    def _perform(self, options: dict[str, Any]) -> tuple[JsonObject, bool]:
        began = time.monotonic()
        owner = find_user(options["user"])
        run = self.start(owner, options)
        problem: JsonObject | None = None
        try:
            carry(run, approve=options["approve"], local=options["local"], by=owner, timeout_seconds=options["timeout"])
        except PlannerError as error:  # the run is there: its document is worth more than the error alone
            problem = document.of_error(error)
        run.refresh_from_db()
        shown = self.extend(document.of_run(run, time.monotonic() - began), run)
        if problem:
            shown["error"] = problem
        wanted = RunState.SUCCEEDED if options["approve"] else RunState.REVIEW
        return shown, problem is None and run.state == wanted


def find_user(name: str) -> User:
    """Return the named user, by default the first superuser. Raises InputError."""
    users = get_user_model().objects.filter(is_active=True).order_by("pk")
    if name:
        found = users.filter(**{get_user_model().USERNAME_FIELD: name}).first()
        if found is None:
            raise InputError("user_unknown", name=name)
    else:
        found = users.filter(is_superuser=True).first()
        if found is None:
            raise InputError("no_superuser")
    return found
