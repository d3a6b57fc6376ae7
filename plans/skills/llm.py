"""Skill `llm`: have the model read, write or judge something: text, or JSON of a given form."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import Field, JsonValue, field_validator, model_validator

from plans.core import fencing
from plans.core.errors import BadInputError, ModelError, NeedsPerson
from plans.core.jsontypes import Json, JsonObject
from plans.core.kinds import RunsIn, ValueKind
from plans.core.model import Message, Model, Purpose, Reply, Tier
from plans.core.skill import Context, Outputs
from plans.core.values import ArtifactRef, TableRef, is_ref
from plans.skills import tables
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill

SYSTEM = (
    "You do one step of a larger piece of work. Do what the task says and nothing else, in the language it asks for, else "
    "in the language of the task. Use only what you are given; where it does not say enough, say so instead of guessing. "
    "Answer with the result alone, without introduction. " + fencing.RULES
)
MEND = "That answer cannot be used: {problems}\nAnswer again, whole, in the form asked for."
ROUNDS = 3
# a root that is no object travels in this property
WRAP = "answer"
ROW_LIMIT = 2_000
# a prompt of words alone, before any material
LONGEST_PROMPT = 20_000


class Quality(StrEnum):
    """Which of the configured models answers."""

    SMALL = "small"
    NORMAL = "normal"
    BEST = "best"


TIERS = {Quality.SMALL: Tier.SMALL, Quality.NORMAL: Tier.PLAN, Quality.BEST: Tier.HARD}


class LlmParams(Params):
    prompt: str = Field(
        min_length=1,
        max_length=LONGEST_PROMPT,
        description="The task, in plain words. Taken as it is written: material goes into `inputs` or `tables`.",
    )
    inputs: dict[str, JsonValue] = Field(
        default_factory=dict, description="Name → text or value the model is to work on. It is read as data."
    )
    tables: dict[str, TableRef] = Field(default_factory=dict, description="Name → table the model is to work on.")
    answer_schema: dict[str, Any] | None = Field(
        default=None,
        description="JSON Schema the answer must hold to; without it the answer is text.",
        json_schema_extra={"x-language": "json-schema"},
    )
    quality: Quality = Field(
        default=Quality.SMALL,
        description="small for sorting, extracting, short texts; normal; best for hard judgement.",
    )
    max_tokens: int = Field(default=4_000, ge=16, le=64_000, description="Most tokens of the answer.")
    max_input_tokens: int = Field(
        default=50_000, ge=100, le=500_000, description="Most tokens of the material; what is more is cut, with a note."
    )
    reuse: bool = Field(
        default=False, description="True: the same question is asked only once, later runs get its answer."
    )

    @field_validator("prompt")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the prompt is empty")
        return value

    @field_validator("answer_schema")
    @classmethod
    def _is_a_schema(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None:
            try:
                Draft202012Validator.check_schema(value)
            except SchemaError as error:
                raise ValueError(f"not a JSON Schema: {error.message}") from error
        return value

    @model_validator(mode="after")
    def _named_once(self) -> LlmParams:
        if both := sorted(self.inputs.keys() & self.tables.keys()):
            raise ValueError(f"both an input and a table are called {both[0]!r}")
        return self


@skill
class Llm(BasicSkill):
    name = "llm"
    description = (
        "Have a language model summarise, classify, extract, compare, translate or write, over texts and tables given as "
        "`inputs` and `tables`. Gives text, or JSON of the form `answer_schema`. Not for arithmetic: use sql."
    )
    params = LlmParams
    outputs = {"result": ValueKind.JSON, "notes": ValueKind.LIST}
    runs_in = RunsIn.THREAD
    literal = frozenset({"prompt", "answer_schema"})
    timeout_seconds = 300
    asks_model = True

    def run(self, params: LlmParams, context: Context) -> Outputs:
        model = context.model
        if model is None:
            raise NeedsPerson("model_not_connected")
        notes: list[Json] = []
        message = _message(params, _material(params, context, notes), notes)
        reply, value = _asked(model, params, message)
        for note in notes:
            context.log(f"{note}")
        context.log(_told(reply))
        return Outputs(values={"result": value, "notes": notes})


def _material(params: LlmParams, context: Context, notes: list[Json]) -> dict[str, Json]:
    """Return everything the model is to read, by name."""
    found: dict[str, Json] = {}
    for name, value in params.inputs.items():
        found[name] = _text_of(name, value, context)
    for name, ref in params.tables.items():
        rows = tables.load_rows(context.path(ref), ROW_LIMIT)
        total = int(ref.meta.get("row_count") or len(rows))
        if total > len(rows):
            notes.append({"code": "llm_rows_left_out", "name": name, "shown": len(rows), "total": total})
        columns = list(rows[0]) if rows else [column["name"] for column in ref.meta.get("columns", [])]
        # names once, not with each row: a third of the tokens
        found[name] = {"columns": columns, "row_count": total, "rows": [list(row.values()) for row in rows]}
    return found


def _text_of(name: str, value: JsonValue, context: Context) -> Json:
    if not is_ref(value):
        return value
    ref = ArtifactRef.model_validate(value)
    if ref.kind == ValueKind.TABLE:
        raise BadInputError("llm_table_among_inputs", name=name)
    if not ref.media_type.startswith("text/") and ref.kind not in (ValueKind.TEXT, ValueKind.JSON):
        raise BadInputError("llm_cannot_read", name=name, file=ref.filename or ref.name)
    return context.path(ref).read_text(encoding="utf-8", errors="replace")


def _message(params: LlmParams, material: dict[str, Json], notes: list[Json]) -> str:
    if not material:
        return params.prompt
    fenced = fencing.fence(material, params.max_input_tokens)
    for name, left in fenced.cut.items():
        notes.append({"code": "llm_input_cut", "name": name, "characters": left})
    return f"{fencing.visible(params.prompt)}\n\n{fenced.text}"


def _asked(model: Model, params: LlmParams, text: str) -> tuple[Reply, Json]:
    """Ask, and show the model what is wrong with an answer of another form, a few times. Raises ModelError."""
    wrapped, schema = _wire(params.answer_schema)
    messages = [Message(role="user", text=text)]
    for number in range(1, ROUNDS + 1):
        try:
            reply = model.ask(
                purpose=Purpose.SKILL,
                system=SYSTEM,
                messages=messages,
                schema=schema,
                max_tokens=params.max_tokens,
                tier=TIERS[params.quality],
                reuse=params.reuse,
            )
        except ModelError as error:
            came = error.reply.text if error.reply else ""
            if error.code != "model_reply_invalid" or number == ROUNDS or messages[-2:-1] == [_said(came)]:
                raise
            mend = MEND.format(problems=error.params.get("problems", ""))
            messages += [_said(came), Message(role="user", text=mend)]
        else:
            if schema is None:
                return reply, reply.text
            return reply, reply.data[WRAP] if wrapped and isinstance(reply.data, dict) else reply.data
    raise AssertionError("unreachable")


def _said(text: str) -> Message:
    # an empty turn is refused by the API
    return Message(role="assistant", text=text or "(nothing)")


def _wire(schema: JsonObject | None) -> tuple[bool, JsonObject | None]:
    """Return whether the answer travels wrapped, and the schema to ask with: its root is always an object."""
    if schema is None or schema.get("type") == "object":
        return False, schema
    shared: JsonObject = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    inner = {key: value for key, value in schema.items() if key not in shared}
    return True, {"type": "object", "properties": {WRAP: inner}, "required": [WRAP], **shared}


def _told(reply: Reply) -> str:
    if reply.reused:
        return f"{reply.model}: the answer of an earlier run to the same question was taken"
    usd = "" if reply.usd is None else f", {reply.usd:.6f} USD"
    return f"{reply.model}: {reply.usage.total} tokens{usd}"
