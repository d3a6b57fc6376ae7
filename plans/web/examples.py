"""Examples for newcomers: a playbook, the goal it is for and a sample file of our own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User

from plans.core.errors import InputError
from plans.engine.attachments import store_attachment
from plans.engine.runs import create_run
from plans.models import Run
from plans.planning import playbooks, shelf
from plans.planning.playbooks import Playbook
from plans.skills.profile import profile_file
from plans.web.forms.attachments import Files

FOLDER = Path(__file__).resolve().parents[1] / "samples"
SAMPLES = {"busiest_pages": "access.log", "sales_by_month": "sales.csv", "look_at_table": "sales_european.csv"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    playbook: Playbook
    sample: str

    @property
    def goal(self) -> str:
        return str(self.playbook.example)


def every_example() -> list[Example]:
    there = {playbook.name: playbook for playbook in shelf.available()}
    return [Example(playbook=there[name], sample=sample) for name, sample in SAMPLES.items() if name in there]


def find_example(name: str) -> Example | None:
    return next((example for example in every_example() if example.playbook.name == name), None)


def run_example(example: Example, owner: User, *, time_zone: str, token: str | None) -> Run:
    """Make a run of an example with the guessed parameters. Raises InputError."""
    path = FOLDER / example.sample
    try:
        with path.open("rb") as stream:
            row = store_attachment(owner=owner, filename=path.name, stream=stream, profile=profile_file)
    except FileNotFoundError as error:
        raise InputError("sample_missing") from error
    files = Files(kept=[row])
    inputs = playbooks.resolve_inputs(example.playbook, {}, files.profiles, files.references, example.goal)
    return create_run(
        owner=owner,
        goal=example.goal,
        inputs=inputs,
        playbook=example.playbook.name,
        time_zone=time_zone,
        client_token=token,
    )
