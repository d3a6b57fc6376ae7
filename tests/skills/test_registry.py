"""Which skills exist and how the catalogue shows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from plans.core.catalogue import SkillSettings
from plans.core.errors import PermanentSkillError
from plans.core.kinds import Approval, ValueKind
from plans.skills import registry
from plans.skills.execute import execute_skill
from tests.skills.context import FolderContext

OWN_SKILL = """
from plans.core.skill import Outputs
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill


@skill
class Shout(BasicSkill):
    name = "shout"
    description = "Say it louder."
    params = Params

    def run(self, params, context):
        return Outputs(values={"text": "HEY"})
"""


@pytest.fixture
def fresh_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the registry look for skills again, and forget afterwards what it found."""
    monkeypatch.setattr(registry, "_skills", dict(registry._skills))
    monkeypatch.setattr(registry, "_loaded", False)
    yield
    for name in [name for name in sys.modules if name.startswith("plans_operator_skills.")]:
        del sys.modules[name]


def test_the_built_in_skills_are_there() -> None:
    names = [skill.name for skill in registry.all_skills()]

    assert names == ["ask_human", "chart", "llm", "load_file", "noop", "report", "sql", "wait"]


def test_the_catalogue_leaves_out_what_is_switched_off_and_what_is_hidden() -> None:
    settings = {"sql": SkillSettings(enabled=False)}

    assert sorted(registry.catalogue(settings, hidden=False)) == [
        "ask_human",
        "chart",
        "llm",
        "load_file",
        "report",
        "wait",
    ]
    assert "noop" in registry.catalogue(settings)


def test_an_operators_settings_replace_the_skills_own() -> None:
    chosen = SkillSettings(approval=Approval.ALWAYS, timeout_seconds=5, retries=0)

    info = registry.catalogue({"sql": chosen})["sql"]

    assert (info.approval, info.timeout_seconds, info.retries) == (Approval.ALWAYS, 5, 0)
    assert (info.literal, dict(info.outputs)) == (frozenset({"query"}), {"result": ValueKind.TABLE})


def test_params_that_take_a_table_say_so_in_their_schema() -> None:
    schema = registry.catalogue({})["chart"].params_schema

    assert schema["properties"]["table"]["x-artifact"] == "table"


def test_a_module_in_the_operators_folder_adds_a_skill(
    fresh_registry: None, tmp_path: Path, context: FolderContext
) -> None:
    (tmp_path / "shout.py").write_text(OWN_SKILL)
    (tmp_path / "_helper.py").write_text("raise RuntimeError('not a skill module')")

    with override_settings(PLANS_SKILLS_DIR=str(tmp_path)):
        result = execute_skill("shout", {}, context)

    assert result.values == {"text": "HEY"}


@pytest.mark.parametrize("text", ["1 / 0", "def", "raise SystemExit(1)"])
def test_a_broken_module_is_named(text: str, fresh_registry: None, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(text)

    with override_settings(PLANS_SKILLS_DIR=str(tmp_path)), pytest.raises(registry.BrokenSkillModule) as caught:
        registry.all_skills()

    assert caught.value.params["file"] == "bad.py"


def test_two_skills_cannot_have_one_name(fresh_registry: None, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OWN_SKILL.replace('"shout"', '"sql"'))

    with (
        override_settings(PLANS_SKILLS_DIR=str(tmp_path)),
        pytest.raises(registry.BrokenSkillModule, match="two skills"),
    ):
        registry.all_skills()


def test_a_skill_that_is_not_installed_is_a_permanent_error(context: FolderContext) -> None:
    with pytest.raises(PermanentSkillError) as caught:
        execute_skill("teleport", {}, context)

    assert (caught.value.code, caught.value.params) == ("skill_not_installed", {"name": "teleport"})
