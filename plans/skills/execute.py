"""Call a skill by name with rendered params: the one way from the engine's runner into a skill."""

from __future__ import annotations

from pydantic import ValidationError

from plans.core.errors import BadInputError, PermanentSkillError
from plans.core.jsontypes import JsonObject
from plans.core.skill import Context, Result
from plans.skills import registry

MAX_PROBLEMS = 5


def execute_skill(skill_name: str, params: JsonObject, context: Context) -> Result:
    """Run the skill. Raises BadInputError("bad_params") naming each param that is wrong, or what the skill raises."""
    try:
        skill = registry.get(skill_name)
    except registry.UnknownSkill as error:
        raise PermanentSkillError(error.code, **error.params) from error
    try:
        checked = skill.params.model_validate(params)
    except ValidationError as error:
        raise BadInputError("bad_params", skill=skill_name, problems=_problems(error)) from error
    return skill.run(checked, context)


def _problems(error: ValidationError) -> str:
    parts = []
    for problem in error.errors(include_url=False, include_input=False)[:MAX_PROBLEMS]:
        place = ".".join(str(step) for step in problem["loc"])
        parts.append(f"{place}: {problem['msg']}" if place else problem["msg"])
    return "; ".join(parts)
