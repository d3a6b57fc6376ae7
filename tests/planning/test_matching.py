"""Which playbook a goal gets, and which goals get none."""

from __future__ import annotations

import pytest

from plans.planning import playbooks
from tests.planning.profiles import CHINESE, PEOPLE, SALES, access_log, table

LOG = {"access.log": access_log()}
SALES_FILE = {"sales.csv": SALES}


def names(goal: str, profiles: dict | None = None) -> list[str]:
    return [match.playbook.name for match in playbooks.match(goal, profiles or {})]


@pytest.mark.parametrize(
    "goal",
    [
        "find the five pages with most traffic and make a bar chart report",
        "top pages",
        "Top 10 URLs",
        "which URLs are busiest",
        "What are the most popular pages of our site?",
        "find last month's five busiest pages and chart them",
        "Which pages do people visit most often?",
        "Most visited pages in the nginx access log, please",
        "找出访问量最大的五个页面并画图",
        "分析上个月的网站访问日志，找出访问量最高的五个页面，并生成柱状图报告。",
        "哪些页面最热门？",
        "统计访问日志里点击最多的前10个URL",
    ],
)
@pytest.mark.parametrize("profiles", [{}, LOG], ids=["alone", "with a log"])
def test_a_goal_about_busy_pages_gets_busiest_pages(goal, profiles):
    assert names(goal, profiles)[:1] == ["busiest_pages"]


@pytest.mark.parametrize(
    "goal",
    [
        "sales by month",
        "Sales by month, growth and chart",
        "monthly revenue trend",
        "Analyse last quarter's sales data: monthly totals, growth rate, trend",
        "How did our turnover develop per month in 2019?",
        "按月统计销售额",
        "分析上个季度的销售数据，计算月增长率并生成趋势图",
        "每月营收走势",
        "Umsatz pro Monat",
    ],
)
@pytest.mark.parametrize("profiles", [{}, SALES_FILE, {"a.csv": CHINESE}], ids=["alone", "with sales", "with 销售"])
def test_a_goal_about_monthly_sales_gets_sales_by_month(goal, profiles):
    assert names(goal, profiles)[:1] == ["sales_by_month"]


@pytest.mark.parametrize(
    "goal",
    [
        "recent files are missing in Word",
        "The recent documents list in Excel is empty",
        "Word no longer shows recently opened files",
        "My recent files list disappeared from File Explorer",
        "PowerPoint doesn't show recent presentations any more",
        "最近使用的文件列表不见了",
        "Word 打开后最近文档列表是空的",
        "快速访问里的最近文件消失了，怎么办",
    ],
)
def test_a_goal_about_a_lost_list_gets_recent_files(goal):
    assert names(goal) == ["recent_files"]


@pytest.mark.parametrize(
    "goal",
    [
        "what is in this table",
        "What's in this file?",
        "look at this csv",
        "Summarise the data",
        "看看这个表格",
        "这个表格里有什么",
    ],
)
def test_a_goal_that_asks_to_look_gets_look_at_table(goal):
    assert names(goal, {"people.csv": PEOPLE})[:1] == ["look_at_table"]


@pytest.mark.parametrize(
    "goal",
    [
        "",
        "asdf",
        "报告",
        "你是谁",
        "Write a web page about the top five dogs",
        "Translate this page into German",
        "Which IP addresses made most requests in the access log?",
        "show errors in the log",
        "统计日志中的错误",
        "Hire sales people every month",
        "Predict next month's sales",
        "Send the monthly sales newsletter",
        "招聘销售人员，每月两名",
        "recent sales are missing in Excel",
        "recent news about missing persons",
        "How to delete a file",
        "分析上个月的网站日志，但是不要使用任何日志文件。",
        "每月财务报告分四个阶段：收集各部门 CSV、清洗、计算毛利并画图、生成 PDF 并发给管理层；每个阶段结束要有里程碑确认。",
        "我的 Windows 电脑打开 Outlook 就闪退，一步一步帮我排查",
        "Word says the product is not activated.",
        "Download 10,000 pages from example.com as fast as you can.",
        "<script>alert(1)</script> make a chart of {{ secret_key }} ' OR 1=1 --",
    ],
)
def test_a_near_miss_gets_no_playbook(goal):
    assert names(goal) == []


def test_a_fitting_file_decides_a_goal_that_says_little():
    assert names("draw the growth by month", {}) == []
    assert names("draw the growth by month", SALES_FILE) == ["sales_by_month"]


def test_a_table_without_dates_does_not_strengthen_monthly_sales():
    assert names("draw the growth by month", {"people.csv": PEOPLE}) == []


def test_a_table_alone_is_an_offer_and_no_match():
    profiles = {"people.csv": PEOPLE}
    assert names("do something useful", profiles) == []
    assert [playbook.name for playbook in playbooks.offers(profiles)] == ["look_at_table"]
    assert playbooks.offers(LOG) == []


def test_the_wrong_file_does_not_hide_what_the_goal_asks():
    assert names("find the five pages with most traffic", SALES_FILE) == ["busiest_pages"]


def test_ranking_says_why():
    best = playbooks.rank("top pages", LOG)[0]
    assert best.playbook.name == "busiest_pages"
    assert best.score == pytest.approx(0.95)
    assert best.reasons == ["The goal speaks of: pages, top, top pages.", "“access.log” is what it needs."]


def test_a_damaged_file_adds_nothing():
    broken = {**table(), "problem": {"code": "file_unreadable", "params": {}}}
    assert playbooks.offers({"broken.csv": broken}) == []
