"""Which skills a planner is offered, and how they are described to it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from plans.core.catalogue import Catalogue, SkillInfo
from plans.core.jsontypes import JsonObject
from plans.core.kinds import Approval, Risk

MOST_OFFERED = 50
# Nearly every plan needs one of these, whatever words the goal uses.
ALWAYS_OFFERED = ("load_file", "sql", "report", "ask_human", "chart", "llm", "python", "http")
_NAME_COUNTS = 3.0
_LONGEST_DESCRIPTION = 400
_LONGEST_HELP = 160


def offered(catalogue: Catalogue, goal: str) -> dict[str, SkillInfo]:
    """Return the skills to plan with, by name: all that are not hidden, above fifty those nearest to the goal."""
    known = {name: info for name, info in sorted(catalogue.items()) if not info.hidden}
    if len(known) <= MOST_OFFERED:
        return known
    kept = [name for name in ALWAYS_OFFERED if name in known]
    ranked = sorted(_scores(known, goal).items(), key=lambda pair: (-pair[1], pair[0]))
    kept += [name for name, _ in ranked if name not in kept]
    return {name: known[name] for name in sorted(kept[:MOST_OFFERED])}


def _scores(known: Mapping[str, SkillInfo], goal: str) -> dict[str, float]:
    """Score each skill by the rare words it shares with the goal; its name counts more than its description."""
    names = {name: set(words(name.replace("_", " "))) for name in known}
    texts = {name: set(words(f"{info.description} {_param_words(info)}")) for name, info in known.items()}
    spread = Counter(word for name in known for word in names[name] | texts[name])
    asked = set(words(goal))

    def weight(shared: Iterable[str]) -> float:
        return sum(log(1 + len(known) / spread[word]) for word in shared)

    return {name: _NAME_COUNTS * weight(asked & names[name]) + weight(asked & texts[name]) for name in known}


def _param_words(info: SkillInfo) -> str:
    properties = info.params_schema.get("properties", {})
    return " ".join(f"{name} {each.get('description', '')}" for name, each in properties.items())


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without endings; of writing without blanks every two characters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    found = [_stem(word) for word in re.findall(r"[a-zà-öø-ÿ0-9]{3,}", plain)]
    for run in re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", plain):
        found += [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
    return found


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def described(catalogue: Mapping[str, SkillInfo]) -> str:
    """Return the skills as text, in the order of their names."""
    return "\n".join(_described(info) for _, info in sorted(catalogue.items()))


def _described(info: SkillInfo) -> str:
    lines = [f"## {info.name}", _short(info.description, _LONGEST_DESCRIPTION)]
    required = set(info.params_schema.get("required", []))
    for name, schema in info.params_schema.get("properties", {}).items():
        need = "required" if name in required else "optional"
        lines.append(f"- param {name} ({_type(schema, info.params_schema)}, {need}){_help(schema)}")
    if info.literal:
        lines.append(f"- no placeholders are replaced in: {', '.join(sorted(info.literal))}")
    outputs = ", ".join(f"{name} ({kind.value})" for name, kind in info.outputs.items())
    lines.append(f"- outputs: {outputs or 'any, as declared'}")
    if info.risk != Risk.LOW or info.approval == Approval.ALWAYS:
        asks = "; a person approves each call" if info.approval == Approval.ALWAYS else ""
        lines.append(f"- risk: {info.risk.value}{asks}")
    return "\n".join(lines) + "\n"


def _help(schema: JsonObject) -> str:
    text = _short(str(schema.get("description") or ""), _LONGEST_HELP)
    return f": {text}" if text else ""


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _type(schema: JsonObject, root: JsonObject) -> str:
    """Return a few words for the type of a param."""
    if "$ref" in schema:
        return _type(root.get("$defs", {}).get(str(schema["$ref"]).rpartition("/")[2], {}), root)
    if "x-artifact" in schema:
        kind = schema["x-artifact"]
        return "any artifact" if kind == "any" else str(kind)
    if "enum" in schema:
        return "one of " + ", ".join(str(each) for each in schema["enum"])
    branches = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if branches:
        return " or ".join(dict.fromkeys(_type(each, root) for each in branches))
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'], root)}"
    if schema.get("type") == "array" and isinstance(schema.get("items"), dict):
        return f"list of {_type(schema['items'], root)}"
    return str(schema.get("type", "any JSON"))
