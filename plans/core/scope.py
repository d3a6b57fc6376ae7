"""What a task may read when it starts, and the rendering of its params (DESIGN §3 "Values", "Placeholders")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plans.core import expressions, placeholders
from plans.core.cel_functions import text_of
from plans.core.cel_text import Analysis, Use, plain_path
from plans.core.cel_words import TYPE_NAMES
from plans.core.errors import ExpressionError
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import ValueKind
from plans.core.names import RESULT, Path, referenced
from plans.core.values import REF_KEY, ArtifactRef, is_ref

__all__ = ["MAX_ROWS", "Scope", "evaluate", "is_true", "referenced", "render_params"]

MAX_ROWS = 10_000
"""Rows of a table that an expression may read."""
_WITHOUT_ROWS = frozenset({"columns", "row_count"})
_MISSING = object()
_NAME_ERRORS = frozenset({"unknown_name", "no_such_field", "index_out_of_range"})


def _no_rows(ref: ArtifactRef, limit: int) -> list[JsonObject]:
    raise ExpressionError("rows_unavailable", name=ref.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The values a task may name. `upstream`: task id -> its outputs as declared, all null when it was skipped."""

    inputs: Mapping[str, Json] = field(default_factory=dict)
    answers: Mapping[str, Json] = field(default_factory=dict)
    upstream: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    load_rows: Callable[[ArtifactRef, int], list[JsonObject]] = _no_rows
    item: Json = None
    index: int | None = None

    def task(self, task: str) -> dict[str, Json]:
        """Return what `t2` means: the outputs of the task, and `result`, the first of them."""
        outputs = dict(self.upstream[task])
        return {**outputs, RESULT: next(iter(outputs.values()), None)}

    def lookup(self, name: str) -> Any:
        """Return the raw value of a top-level name, or `_MISSING`."""
        if name == "inputs":
            return dict(self.inputs)
        if name == "answers":
            return dict(self.answers)
        if name == "tasks":
            return {task: self.task(task) for task in self.upstream}
        if name in {"item", "index"}:
            return (self.item if name == "item" else self.index) if self.index is not None else _MISSING
        found = [outputs[name] for outputs in self.upstream.values() if name in outputs]
        if len(found) > 1:
            raise ExpressionError("ambiguous_name", name=name)
        if found:
            return found[0]
        return self.task(name) if name in self.upstream else _MISSING


def evaluate(text: str, scope: Scope) -> Json:
    """Return the value of an expression. A plain path gives the raw value: an artifact stays a reference.

    In any other expression a table reads as `{columns, row_count, rows}`. Raises ExpressionError.
    """
    analysis = expressions.read(text)
    plain = plain_path(text)
    if plain:
        value = _follow(scope.lookup(plain[0]), plain[1])
        if value is not _MISSING:
            return value  # type: ignore[no-any-return]
    seen: dict[str, Json] = {}
    variables: dict[str, Any] = {}
    for name in sorted(analysis.names):
        raw = scope.lookup(name)
        if raw is not _MISSING:
            variables[name] = _view(raw, scope, seen, _row_readers(analysis, name, raw))
        elif name not in TYPE_NAMES:
            raise ExpressionError("unknown_name", expression=text, name=name, known=sorted(scope.upstream))
    return _unview(expressions.evaluate(text, variables), seen)


def is_true(text: str, scope: Scope) -> bool:
    """Return the value of a condition. Raises ExpressionError `not_a_condition` when it is neither true nor false."""
    value = evaluate(text, scope)
    if not isinstance(value, bool):
        raise ExpressionError("not_a_condition", expression=text, came=text_of(value)[:100])
    return value


def _follow(value: Any, path: Path) -> Any:
    for key in path:
        if is_ref(value):
            return _MISSING  # fields of an artifact are read from its view
        in_object = isinstance(value, dict) and isinstance(key, str) and key in value
        in_list = isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)
        if not in_object and not in_list:
            return _MISSING
        value = value[key]
    return value


def _row_readers(analysis: Analysis, name: str, raw: Any) -> Callable[[str], bool]:
    """Return a test of whether the expression may read the rows of the table with this sha256 under `name`."""
    if analysis.mentions("rows"):
        return lambda sha256: True
    whole = {ref for use in analysis.uses if use.name == name for ref in _read_whole(use, raw)}
    return lambda sha256: sha256 in whole


