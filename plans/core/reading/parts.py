"""From a raw plan in our own spelling to a PlanSpec: every field that can be read is, nothing is dropped without a word."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from plans.core.findings import Finding, Severity
from plans.core.jsontypes import JsonObject
from plans.core.nearest import nearest
from plans.core.spec import (
    SCHEMA_VERSION,
    Estimate,
    Intent,
    Milestone,
    PlanSpec,
    Precondition,
    Question,
    TaskSpec,
)

Nested = Mapping[str, type[BaseModel]]
_ONE: Mapping[type[BaseModel], Nested] = {PlanSpec: {"intent": Intent}, TaskSpec: {"estimate": Estimate}}
_MANY: Mapping[type[BaseModel], Nested] = {
    PlanSpec: {"preconditions": Precondition, "milestones": Milestone, "tasks": TaskSpec},
    Intent: {"questions": Question},
}
_NAMED_TASKS = 10


class Reader:
    """Reads one plan. A field of the wrong type is an error and reads as its default: the rest can still be judged."""

    def __init__(self, findings: list[Finding], default_skill: str | None) -> None:
        self.findings = findings
        self._default_skill = default_skill
        self._unknown: dict[tuple[str, str], list[str | None]] = {}
        self._numbered = False

    def plan(self, raw: JsonObject) -> PlanSpec | None:
        """Return the plan, None when its version is not known or nothing of it can be read."""
        version = raw.get("schema", SCHEMA_VERSION)
        if isinstance(version, str | float) and version in ("1", 1.0):
            version = 1
        if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= SCHEMA_VERSION:
            self._add("schema_unknown", came=str(version)[:40], newest=SCHEMA_VERSION)
            return None
        plan = self._part(PlanSpec, {**raw, "schema": version}, "")
        if self._numbered:
            self._add("ids_made_text", Severity.INFO)
        self._report_unknown_keys()
        return plan if isinstance(plan, PlanSpec) else None

    def _add(self, code: str, severity: Severity = Severity.ERROR, task: str | None = None, **params: Any) -> None:
        self.findings.append(Finding(code=code, severity=severity, task=task, params=params))

    def _part(self, model: type[BaseModel], raw: JsonObject, place: str, task: str | None = None) -> BaseModel | None:
        """Return the part, reading every field that can be read; None when a required one is missing."""
        values: JsonObject = {}
        nullable = _keys(model)
        for key, value in raw.items():
            if key not in nullable:
                self._unknown.setdefault((model.__name__, key), []).append(task)
            elif value is not None or nullable[key]:
                values[key] = self._nested(model, key, value, place, task)
        return self._validated(model, values, place, task)

    def _nested(self, model: type[BaseModel], key: str, value: Any, place: str, task: str | None) -> Any:
        one, many = _ONE.get(model, {}).get(key), _MANY.get(model, {}).get(key)
        if one and isinstance(value, dict):
            return self._part(one, value, f"{place}{key}.", task) or one()
        if many and isinstance(value, list):
            read = [self._item(many, item, index, f"{place}{key}") for index, item in enumerate(value, 1)]
            return [item for item in read if item is not None]
        return value

    def _item(self, model: type[BaseModel], raw: Any, number: int, place: str) -> BaseModel | None:
        if not isinstance(raw, dict):
            self._add("not_an_object", place=place, number=number, came=_word(raw))
            return None
        where = f"{place}[{number}]."
        if model is TaskSpec:
            return self._task(dict(raw), number, where)
        if model is Milestone:
            raw = {**raw, **self._texts(raw, "id", "parent")}
        return self._part(model, raw, where)

    def _task(self, raw: JsonObject, number: int, where: str) -> BaseModel | None:
        raw.update(self._texts(raw, "id", "milestone"))
        if isinstance(raw.get("depends_on"), list):
            raw["depends_on"] = [self._text(item) for item in raw["depends_on"]]
        task = raw.get("id")
        if task is None or task == "":
            self._add("missing_id", number=number, name=str(raw.get("name") or "")[:80])
            return None
        if raw.get("skill") not in (None, ""):
            return self._part(TaskSpec, raw, where, str(task))
        if self._default_skill is not None:
            return self._part(TaskSpec, {**raw, "skill": self._default_skill}, where, str(task))
        self._add("missing_skill", task=str(task))
        # Kept for the graph's sake; the empty name says that the lack has been reported.
        read = self._part(TaskSpec, {**raw, "skill": "-"}, where, str(task))
        return read.model_copy(update={"skill": ""}) if read else None

    def _texts(self, raw: Mapping[str, Any], *keys: str) -> JsonObject:
        return {key: self._text(raw[key]) for key in keys if key in raw}

    def _text(self, value: Any) -> Any:
        # Models number their tasks; 2 and "2" mean the same task.
        if isinstance(value, int) and not isinstance(value, bool):
            self._numbered = True
            return str(value)
        return value

    def _validated(self, model: type[BaseModel], values: JsonObject, place: str, task: str | None) -> BaseModel | None:
        try:
            return model.model_validate(values)
        except ValidationError as error:
            bad = {str(each["loc"][0]): each for each in reversed(error.errors())}
        for each in bad.values():
            path = ".".join(str(step) for step in each["loc"])
            self._add("bad_field", task=task, field=place + path, wanted=each["msg"], came=_word(each["input"]))
        if any(each["type"] == "missing" for each in bad.values()) or not bad.keys() <= values.keys():
            return None
        rest = {key: value for key, value in values.items() if key not in bad}
        try:
            return model.model_validate(rest)
        except ValidationError:
            return None  # a required field was the bad one, and has been reported

    def _report_unknown_keys(self) -> None:
        """Add one finding per key, however many tasks carry it."""
        for (model, key), tasks in self._unknown.items():
            known = [field.alias or name for name, field in _MODELS[model].model_fields.items()]
            named = [task for task in tasks if task is not None]
            params = {"key": key, "count": len(tasks), "tasks": named[:_NAMED_TASKS], "nearest": nearest(key, known)}
            only = named[0] if len(named) == 1 else None
            self._add("unknown_key", Severity.WARNING, only, **params)


@lru_cache
def _keys(model: type[BaseModel]) -> dict[str, bool]:
    """Return the keys of a part, and for each whether null is a value of its own; elsewhere null means not given."""
    return {field.alias or name: field.get_default() is None for name, field in model.model_fields.items()}


_MODELS = {model.__name__: model for model in (PlanSpec, TaskSpec, Intent, Milestone, Precondition, Question, Estimate)}


def _word(value: Any) -> str:
    words = {type(None): "null", bool: "true or false", int: "number", float: "number", str: "text", list: "list"}
    return words.get(type(value), "object")
