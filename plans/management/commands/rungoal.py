"""`manage.py rungoal TEXT`: the whole main job without a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandParser

from plans import tasks
from plans.core.errors import InputError, NoPlaybook
from plans.core.jsontypes import Json, JsonObject
from plans.engine.runs import check_goal, create_run
from plans.management.headless.command import HeadlessCommand
from plans.management.headless.files import attached, model_inputs
from plans.models import Run
from plans.planning import playbooks, shelf

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Command(HeadlessCommand):
    help = "Plan a goal, and with --approve run it; without --approve it stops at review."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("goal", metavar="TEXT")
        parser.add_argument(
            "--playbook", default="", metavar="NAME", help="default: the one that fits the goal best, else the model"
        )
        parser.add_argument(
            "--param", action="append", default=[], metavar="K=V", help="a playbook's parameter; others are guessed"
        )
        super().add_arguments(parser)

    def start(self, owner: User, options: dict[str, Any]) -> Run:
        goal = check_goal(options["goal"])
        given = _params(options["param"])
        chosen = shelf.get(options["playbook"]) if options["playbook"] else None
        with attached(options["attach"], owner) as files:
            profiles = {key: row.profile for key, row in files.items()}
            playbook = chosen or _best(goal, profiles)
            if playbook is None:
                inputs, known = model_inputs(files)
                return create_run(owner=owner, goal=goal, inputs=inputs, files=known)
            refs = {key: row.as_ref() for key, row in files.items()}
            inputs = playbooks.resolve_inputs(playbook, given, profiles, refs, goal)
            return create_run(owner=owner, goal=goal, inputs=inputs, playbook=playbook.name)

    def extend(self, shown: JsonObject, run: Run) -> JsonObject:
        revision = run.revision
        findings = revision.findings if revision else []
        return {**shown, "playbook": run.playbook, "plan": revision.plan if revision else None, "findings": findings}


def _best(goal: str, profiles: dict[str, JsonObject]) -> playbooks.Playbook | None:
    """Return the playbook that fits best; None when none fits and a model can plan. Raises NoPlaybook."""
    fitting = shelf.match(goal, profiles)
    if fitting:
        return fitting[0].playbook
    if tasks.has_model():
        return None
    raise NoPlaybook("no_playbook", offers=[playbook.name for playbook in shelf.offers(profiles)])


def _params(texts: list[str]) -> dict[str, Json]:
    """Read `K=V` pairs. Raises InputError."""
    given: dict[str, Json] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise InputError("param_malformed", text=text)
        given[name.strip()] = value
    return given
