"""Small plans and a small catalogue for the compiler's tests."""

import json

from plans.core.catalogue import SkillInfo
from plans.core.circumstances import NOTHING_KNOWN
from plans.core.compile import compile_plan
from plans.core.kinds import Approval, Risk, ValueKind

TABLE = {"type": "object", "x-artifact": "table", "required": ["$artifact"]}
IMAGE = {"type": "object", "x-artifact": "image", "required": ["$artifact"]}

LOAD = SkillInfo(
    name="load_file",
    params_schema={
        "type": "object",
        "properties": {
            "file": {"type": "object", "x-artifact": "file", "required": ["$artifact"]},
            "limit": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        },
        "required": ["file"],
        "additionalProperties": False,
    },
    outputs={"table": ValueKind.TABLE, "found": ValueKind.JSON},
)
SQL = SkillInfo(
    name="sql",
    params_schema={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "tables": {"type": "object", "additionalProperties": TABLE},
            "inputs": {"$ref": "#/$defs/Inputs"},
        },
        "required": ["query"],
        "$defs": {"Inputs": {"type": "object", "additionalProperties": {"type": ["number", "string"]}}},
    },
    outputs={"result": ValueKind.TABLE},
    literal=frozenset({"query"}),
    timeout_seconds=60,
    retries=2,
    risk=Risk.MEDIUM,
)
CHART = SkillInfo(
    name="chart",
    params_schema={
        "type": "object",
        "properties": {"table": TABLE, "top": {"type": "integer"}, "title": {"type": "string"}},
        "required": ["table"],
    },
    outputs={"image": ValueKind.IMAGE},
)
NOOP = SkillInfo(
    name="noop",
    params_schema={"type": "object", "properties": {"value": {}}},
    outputs={"result": ValueKind.JSON},
    approval=Approval.AUTO,
)
CATALOGUE = {info.name: info for info in (LOAD, SQL, CHART, NOOP)}
FILE = "{{ inputs.log }}"


def task(key, skill="noop", **fields):
    return {"id": key, "skill": skill, **fields}


def load(key="t1", **fields):
    return task(key, "load_file", **{"params": {"file": FILE}, "outputs": {"sales": "table"}, **fields})


def compiled(*tasks, catalogue=CATALOGUE, circumstances=NOTHING_KNOWN, **plan):
    """Compile a plan of these tasks, by way of its JSON text."""
    return compile_plan(json.dumps({"tasks": list(tasks), **plan}), catalogue, circumstances)


def codes(result):
    """Return the codes found; that nothing reads an output is left out: small plans name more than they use."""
    return [finding.code for finding in result.findings if finding.code != "unused_output"]
