"""Skill `ask_human`: put a question to a person; the answer is the task's output."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import Field, field_validator

from plans.core.jsontypes import Json
from plans.core.kinds import RunsIn, ValueKind
from plans.core.skill import Ask, Context, Outputs
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill

KEY = "question"
FIELD_TYPES = frozenset({"string", "number", "integer", "boolean", "array"})


class AskParams(Params):
    question: str = Field(min_length=1, max_length=4000, description="What the person is asked.")
    fields: dict[str, Any] = Field(
        description="JSON Schema of type object: one property for each field of the answer, with type, title, enum."
    )
    context: Json = Field(default=None, description="What the person should see beside the question.")

    @field_validator("question")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the question is empty")
        return value

    @field_validator("fields")
    @classmethod
    def _is_an_object_schema(cls, schema: dict[str, Any]) -> dict[str, Any]:
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            raise ValueError(f"not a JSON Schema: {error.message}") from error
        properties = schema.get("properties")
        if schema.get("type") != "object" or not properties:
            raise ValueError("must be a JSON Schema of type object with at least one property")
        for name, field in properties.items():
            if not isinstance(field, dict) or not ("enum" in field or field.get("type") in FIELD_TYPES):
                raise ValueError(f"field {name!r} needs a type ({', '.join(sorted(FIELD_TYPES))}) or an enum")
        return schema


@skill
class AskHuman(BasicSkill):
    name = "ask_human"
    description = "Ask a person a question with one or more fields and wait for the answer. Holds no worker meanwhile."
    params = AskParams
    outputs = {"answers": ValueKind.OBJECT}
    runs_in = RunsIn.ENGINE

    def run(self, params: AskParams, context: Context) -> Outputs | Ask:
        if KEY in context.answers:
            return Outputs(values={"answers": context.answers[KEY]})
        return Ask(text=params.question, schema=params.fields, key=KEY, context=params.context)
