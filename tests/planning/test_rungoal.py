"""`rungoal`: the whole main job without a browser, on real input and on files the test writes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from plans import tasks
from plans.engine.local import drain_until_done
from plans.engine.plans import approve_plan
from plans.engine.requests import answer_question
from plans.models import Attachment, Request, Run
from tests.planning.files import write_chinese_sales, write_log, write_spanish_sales

TOP_FIVE = "find the five pages with most traffic and make a bar chart report"


def report_of(document: dict) -> str:
    return Path(document["result"]["report"]["path"]).read_text(encoding="utf-8")


def pages_of(document: dict) -> list[tuple[str, int]]:
    return [(row["page"], row["views"]) for row in document["result"]["pages"]["rows"]]


def months_of(document: dict) -> dict[str, float]:
    return {row["month"]: row["sales"] for row in document["result"]["monthly"]["rows"]}


def test_busiest_pages_of_the_corpus_log(headless, corpora):
    log = corpora / "data/logs/apache_access_combined.log"
    code, document = headless("rungoal", TOP_FIVE, "--attach", str(log), "--approve")
    assert (code, document["state"], document["gaps"]) == (0, "succeeded", [])
    assert pages_of(document) == [
        ("/", 491),
        ("/blog/tags/puppet", 409),
        ("/projects/xdotool/", 169),
        ("/projects/xdotool/xdotool.xhtml", 128),
        ("/articles/dynamic-dns-with-dhcp/", 120),
    ]
    report = report_of(document)
    for said in (
        "GET request",
        "below 400",
        "Query strings are dropped",
        "Static files",
        "2015-05-17",
        "2015-05-20",
        "8308",
    ):
        assert said in report


def test_sales_by_month_of_the_corpus_year(headless, corpora):
    table = corpora / "data/sales/superstore_last_year.csv"
    code, document = headless("rungoal", "sales by month, growth and chart", "--attach", str(table), "--approve")
    assert code == 0
    assert months_of(document) == {
        "2019-01": 43971.374,
        "2019-02": 20301.1334,
        "2019-03": 58872.3528,
        "2019-04": 36521.5361,
        "2019-05": 44261.1102,
        "2019-06": 52981.7257,
        "2019-07": 45264.416,
        "2019-08": 63120.888,
        "2019-09": 87866.652,
        "2019-10": 77776.9232,
        "2019-11": 118447.825,
        "2019-12": 83829.3188,
    }
    growth = [row["growth_percent"] for row in document["result"]["monthly"]["rows"]]
    assert growth == [None, -53.83, 190.0, -37.96, 21.19, 19.7, -14.57, 39.45, 39.2, -11.48, 52.29, -29.23]
    quarters = {row["quarter"]: row["sales"] for row in document["result"]["quarterly"]["rows"]}
    assert quarters == {"2019-Q1": 123144.8602, "2019-Q2": 133764.372, "2019-Q3": 196251.956, "2019-Q4": 280054.067}


def test_sales_by_month_of_the_european_quarter(headless, corpora):
    table = corpora / "data/sales/superstore_q4_european.csv"
    code, document = headless("rungoal", "analyse last quarter's sales by month", "--attach", str(table), "--approve")
    assert code == 0
    assert months_of(document) == {"2019-10": 77776.91, "2019-11": 118447.8, "2019-12": 83829.3}


@pytest.mark.parametrize("tail", [' "-" "Mozilla/5.0"', ""], ids=["combined", "common"])
def test_busiest_pages_of_an_own_log(headless, tmp_path, tail):
    log = write_log(tmp_path / "zugriffe 2024.log", tail)
    code, document = headless("rungoal", "top 3 pages", "--attach", str(log), "--approve")
    assert code == 0
    assert pages_of(document) == [("/shop", 6), ("/about", 3), ("/zoo", 3)]


def test_last_month_of_an_own_log_is_the_month_it_ends_in(headless, tmp_path):
    log = write_log(tmp_path / "www.log")
    code, document = headless("rungoal", "找出上个月访问量最大的五个页面并画图", "--attach", str(log), "--approve")
    assert code == 0
    assert pages_of(document) == [("/shop", 2)]


def test_sales_of_own_tables_in_other_spellings(headless, tmp_path):
    spanish, chinese = write_spanish_sales(tmp_path / "ventas.csv"), write_chinese_sales(tmp_path / "销售.csv")
    code, document = headless("rungoal", "monthly revenue trend", "--attach", str(spanish), "--approve")
    assert (code, months_of(document)) == (
        0,
        {"2023-07": 2000.0, "2023-08": 0.0, "2023-09": 3000.0, "2023-10": 1500.25},
    )
    code, document = headless("rungoal", "按月统计销售额", "--attach", str(chinese), "--approve")
    assert (code, months_of(document)) == (0, {"2024-01": 200.0, "2024-02": 300.0, "2024-03": 0.0, "2024-04": 150.0})


def test_parameters_may_be_given(headless, tmp_path):
    table = write_spanish_sales(tmp_path / "ventas.csv")
    given = ["--param", "group_column=Región", "--param", "period=2023-Q3", "--param", "chart=line"]
    code, document = headless(
        "rungoal", "x", "--playbook", "sales_by_month", *given, "--attach", str(table), "--approve"
    )
    assert (code, months_of(document)) == (0, {"2023-07": 2000.0, "2023-08": 0.0, "2023-09": 3000.0})
    assert "Norte" in report_of(document)


def test_look_at_a_table_of_the_tests_own(headless, tmp_path):
    table = write_chinese_sales(tmp_path / "odd.csv")
    code, document = headless("rungoal", "what is in this table", "--attach", str(table), "--approve")
    assert code == 0
    overview = {
        row["column"]: (row["filled"], row["missing"], row["largest"]) for row in document["result"]["overview"]["rows"]
    }
    assert overview["城市"] == (4, 0, "北京")
    assert overview["下单日期"] == (4, 0, "2024-04-01")


@pytest.mark.parametrize(
    "name", ["edge/script_in_cells.csv", "edge/duplicate_columns.csv", "messy/messytables_spanish_chars.csv"]
)
def test_look_at_awkward_tables(headless, corpora, name):
    code, document = headless("rungoal", "look at this table", "--attach", str(corpora / "data" / name), "--approve")
    assert (code, document["state"]) == (0, "succeeded")
    assert "<script>alert" not in report_of(document)


def test_without_approve_it_stops_at_review(headless, tmp_path):
    code, document = headless("rungoal", "top pages", "--attach", str(write_log(tmp_path / "a.log")))
    assert (code, document["state"], document["result"]) == (0, "review", {})
    assert next(task["id"] for task in document["plan"]["tasks"]) == "read_log"
    assert document["waiting_for"][0]["kind"] == "plan_approval"


def test_the_document_has_every_promised_key(headless, tmp_path):
    log = write_log(tmp_path / "a.log")
    _, document = headless("rungoal", "top pages", "--attach", str(log), "--approve")
    assert set(document) >= {"run", "state", "gaps", "wall_seconds", "tasks", "result", "artifacts", "plan"}
    assert set(document["tasks"]["read_log"]) == {"state", "attempts", "started_at", "finished_at"}
    assert document["tasks"]["read_log"]["attempts"] == 1
    for artifact in document["artifacts"]:
        assert hashlib.sha256(Path(artifact["path"]).read_bytes()).hexdigest() == artifact["sha256"]
    assert {artifact["kind"] for artifact in document["artifacts"]} == {"table", "image", "html"}


def test_an_open_question_waits_to_the_timeout(headless):
    code, document = headless("rungoal", "recent files are missing in Word", "--approve", "--timeout", "2")
    assert (code, document["state"], document["error"]["code"]) == (1, "running", "not_in_time")
    assert document["waiting_for"][0] | {"id": ""} == {"kind": "question", "task": "ask_office_number", "id": ""}


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        ("", "goal_empty"),
        (" \n\t ", "goal_empty"),
        ("页" * 8001, "goal_too_long"),
        ("asdf", "no_playbook"),
        ("top pages", "file_missing"),
    ],
)
def test_a_bad_goal_makes_nothing(headless, goal, code):
    exit_code, document = headless("rungoal", goal, "--approve")
    assert (exit_code, document["error"]["code"]) == (1, code)
    assert document["error"]["message"]
    assert (Run.objects.count(), Attachment.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("name", "content", "goal"),
    [
        ("zero.csv", b"", "sales by month"),
        ("header.csv", b"date,amount\n", "sales by month"),
        ("page.csv", b"<!DOCTYPE html><html><body>Log in</body></html>\n", "sales by month"),
        ("sales.csv", b"date,amount\n2024-01-01,5\n2024-02-01,7\n", TOP_FIVE),
        ("people.csv", b"name,city\nA,B\nC,D\n", "sales by month"),
        ("note.txt", b"Just some words.\nAnd more of them.\n", TOP_FIVE),
    ],
)
def test_a_bad_file_makes_nothing_and_is_named(headless, tmp_path, name, content, goal):
    path = tmp_path / name
    path.write_bytes(content)
    exit_code, document = headless("rungoal", goal, "--attach", str(path), "--approve")
    assert exit_code == 1
    assert "Something went wrong" not in document["error"]["message"]
    assert (Run.objects.count(), Attachment.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--as", "nobody"], "user_unknown"),
        (["--playbook", "nothing"], "playbook_unknown"),
        (["--param", "top"], "param_malformed"),
        (["--param", "colour=red"], "parameter_unknown"),
        (["--param", "top=99"], "number_out_of_limits"),
        (["--param", "period=2020"], "period_outside_file"),
        (["--attach", "not_there.log"], "file_not_readable"),
    ],
)
def test_bad_arguments_make_nothing(headless, tmp_path, arguments, code):
    log = write_log(tmp_path / "a.log")
    exit_code, document = headless("rungoal", "top pages", "--attach", str(log), *arguments)
    assert (exit_code, document["error"]["code"]) == (1, code)
    assert (Run.objects.count(), Attachment.objects.count()) == (0, 0)


def test_the_diagnosis_asks_until_an_answer_explains_it_and_skips_the_rest(headless, boss):
    code, document = headless("rungoal", "最近使用的文件列表在 Word 里不见了")
    assert (code, document["state"]) == (0, "review")
    run = Run.objects.get(uuid=document["run"])
    approve_plan(run=run, graph_hash=run.revision.graph_hash, by=boss, catalogue=tasks.catalogue())
    for answer in ({"number": 25}, {"shown": "Off"}):
        drain_until_done(run, tasks.runner(), 60)
        answer_question(request=Request.objects.get(run=run, state="open"), answer=answer, by=boss)
    drain_until_done(run, tasks.runner(), 60)
    states = {task.key: (task.state, task.reason) for task in run.tasks.filter(kind="step")}
    skipped = ("skipped", "condition")
    assert run.state == "succeeded"
    assert run.has_gaps is False
    assert states == {
        "ask_office_number": ("succeeded", ""),
        "ask_windows_setting": ("succeeded", ""),
        "ask_policy": skipped,
        "ask_profile": skipped,
        "ask_place": skipped,
        "ask_new_entry": skipped,
        "write_report": ("succeeded", ""),
    }
