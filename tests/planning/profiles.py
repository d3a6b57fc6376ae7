"""Profiles as values, for tests that need no file."""

from __future__ import annotations

from typing import Any


def column(name: str, kind: str, low: str = "", high: str = "", distinct: int = 50, missing: int = 0) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "min": low,
        "max": high,
        "distinct": distinct,
        "missing": missing,
        "samples": [],
    }


def table(*columns: dict[str, Any], rows: int = 100) -> dict[str, Any]:
    return {"kind": "table", "problem": None, "columns": list(columns), "row_count": rows, "period": None}


def access_log(
    start: str = "2015-05-17T10:05:03", end: str = "2015-05-20T21:05:15", rows: int = 8308
) -> dict[str, Any]:
    period = {"from": start, "to": end}
    return {"kind": "access_log", "problem": None, "columns": [], "row_count": rows, "period": period}


SALES = table(
    column("Row ID", "integer", distinct=3312),
    column("Order ID", "text", distinct=1700),
    column("Order Date", "date", "2019-01-01", "2019-12-30", distinct=320),
    column("Ship Date", "date", "2019-01-02", "2020-01-05", distinct=330),
    column("Postal Code", "integer"),
    column("Region", "text", distinct=4),
    column("Sales", "number", distinct=2500),
    column("Quantity", "integer", distinct=14),
    column("Discount", "number", distinct=12),
    column("Profit", "number", distinct=2700),
    rows=3312,
)
EUROPEAN = table(
    column("Bestellnr.", "text"),
    column("Bestelldatum", "date", "2019-10-01", "2019-12-31"),
    column("Region", "text", distinct=4),
    column("Kategorie", "text", distinct=3),
    column("Umsatz (€)", "number"),
    column("Menge", "integer", distinct=14),
    column("Gewinn (€)", "number"),
    rows=1219,
)
CHINESE = table(
    column("订单编号", "text"),
    column("发货日期", "date", "2024-01-03", "2024-03-05"),
    column("下单日期", "date", "2024-01-01", "2024-03-01"),
    column("城市", "text", distinct=5),
    column("数量", "integer", distinct=9),
    column("单价", "number"),
    column("销售额", "number"),
)
PEOPLE = table(column("name", "text"), column("city", "text", distinct=7), rows=30)
