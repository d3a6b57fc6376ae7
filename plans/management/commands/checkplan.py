"""`manage.py checkplan`: compile a plan file and say what is right and wrong with it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError

from plans.core.catalogue import AnySkill, Catalogue, SkillInfo
from plans.core.compile import Compiled, compile_plan
from plans.core.findings import Finding
from plans.queries import skill_settings
from plans.skills import registry
from plans.wording import sentence


class Command(BaseCommand):
    help = "Compile a plan and judge it; exit 1 when it is rejected."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="a PlanSpec or a model's reply; - reads standard input")
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        skills = parser.add_mutually_exclusive_group()
        skills.add_argument("--skills", metavar="A,B", help="judge against just these skills, with free params")
        skills.add_argument("--any-skill", action="store_true", help="judge the structure only")

    def handle(self, *args: Any, **options: Any) -> None:
        compiled = _compile(options["file"], options)
        document = compiled.as_json(sentence)
        # ASCII in the JSON: it must get through a terminal or pipe of any encoding.
        self.stdout.write(json.dumps(document, indent=2) if options["json"] else _words(compiled, document))
        if not compiled.is_acceptable:
            sys.exit(1)


def _compile(name: str, options: dict[str, Any]) -> Compiled:
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        finding = Finding(code="plan_file_unreadable", params={"file": name, "reason": reason})
        return Compiled(outcome="rejected", findings=[finding])
    try:
        catalogue = _catalogue(options)
    except DatabaseError as error:
        # No --skills: what operators enabled is in the database, and judging without it would be a guess.
        reason = str(error).strip().splitlines()[0]
        return Compiled(outcome="rejected", findings=[Finding(code="catalogue_unavailable", params={"reason": reason})])
    return compile_plan(raw, catalogue)


def _catalogue(options: dict[str, Any]) -> Catalogue:
    if options["any_skill"]:
        return AnySkill()
    if options["skills"] is not None:
        names = (name.strip() for name in options["skills"].split(","))
        return {name: SkillInfo(name=name, free_params=True) for name in names if name}
    return registry.catalogue(skill_settings())


def _words(compiled: Compiled, document: dict[str, Any]) -> str:
    """Return the verdict for a person: one line, then one per finding."""
    steps, edges, levels = len(compiled.nodes), len(compiled.edges), len(compiled.levels)
    lines = [f"{compiled.outcome}: {steps} tasks, {edges} dependencies, {levels} levels"]
    lines += [f"{finding['severity']} {finding['code']}: {finding['message']}" for finding in document["findings"]]
    return "\n".join(line.encode("utf-8", "replace").decode() for line in lines)
