"""Typical goals, planned and compiled: a quarterly report, weekly feedback, a blog system in two levels, a diagnosis."""

from __future__ import annotations

from typing import Any

from plans.core.skill import Ask
from tests.modelled.desk import Desk, answer, ask_person, codes, intent, question, step, wire

TABLE = {"$artifact": "0" * 64, "kind": "file", "filename": "data.csv", "meta": {}}
LOAD = step("read_lines", "load_file", {"file": "ref:inputs.data"}, outputs={"lines": "table"})


def sql(id: str, query: str, out: str, **tables: str) -> dict[str, Any]:
    given = {name: "{{ " + value + " }}" for name, value in tables.items()}
    return step(id, "sql", {"query": query, "tables": given}, outputs={out: "table"})


def report(id: str, body: str, out: str = "report", **tables: str) -> dict[str, Any]:
    given = {name: "{{ " + value + " }}" for name, value in tables.items()}
    return step(id, "report", {"title": "Report", "body": body, "tables": given}, outputs={out: "html"})


def test_the_quarterly_sales_report(desk: Desk):
    steps = [
        LOAD,
        sql(
            "by_month",
            "SELECT date_trunc('month', day) AS month, sum(amount) AS amount FROM lines GROUP BY 1",
            "months",
            lines="lines",
        ),
        sql("by_region", "SELECT region, sum(amount) AS amount FROM lines GROUP BY 1", "regions", lines="lines"),
        step(
            "draw",
            "chart",
            {"table": "ref:months", "kind": "bar", "x": "month", "y": "amount", "title": "By month"},
            outputs={"bars": "image"},
        ),
        step(
            "write",
            "report",
            {
                "title": "Q3",
                "body": "[[table:regions]]\n[[image:bars]]",
                "tables": {"regions": "{{ regions }}"},
                "images": {"bars": "{{ bars }}"},
            },
            outputs={"report": "html"},
        ),
    ]
    desk.model.say(answer(intent("Last quarter's sales")), answer(wire(*steps, result=["report"])))
    made = desk.plan("Report last quarter's sales by month and region with a chart", inputs={"data": TABLE})
    assert codes(made) == []
    assert made.notes["levels"] == [["read_lines"], ["by_month", "by_region"], ["draw"], ["write"]]
    assert any("2026-07-01 to 2026-09-30" in each for each in made.plan["intent"]["assumptions"])


def test_weekly_feedback_with_three_suggestions(desk: Desk):
    steps = [
        LOAD,
        sql("count_cities", "SELECT DISTINCT city FROM lines", "cities", lines="lines"),
        sql("worst", "SELECT city, complaint, count(*) AS n FROM lines GROUP BY ALL", "complaints", lines="lines"),
        ask_person("suggest_1", "First suggestion for {{ text(complaints.row_count) }} complaints?", "text"),
        ask_person("suggest_2", "Second suggestion?", "text"),
        ask_person("suggest_3", "Third suggestion?", "text"),
        report(
            "write",
            "1. {{ suggest_1_answer.text }}\n2. {{ suggest_2_answer.text }}\n3. {{ suggest_3_answer.text }}",
            t="complaints",
        ),
    ]
    summary = "汇总本周客户反馈并给出三条建议"
    desk.model.say(answer(intent(summary, language="zh")), answer(wire(*steps, result=["report"])))
    made = desk.plan("把这周的客户反馈汇总，给出三条改进建议", inputs={"data": TABLE})
    assert codes(made) == []
    assert made.plan["intent"]["summary"] == summary
    assert made.notes["levels"][-1] == ["write"]
    assert "2026-11-30 to 2026-12-06" in made.plan["intent"]["assumptions"][0]


MILESTONES = ("design", "backend", "frontend", "release")
DELIVERS = {"design": "schema", "backend": "api", "frontend": "pages", "release": "site"}


def outline() -> dict[str, Any]:
    rows = [
        {
            "id": name,
            "name": name.capitalize(),
            "parent": "",
            "done_when": "",
            "approval": "auto",
            "purpose": f"Make the {name}.",
            "after": list(MILESTONES[:at][-1:]),
            "delivers": [{"name": DELIVERS[name], "kind": "html"}],
        }
        for at, name in enumerate(MILESTONES)
    ]
    return {**{key: value for key, value in wire().items() if key != "tasks"}, "milestones": rows, "result": ["site"]}


