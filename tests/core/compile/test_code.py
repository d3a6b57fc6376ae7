"""Code in params is read before approval: line and column, names that are not handed in, bounded on hostile text."""

import pytest

from tests.core.compile.advice_cases import coded, query
from tests.core.compile.plans import codes


@pytest.mark.parametrize(
    ("result", "line", "column"),
    [
        (lambda: query("SELECT a\nFROM t WHERE\n  x = ", tables={"t": "{{ inputs.x }}"}), 3, 5),
        (lambda: coded("python", "x = 1\nif x\n    y = 2"), 2, 5),
        (lambda: coded("cel", "1 +"), 1, 4),
    ],
)
def test_a_fault_of_syntax_has_its_line_and_column(result, line, column):
    [finding] = [each for each in result().findings if each.code == "code_syntax"]
    assert (finding.params["line"], finding.params["column"]) == (line, column)


@pytest.mark.parametrize(
    "result",
    [
        lambda: query(
            "WITH w AS (SELECT 1 AS n) SELECT * FROM w JOIN Sales ON true", tables={"sales": "{{ inputs.x }}"}
        ),
        lambda: query("SELECT $n + 1", inputs={"n": 1}),
        lambda: query("SELECT 1 -- ; DROP TABLE x"),
        lambda: coded("python", "import pandas as pd\nprint(pd)"),
        lambda: coded("cel", "inputs.n > 1"),
        lambda: coded("json-schema", {"type": "object", "properties": {"n": {"type": "number"}}}),
        lambda: coded("url", "https://example.org:8080/a?b=c"),
    ],
)
def test_good_code_is_left_alone(result):
    assert codes(result()) == []


@pytest.mark.parametrize(
    ("language", "value"),
    [
        ("python", "(" * 49_000),
        ("python", "-" * 49_000 + "1"),
        ("python", "a" * 49_000 + "("),
        ("python", "x\0y"),
        ("cel", "(" * 49_000),
        ("url", "http://[" + "a" * 40_000),
        ("json-schema", [1, 2]),
    ],
)
def test_hostile_code_is_refused_in_words(language, value):
    assert codes(coded(language, value)) != []


@pytest.mark.parametrize("text", ["SELECT " + "(" * 9_000 + "1", "SELECT " + "1+" * 9_000 + "1", "'" * 19_999])
def test_a_hostile_query_is_refused_in_words(text):
    assert codes(query(text)) == ["code_syntax"]


def test_a_query_of_a_file_is_no_table_that_was_handed_in():
    assert codes(query("SELECT * FROM '/etc/passwd'")) == ["unknown_table"]
