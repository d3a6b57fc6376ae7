"""Files the tests write themselves: other names, months, separators and encodings than any sample."""

from __future__ import annotations

from pathlib import Path

AGENT = '"-" "Mozilla/5.0 (X11; Linux x86_64)"'


def line(path: str, *, method: str = "GET", status: int = 200, day: int = 3, month: str = "Feb", tail: str = "") -> str:
    return f'198.18.0.7 - - [{day:02}/{month}/2024:10:20:30 +0000] "{method} {path} HTTP/1.1" {status} 512{tail}'


def write_log(path: Path, tail: str = f" {AGENT}") -> Path:
    """Write a log of 2024: /shop 6 (2 of them in March), /about and /zoo 3, /a 2, and what must not count."""
    lines = [
        line("/shop?item=1", tail=tail),
        line("/shop?item=2", tail=tail),
        line("/shop", tail=tail),
        line("/shop", tail=tail),
    ]
    lines += [line("/shop", month="Mar", day=9, tail=tail)] * 2
    lines += [line("/zoo", tail=tail)] * 3 + [line("/about", status=304, tail=tail)] * 3 + [line("/a", tail=tail)] * 2
    lines += [line("/a", method="HEAD", tail=tail)] * 9 + [line("/shop", method="POST", tail=tail)] * 9
    lines += [line("/gone", status=404, tail=tail)] * 9 + [line("/logo.png", tail=tail)] * 9
    lines += ["this is no log line", ""]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


SPANISH = """Factura;Fecha;Región;Importe (€)
1;05/07/2023;Norte;1.234,50
2;19/07/2023;Sur;765,50
3;30/09/2023;Norte;3.000,00
4;02/10/2023;Sur;1.500,25
"""


def write_spanish_sales(path: Path) -> Path:
    """Write semicolons, decimal commas, cp1252: July 2,000.00, nothing in August, September 3,000.00, October 1,500.25."""
    path.write_bytes(SPANISH.replace("\n", "\r\n").encode("cp1252"))
    return path


CHINESE = """订单编号\t下单日期\t城市\t数量\t销售额
A1\t2024-01-05\t北京\t2\t100.5
A2\t2024-01-20\t上海\t1\t99.5
A3\t2024-02-11\t北京\t3\t300
A4\t2024-04-01\t上海\t1\t150
"""


def write_chinese_sales(path: Path) -> Path:
    """Write tabs in UTF-16: January 200, February 300, nothing in March, April 150."""
    path.write_text(CHINESE, encoding="utf-16")
    return path
