"""The command `checkplan`: one JSON document whatever happens, exit 1 when the plan is rejected."""

import io
import json
import sys

import pytest
from django.core.management import call_command
from django.db import connection

from plans.models import SkillRow

CHAIN = {"tasks": [{"id": "a", "skill": "load"}, {"id": "b", "skill": "sum", "depends_on": ["a"]}]}
KEYS = ["outcome", "plan", "graph", "findings", "levels", "critical_path", "estimate"]


@pytest.fixture
def check(tmp_path, capsys):
    """Run the command on a plan; return its exit code and what it printed."""

    def run(plan, *options):
        path = tmp_path / "plan.json"
        path.write_bytes(plan if isinstance(plan, bytes) else json.dumps(plan).encode())
        return run_file(str(path), *options)

    def run_file(name, *options):
        out = io.StringIO()
        code = 0
        try:
            call_command("checkplan", name, *options, stdout=out)
        except SystemExit as stop:
            code = stop.code
        return code, out.getvalue()

    run.file = run_file
    return run


def test_an_accepted_plan_prints_the_whole_document_and_exits_0(check):
    code, printed = check(CHAIN, "--json", "--skills", "load, sum")
    document = json.loads(printed)
    assert (code, list(document), document["outcome"]) == (0, KEYS, "accepted")
    assert document["graph"] == {"nodes": ["a", "b"], "edges": [["a", "b"]]}
    assert (document["levels"], document["critical_path"]) == ([["a"], ["b"]], ["a", "b"])


def test_a_rejected_plan_says_why_with_a_fix_and_exits_1(check):
    code, printed = check(CHAIN, "--json", "--skills", "load,sun")
    document = json.loads(printed)
    assert (code, document["outcome"]) == (1, "rejected")
    [finding] = document["findings"]
    assert {key: finding[key] for key in ("code", "severity", "task", "message", "fix")} == {
        "code": "unknown_skill",
        "severity": "error",
        "task": "b",
        "message": "“b” uses the skill “sum”, which is not enabled here. Known: load, sun.",
        "fix": None,
    }


def test_any_skill_judges_the_structure_of_tasks_that_name_none(check):
    code, printed = check({"tasks": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}, "--json", "--any-skill")
    assert (code, json.loads(printed)["graph"]["edges"]) == (0, [["a", "b"]])


@pytest.mark.django_db
def test_without_skills_the_enabled_ones_of_this_installation_count(check):
    plan = {"tasks": [{"id": "a", "skill": "wait", "params": {"seconds": 1}}]}
    assert check(plan, "--json")[0] == 0
    SkillRow.objects.update_or_create(name="wait", defaults={"enabled": False})
    code, printed = check(plan, "--json")
    assert (code, json.loads(printed)["findings"][0]["code"]) == (1, "unknown_skill")


@pytest.mark.parametrize("options", [("--json",), ()])
def test_a_file_that_is_not_there_is_one_clear_line(check, options):
    code, printed = check.file("no/such/plan.json", *options)
    assert code == 1
    told = "The plan cannot be read from “no/such/plan.json”: No such file or directory."
    if options:
        document = json.loads(printed)
        assert (list(document), document["findings"][0]["message"]) == (KEYS, told)
    else:
        assert told in printed.splitlines()[-1]


def test_a_folder_is_no_plan_either(check, tmp_path):
    code, printed = check.file(str(tmp_path), "--json")
    assert (code, json.loads(printed)["findings"][0]["code"]) == (1, "plan_file_unreadable")


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"null", b"[]", b"{", b"{}", b'{"tasks": [5]}', b"\x00"])
def test_whatever_the_file_holds_one_document_comes_out(check, raw):
    code, printed = check(raw, "--json", "--any-skill")
    assert (code, list(json.loads(printed))) == (1, KEYS)


def test_a_dash_reads_standard_input(check, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(CHAIN).encode())))
    assert check.file("-", "--json", "--any-skill")[0] == 0


def test_without_json_a_person_reads_a_line_per_finding(check):
    code, printed = check({"tasks": [{"id": "a", "depends_on": ["a"]}]}, "--any-skill")
    assert (code, printed.splitlines()) == (
        1,
        ["rejected: 1 tasks, 1 dependencies, 0 levels", "error self_dependency: “a” depends on itself."],
    )


@pytest.mark.django_db(transaction=True)
def test_a_database_that_was_never_made_is_said_in_words(check, transactional_db):
    with connection.schema_editor() as editor:
        editor.alter_db_table(SkillRow, "plans_skillrow", "plans_skillrow_away")
    try:
        code, printed = check(CHAIN, "--json")
    finally:
        with connection.schema_editor() as editor:
            editor.alter_db_table(SkillRow, "plans_skillrow_away", "plans_skillrow")
    assert (code, json.loads(printed)["findings"][0]["code"]) == (1, "catalogue_unavailable")
