"""What a playbook is: its file format, checked on reading, with errors that name file and field."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from plans.core.errors import DraftError, NoPlaybook
from plans.core.jsontypes import JsonObject
from plans.planning.words import Phrases, Words

FOLDER = Path(__file__).resolve().parent.parent / "playbooks"
NAME = r"^[a-z][a-z0-9_]{0,59}$"


class PlaybookInvalid(DraftError):
    """A playbook file cannot be used; params: `file`, `field`, `problem`."""

    default_code = "playbook_invalid"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Parameter(_Part):
    name: str = Field(pattern=NAME)
    label: Words
    help: Words | None = None
    required: bool = True
    # what the plan's intent says about the value, so that a wrong guess is seen and corrected
    says: str = ""


class FileParameter(_Parameter):
    """One of the attached files."""

    type: Literal["file"]
    kinds: tuple[Literal["table", "access_log", "text", "unknown"], ...]


class ColumnParameter(_Parameter):
    """A column of the file that parameter `of` names. `names` and `avoid` are phrases, the best first."""

    type: Literal["column"]
    of: str
    types: tuple[Literal["text", "integer", "number", "date", "datetime", "boolean"], ...]
    names: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()


class PeriodParameter(_Parameter):
    """A part of the time the file covers: of the log itself, or of the column that parameter `column` names."""

    type: Literal["period"]
    of: str
    column: str | None = None


class Choice(_Part):
    value: str
    label: Words
    match: Phrases = Phrases()


class ChoiceParameter(_Parameter):
    type: Literal["choice"]
    choices: tuple[Choice, ...] = Field(min_length=1)
    default: str

    @model_validator(mode="after")
    def _default_is_offered(self) -> ChoiceParameter:
        if self.default not in [choice.value for choice in self.choices]:
            raise ValueError(f"default {self.default!r} is not one of the choices")
        return self


class NumberParameter(_Parameter):
    """A whole number; `guess` are phrases with `{n}` looked for in the goal."""

    type: Literal["number"]
    default: int
    least: int
    most: int
    guess: Phrases = Phrases()


class TextParameter(_Parameter):
    type: Literal["text"]
    default: str = ""
    max_length: int = 500


Parameter = Annotated[
    FileParameter | ColumnParameter | PeriodParameter | ChoiceParameter | NumberParameter | TextParameter,
    Field(discriminator="type"),
]


class Concept(_Part):
    """An idea the goal may speak of; found once it adds `weight`, however many of its words are there."""

    name: str
    weight: float = Field(gt=0, le=1)
    words: Phrases


class Playbook(_Part):
    """A saved plan template with typed parameters."""

    name: str = Field(pattern=NAME)
    title: Words
    description: Words
    example: Words
    match: tuple[Concept, ...] = Field(min_length=1)
    # words that say the goal is about something else
    unless: Phrases = Phrases()
    # offered for a file it can read even when the goal does not ask for it
    offer: bool = False
    parameters: tuple[Parameter, ...] = ()
    builder: str | None = None
    plan: JsonObject

    @model_validator(mode="after")
    def _parameters_fit_together(self) -> Playbook:
        kinds = {parameter.name: parameter.type for parameter in self.parameters}
        if len(kinds) != len(self.parameters):
            raise ValueError("two parameters have the same name")
        for parameter in self.parameters:
            if isinstance(parameter, ColumnParameter | PeriodParameter) and kinds.get(parameter.of) != "file":
                raise ValueError(f"parameter {parameter.name!r}: {parameter.of!r} is not a file parameter")
            if isinstance(parameter, PeriodParameter) and parameter.column and kinds.get(parameter.column) != "column":
                raise ValueError(f"parameter {parameter.name!r}: {parameter.column!r} is not a column parameter")
        return self

    def parameter(self, name: str) -> Any:
        """Return the parameter called `name`, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def read(path: Path) -> Playbook:
    """Read one playbook file. Raises PlaybookInvalid."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PlaybookInvalid(file=path.name, field="", problem=str(error)) from error
    try:
        playbook = Playbook.model_validate(raw)
    except ValidationError as error:
        worst = error.errors()[0]
        field = ".".join(str(part) for part in worst["loc"])
        raise PlaybookInvalid(file=path.name, field=field, problem=worst["msg"]) from error
    if playbook.name != path.stem:
        raise PlaybookInvalid(file=path.name, field="name", problem=f"is {playbook.name!r}, not the file's name")
    return playbook


@lru_cache(maxsize=8)
def read_folder(folder: Path) -> tuple[Playbook, ...]:
    """Read every playbook of a folder, by file name. Raises PlaybookInvalid."""
    return tuple(read(path) for path in sorted(folder.glob("*.yaml")))


def load_all() -> list[Playbook]:
    """Return the playbooks that ship with the product."""
    return list(read_folder(FOLDER))


def get(name: str) -> Playbook:
    """Return the playbook called `name`. Raises NoPlaybook."""
    for playbook in load_all():
        if playbook.name == name:
            return playbook
    raise NoPlaybook("playbook_unknown", name=name, known=[playbook.name for playbook in load_all()])
