"""The graphs that are measured, as plans."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

Plan = dict[str, Any]


def _plan(goal: str, tasks: list[dict[str, Any]]) -> Plan:
    return {"goal": goal, "tasks": tasks}


def chain(count: int) -> Plan:
    tasks = [{"id": f"c{n}", "skill": "noop", "depends_on": [f"c{n - 1}"] if n else []} for n in range(count)]
    return _plan("chain", tasks)


def fan(count: int) -> Plan:
    """One, then `count` beside each other, then one."""
    middle = [{"id": f"f{n}", "skill": "noop", "depends_on": ["first"]} for n in range(count)]
    last = {"id": "last", "skill": "noop", "depends_on": [task["id"] for task in middle]}
    return _plan("fan", [{"id": "first", "skill": "noop"}, *middle, last])


def layered(layers: int, width: int, parents: int = 3) -> Plan:
    """Layers of `width` tasks, each with up to `parents` parents drawn from the layer before; the same graph each time."""
    draw = random.Random(20_261_130)  # noqa: S311
    tasks = []
    for layer in range(layers):
        for n in range(width):
            before = [f"{layer - 1}-{draw.randrange(width)}" for _ in range(parents)] if layer else []
            tasks.append({"id": f"{layer}-{n}", "skill": "noop", "depends_on": sorted(set(before))})
    return _plan("layered", tasks)


def naps(layers: int, width: int, seconds: float) -> Plan:
    """Layers of naps, each layer after the whole one before it."""
    tasks = [
        {
            "id": f"{layer}-{n}",
            "skill": "nap",
            "params": {"seconds": seconds},
            "depends_on": [f"{layer - 1}-{k}" for k in range(width)] if layer else [],
        }
        for layer in range(layers)
        for n in range(width)
    ]
    return _plan("naps", tasks)


def largest(corpus: Path) -> Plan:
    """Return the largest real graph where the corpora lie beside the working copy, else one of its size."""
    return real(corpus) or layered(34, 88, parents=5)


def real(corpus: Path) -> Plan | None:
    """Return a real graph as no-ops; None where the corpora do not lie beside the working copy."""
    if not corpus.is_file():
        return None
    found = json.loads(corpus.read_text(encoding="utf-8"))
    tasks = [{"id": t["id"], "skill": "noop", "depends_on": t["depends_on"]} for t in found["tasks"]]
    return _plan(corpus.stem, tasks)
