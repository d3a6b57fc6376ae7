"""From what was given and what was attached to a plan's inputs; every field that is wrong is named, all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from plans.core.errors import InputError
from plans.core.jsontypes import Json, JsonObject
from plans.core.values import is_ref
from plans.planning import periods
from plans.planning.columns import candidates, guess_column
from plans.planning.dates_said import guess_period
from plans.planning.definition import (
    ChoiceParameter,
    ColumnParameter,
    FileParameter,
    NumberParameter,
    Parameter,
    PeriodParameter,
    Playbook,
    TextParameter,
)
from plans.planning.guess import Guess, fitting_files, guess_choice, guess_file, guess_number

# A plan's inputs are stored with the run: what the builder needs of a very wide table must stay small.
MOST_COLUMNS_KEPT = 300
_KEPT = ("name", "type", "min", "max", "distinct", "missing")


class InputErrors(InputError):
    """One or more fields are wrong: `errors` maps parameter name to InputError."""

    default_code = "inputs_wrong"

    def __init__(self, errors: Mapping[str, InputError]) -> None:
        self.errors = dict(errors)
        super().__init__(fields=list(errors))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter as a form shows it: what may be chosen, what is set, and why that was guessed."""

    parameter: Any
    value: Json
    guess: Guess = field(default_factory=Guess)
    choices: list[tuple[str, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return cast(str, self.parameter.name)

    @property
    def type(self) -> str:
        return cast(str, self.parameter.type)


def fields(
    playbook: Playbook, goal: str, profiles: Mapping[str, JsonObject], given: Mapping[str, Json] | None = None
) -> list[Field]:
    """Return the form: given values stay, the others are guessed in order, so that columns follow the chosen file."""
    chosen: dict[str, Json] = {}
    found: list[Field] = []
    for parameter in playbook.parameters:
        guess = _guess(parameter, goal, profiles, chosen)
        value = (given or {}).get(parameter.name, guess.value)
        chosen[parameter.name] = value
        shown = guess if value == guess.value else Guess(value=guess.value)
        found.append(
            Field(parameter=parameter, value=value, guess=shown, choices=_choices(parameter, goal, profiles, chosen))
        )
    return found


def resolve_inputs(
    playbook: Playbook,
    given: Mapping[str, Json],
    profiles: Mapping[str, JsonObject],
    attachments: Mapping[str, JsonObject],
    goal: str = "",
) -> JsonObject:
    """Return the run's inputs. A parameter that is absent from `given` is guessed; an empty one counts as left out.

    `profiles` and `attachments` share their keys; a file's reference gets what the profile found as its `meta`.
    Raises InputErrors.
    """
    inputs: JsonObject = {}
    chosen: dict[str, Json] = {}
    errors: dict[str, InputError] = {
        name: InputError("parameter_unknown", name=name, known=[p.name for p in playbook.parameters])
        for name in given
        if playbook.parameter(name) is None
    }
    for parameter in playbook.parameters:
        of = getattr(parameter, "of", None) or parameter.name
        if of in errors or getattr(parameter, "column", None) in errors:
            continue  # said once, at the field it hangs on
        value = (
            given.get(parameter.name) if parameter.name in given else _guess(parameter, goal, profiles, chosen).value
        )
        chosen[parameter.name] = value
        try:
            inputs[parameter.name] = _resolve(parameter, value, profiles, attachments, chosen)
        except InputError as error:
            errors[parameter.name] = error
    if errors:
        raise InputErrors(errors)
    return inputs


def file_meta(profile: JsonObject) -> JsonObject:
    """Return the small part of a profile that travels with a file's reference."""
    columns = [{key: column.get(key) for key in _KEPT} for column in profile.get("columns") or []]
    return {
        "kind": profile.get("kind"),
        "row_count": profile.get("row_count"),
        "period": profile.get("period"),
        "column_count": len(columns),
        "columns": columns[:MOST_COLUMNS_KEPT],
    }


def _profile(parameter: Any, profiles: Mapping[str, JsonObject], chosen: Mapping[str, Json]) -> JsonObject:
    return profiles.get(str(chosen.get(parameter.of) or ""), {})


def _covered(
    parameter: PeriodParameter, profiles: Mapping[str, JsonObject], chosen: Mapping[str, Json]
) -> periods.Span | None:
    """Return the days there are: of the chosen date column, else of the file."""
    profile = _profile(parameter, profiles, chosen)
    if parameter.column is None:
        return periods.extent(profile.get("period"))
    for column in profile.get("columns") or []:
        if column["name"] == chosen.get(parameter.column):
            return periods.extent({"from": column.get("min"), "to": column.get("max")})
    return None


def _guess(parameter: Parameter, goal: str, profiles: Mapping[str, JsonObject], chosen: Mapping[str, Json]) -> Guess:
    if isinstance(parameter, FileParameter):
        return guess_file(parameter, goal, profiles)
    if isinstance(parameter, ColumnParameter):
        return guess_column(parameter, _profile(parameter, profiles, chosen), goal)
    if isinstance(parameter, PeriodParameter):
        return guess_period(goal, _covered(parameter, profiles, chosen))
    if isinstance(parameter, NumberParameter):
        return guess_number(parameter, goal)
    if isinstance(parameter, ChoiceParameter):
        return guess_choice(parameter, goal)
    return Guess(value=parameter.default)


def _choices(
    parameter: Parameter, goal: str, profiles: Mapping[str, JsonObject], chosen: Mapping[str, Json]
) -> list[tuple[str, str]]:
    if isinstance(parameter, FileParameter):
        fitting = fitting_files(parameter, profiles)
        return [(key, key) for key in fitting + [key for key in profiles if key not in fitting]]
    if isinstance(parameter, ColumnParameter):
        ranked = candidates(parameter, _profile(parameter, profiles, chosen), goal)
        return [(candidate.name, candidate.name) for candidate in ranked]
    if isinstance(parameter, PeriodParameter):
        covered = _covered(parameter, profiles, chosen)
        return [(value, periods.label(value)) for value in (periods.offered(covered) if covered else [periods.WHOLE])]
    if isinstance(parameter, ChoiceParameter):
        return [(choice.value, str(choice.label)) for choice in parameter.choices]
    return []


def _resolve(
    parameter: Parameter,
    value: Json,
    profiles: Mapping[str, JsonObject],
    attachments: Mapping[str, JsonObject],
    chosen: Mapping[str, Json],
) -> Json:
    """Return the input for one parameter. Raises InputError."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return _left_out(parameter, profiles, chosen)
    if isinstance(parameter, FileParameter):
        return _file(parameter, value, profiles, attachments)
    if isinstance(parameter, ColumnParameter):
        return _column(parameter, str(value), _profile(parameter, profiles, chosen))
    if isinstance(parameter, PeriodParameter):
        # Of a very large file only the first part was looked at: what lies outside that may still be in the file.
        partial = bool(_profile(parameter, profiles, chosen).get("partial"))
        return periods.resolve(str(value), None if partial else _covered(parameter, profiles, chosen))
    if isinstance(parameter, NumberParameter):
        return _number(parameter, value)
    if isinstance(parameter, ChoiceParameter):
        if value not in (offered := [choice.value for choice in parameter.choices]):
            raise InputError("choice_unknown", value=value, known=offered)
        return value
    return _text(parameter, value)


def _left_out(parameter: Parameter, profiles: Mapping[str, JsonObject], chosen: Mapping[str, Json]) -> Json:
    if isinstance(parameter, PeriodParameter):
        return periods.resolve(periods.WHOLE, None)
    if not parameter.required:
        return None
    if isinstance(parameter, FileParameter):
        raise InputError("file_missing", kinds=list(parameter.kinds), attached=len(profiles))
    if isinstance(parameter, ColumnParameter) and not candidates(parameter, _profile(parameter, profiles, chosen), ""):
        raise InputError("column_none_fits", file=chosen.get(parameter.of), types=list(parameter.types))
    raise InputError("value_missing", label=str(parameter.label))


def _file(
    parameter: FileParameter, value: Json, profiles: Mapping[str, JsonObject], attachments: Mapping[str, JsonObject]
) -> Json:
    key = str(value)
    if key not in attachments or key not in profiles:
        raise InputError("file_not_attached", file=key, attached=list(attachments))
    profile, ref = profiles[key], attachments[key]
    if not is_ref(ref):
        raise TypeError(f"attachment {key!r} is not a reference")
    name = ref.get("filename") or key
    if problem := profile.get("problem"):
        raise InputError(problem["code"], **{**(problem.get("params") or {}), "file": name})
    if profile.get("kind") not in parameter.kinds:
        raise InputError("file_wrong_kind", file=name, kind=profile.get("kind"), wanted=list(parameter.kinds))
    if not profile.get("row_count"):
        raise InputError("file_no_rows", file=name)
    return {**ref, "meta": file_meta(profile)}


def _column(parameter: ColumnParameter, value: str, profile: JsonObject) -> str:
    columns = {str(column["name"]): str(column["type"]) for column in profile.get("columns") or []}
    if value not in columns:
        raise InputError("column_unknown", name=value, known=list(columns))
    if columns[value] not in parameter.types:
        raise InputError("column_wrong_type", name=value, type=columns[value], wanted=list(parameter.types))
    return value


def _number(parameter: NumberParameter, value: Json) -> int:
    try:
        found = int(str(value).strip())
    except ValueError as error:
        raise InputError("number_invalid", value=value) from error
    if not parameter.least <= found <= parameter.most:
        raise InputError("number_out_of_limits", value=found, least=parameter.least, most=parameter.most)
    return found


def _text(parameter: TextParameter, value: Json) -> str:
    if len(found := str(value)) > parameter.max_length:
        raise InputError("text_too_long", length=len(found), most=parameter.max_length)
    return found