def _read_whole(use: Use, raw: Any) -> list[str]:
    value = raw
    for index, key in enumerate(use.path):
        if is_ref(value):
            return [] if use.path[index] in _WITHOUT_ROWS else [value[REF_KEY]]
        value = _follow(value, (key,))
    return [value[REF_KEY]] if is_ref(value) and not use.null_check else []


def _view(value: Any, scope: Scope, seen: dict[str, Json], reads_rows: Callable[[str], bool]) -> Any:
    if is_ref(value):
        seen[value[REF_KEY]] = value
        return _table(value, scope, reads_rows) if value.get("kind") == ValueKind.TABLE else value
    if isinstance(value, Mapping):
        return {key: _view(item, scope, seen, reads_rows) for key, item in value.items()}
    if isinstance(value, list):
        return [_view(item, scope, seen, reads_rows) for item in value]
    return value


def _table(value: JsonObject, scope: Scope, reads_rows: Callable[[str], bool]) -> JsonObject:
    ref = ArtifactRef.model_validate(value)
    columns = [column["name"] for column in ref.meta.get("columns", [])]
    # The key of the reference stays in, so that a table an expression picks comes out as the reference it was.
    view: JsonObject = {REF_KEY: ref.sha256, "columns": columns, "row_count": ref.meta.get("row_count")}
    if reads_rows(ref.sha256):
        view["rows"] = _rows(ref, scope)
    return view


def _rows(ref: ArtifactRef, scope: Scope) -> list[JsonObject]:
    count = ref.meta.get("row_count") or 0
    rows = scope.load_rows(ref, MAX_ROWS + 1) if count <= MAX_ROWS else []
    if max(count, len(rows)) > MAX_ROWS:
        # A sum over the first rows only would be wrong without a word.
        raise ExpressionError("too_many_rows", name=ref.name, row_count=max(count, len(rows)), limit=MAX_ROWS)
    return rows


def _unview(value: Json, seen: Mapping[str, Json]) -> Json:
    if isinstance(value, dict):
        if value.get(REF_KEY) in seen:
            return seen[value[REF_KEY]]
        return {key: _unview(item, seen) for key, item in value.items()}
    if isinstance(value, list):
        return [_unview(item, seen) for item in value]
    return value


def render_params(params: JsonObject, scope: Scope, literal: frozenset[str] = frozenset()) -> JsonObject:
    """Return `params` with placeholders replaced; those named in `literal` are left as they are.

    Raises ExpressionError: `unresolved` (placeholder, param, detail) when a name or field is not there, else the
    expression's own code; always with the placeholder and the param.
    """
    return {
        name: value if name in literal else placeholders.render(value, _evaluator(name, scope), _texter(scope))
        for name, value in _checked(params, literal).items()
    }


def _checked(params: JsonObject, literal: frozenset[str]) -> JsonObject:
    for name, value in params.items():
        for _, text in placeholders.texts_in({} if name in literal else value):
            try:
                placeholders.split(text)
            except ExpressionError as error:
                raise ExpressionError(error.code, **{**error.params, "param": name}) from error
    return params


def _evaluator(param: str, scope: Scope) -> Callable[[str], Json]:
    def value_of(text: str) -> Json:
        try:
            return evaluate(text, scope)
        except ExpressionError as error:
            # A path that is not there fails as a missing name or, below a null, as an operation on null.
            is_missing = error.code in _NAME_ERRORS or (error.code == "expression_types" and plain_path(text))
            code = "unresolved" if is_missing else error.code
            params = {**error.params, "placeholder": "{{ " + text + " }}", "param": param}
            raise ExpressionError(code, **params) from error

    return value_of


def _texter(scope: Scope) -> Callable[[Json], str]:
    def text(value: Json) -> str:
        if not is_ref(value) or not isinstance(value, dict):
            return text_of(value)
        if value.get("kind") != ValueKind.TABLE:
            return str(value.get("filename") or value.get("name") or value[REF_KEY])
        view = _table(value, scope, lambda sha256: True)
        return text_of({key: item for key, item in view.items() if key != REF_KEY})

    return text
