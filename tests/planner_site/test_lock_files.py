"""The lock files: exact, hashed, free of addresses, and within the ranges of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")
PYTHONS = ("3.11", "3.12", "3.13")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def blocks(name: str) -> list[str]:
    """Return one text per pin: its requirement with all its hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [block.replace("\\\n", " ") for block in re.split(r"\n(?=\S)", text.strip()) if not block.startswith("#")]


def pins(name: str) -> list[Requirement]:
    return [Requirement(block.split("--hash=")[0].strip()) for block in blocks(name)]


def pinned_for(name: str, python: str) -> dict[str, str]:
    """Return package -> version as pip would install them on Linux with this Python."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
    found: dict[str, str] = {}
    for pin in pins(name):
        if pin.marker is None or pin.marker.evaluate(environment):
            assert pin.name.lower() not in found, f"{pin.name} is pinned twice for Python {python}"
            found[pin.name.lower()] = str(pin.specifier).removeprefix("==")
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_lock_holds_no_address(name):
    text = (ROOT / name).read_text(encoding="utf-8")

    assert re.findall(r"https?:|file:|\w+\.(?:org|com|net|io)\b|--(?:extra-)?index-url|--find-links| @ ", text) == []


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_is_exact_and_hashed(name):
    for block, pin in zip(blocks(name), pins(name), strict=True):
        assert re.fullmatch(r"==[^*,]+", str(pin.specifier)), pin
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", block), pin


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("requirements.lock", PROJECT["dependencies"]),
        ("requirements-dev.lock", PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]),
    ],
)
def test_lock_meets_every_range_of_the_project(name, wanted, python):
    pinned = pinned_for(name, python)

    for requirement in map(Requirement, wanted):
        version = pinned.get(requirement.name.lower())
        assert version, f"{requirement.name} is not in {name}: run make lock"
        assert requirement.specifier.contains(version), f"{requirement} is pinned as {version}: run make lock"


def test_every_dependency_has_its_reason_written_down():
    reasons = (ROOT / "docs" / "decisions" / "0001-dependencies.md").read_text(encoding="utf-8")
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]

    assert [name for name in (Requirement(text).name for text in wanted) if name not in reasons] == []


@pytest.mark.parametrize("python", PYTHONS)
def test_development_lock_has_the_same_versions_as_the_runtime_lock(python):
    runtime, development = (pinned_for(name, python) for name in LOCKS)

    assert {name: development.get(name) for name in runtime} == runtime
