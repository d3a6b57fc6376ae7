"""Playbook files: those that ship are good, a bad one is named by file and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from plans.core.errors import NoPlaybook
from plans.planning.definition import PlaybookInvalid, get, load_all, read

GOOD = """
name: mine
title: {en: Mine, zh: 我的}
description: {en: Does it, zh: 做}
example: {en: Do it, zh: 做}
match: [{name: it, weight: 0.6, words: {en: [it], zh: [它]}}]
parameters:
  - {name: top, type: number, label: {en: Top, zh: 前}, default: 5, least: 1, most: 9}
plan: {tasks: []}
"""


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_playbooks_are_there():
    assert [playbook.name for playbook in load_all()] == [
        "busiest_pages",
        "look_at_table",
        "recent_files",
        "sales_by_month",
    ]


def test_an_unknown_playbook_is_refused_with_the_known_ones():
    with pytest.raises(NoPlaybook) as caught:
        get("nothing")
    assert caught.value.code == "playbook_unknown"


def test_a_good_file_is_read(tmp_path):
    assert read(write(tmp_path, GOOD)).parameter("top").default == 5


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("name: mine", "name: Mine!", "name"),
        ("name: mine", "name: other", "name"),
        ("type: number", "type: colour", "parameters.0"),
        ("default: 5", "default: five", "parameters.0.number.default"),
        ("zh: 我的", "de: Meins", "title.zh"),
        ("plan:", "plot: 1\nplan:", "plot"),
        ("{name: it, weight: 0.6, words: {en: [it], zh: [它]}}", "", "match"),
        ("plan: {tasks: []}", "plan: {tasks: [", ""),
    ],
)
def test_a_bad_file_is_named_with_its_field(tmp_path, old, new, field):
    with pytest.raises(PlaybookInvalid) as caught:
        read(write(tmp_path, GOOD.replace(old, new)))
    assert (caught.value.params["file"], caught.value.params["field"]) == ("mine.yaml", field)


def test_a_yaml_object_is_never_built(tmp_path):
    with pytest.raises(PlaybookInvalid):
        read(write(tmp_path, GOOD + "builder: !!python/object/apply:os.getcwd []\n"))