def part(name: str, before: str) -> dict[str, Any]:
    build = ask_person(f"{name}_build", f"Build the {name}. What did you make?", "answer")
    write = report(f"{name}_write", "{{ " + f"{name}_build_answer.answer" + " }}", DELIVERS[name])
    accept = {**ask_person(f"{name}_accept", "Is it as it should be?", "answer"), "depends_on": [f"{name}_write"]}
    if before:
        build["depends_on"] = [before]
    return {"assumptions": [f"The {name} is made by a person."], "tasks": [build, write, accept]}


def test_a_simple_blog_system_is_planned_in_two_levels_with_people(desk: Desk):
    replies = [part(name, MILESTONES[at - 1] if at == 1 else "") for at, name in enumerate(MILESTONES)]
    desk.model.say(answer(intent("Develop a blog", size="large")), answer(outline()), *map(answer, replies))
    made = desk.plan("Develop a simple blog system")
    assert codes(made) == []
    assert [each["id"] for each in made.plan["milestones"]] == list(MILESTONES)
    assert len(made.plan["tasks"]) == 12
    assert {task["milestone"] for task in made.plan["tasks"]} == set(MILESTONES)
    # the second says itself what it comes after; for the others the outline does
    assert [made.plan["tasks"][at]["depends_on"] for at in (0, 3, 6, 9)] == [[], ["design"], ["backend"], ["frontend"]]
    assert [made.plan["tasks"][at]["depends_on"] for at in (7, 8)] == [["frontend_build"], ["frontend_write"]]
    assert "The backend is made by a person." in made.plan["intent"]["assumptions"]
    assert [call.model for call in desk.model.calls[1:3]] == ["claude-opus-5-5", "claude-sonnet-5-5"]
    assert "design_write" in desk.model.calls[3].prompt
    assert [each["stage"] for each in desk.shown][1:3] == ["milestones", "draft"]


def test_a_milestone_without_readable_steps_loses_none_of_the_others(desk: Desk):
    """C08: no filler takes the place of what could not be read."""
    good = [part(name, "") for name in MILESTONES]
    bad = {"assumptions": []}
    desk.model.say(
        answer(intent(size="large")),
        answer(outline()),
        answer(good[0]),
        answer(bad),
        answer(bad),
        answer(good[2]),
        answer(good[3]),
    )
    whole = wire(*[task for each in good for task in each["tasks"]])
    desk.model.respond(lambda call: answer({**whole, "milestones": [], "tasks": []}))
    made = desk.plan("Develop a simple blog system")
    assert "milestone_not_planned" in codes(made)
    assert {task["milestone"] for task in made.plan["tasks"]} == {"design", "frontend", "release"}


def test_the_diagnosis_skips_what_an_answer_makes_needless(desk: Desk):
    fields = {"type": "object", "properties": {"better": {"type": "boolean"}}, "required": ["better"]}

    def check(id: str, text: str, after: str = "") -> dict[str, Any]:
        run_if = f"{after}_found != null && {after}_found.better == false" if after else ""
        return step(
            id, "ask_human", {"question": text, "fields": fields}, outputs={f"{id}_found": "object"}, run_if=run_if
        )

    steps = [
        check("restart", "重启电脑后 Outlook 还会闪退吗？"),
        check("safe_mode", "以安全模式启动 Outlook 正常吗？", "restart"),
        check("profile", "新建配置文件后正常吗？", "safe_mode"),
        check("repair", "修复 Office 后正常吗？", "profile"),
        report("write", "{{ restart_found != null && restart_found.better ? '重启解决了问题。' : '见各步骤。' }}"),
    ]
    desk.model.say(answer(intent("排查 Outlook 闪退", language="zh")), answer(wire(*steps, result=["report"])))
    made = desk.plan("我的 Windows 电脑打开 Outlook 就闪退，一步一步帮我排查；如果重启后好了，后面的步骤就跳过。")
    assert codes(made) == []
    assert made.plan["tasks"][2]["run_if"] == "safe_mode_found != null && safe_mode_found.better == false"
    assert made.notes["levels"][0] == ["restart"]


def test_a_goal_without_its_file_asks_for_it(desk: Desk):
    desk.model.say(answer(intent(verdict="ask", questions=[question("Which data?", "data")])))
    asked = desk.work("Analyse the data.")
    assert isinstance(asked, Ask)
    assert asked.schema["properties"]["data"]["title"] == "Which data?"
