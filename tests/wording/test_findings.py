"""Every code has a sentence that its real params fill."""

import re

import pytest

from plans.core.errors import PlannerError
from plans.wording import advice, failures, findings, reading, sentence
from tests.core.compile.test_codes import COMMAND, FINDINGS, RAISED


def test_every_code_has_a_sentence_and_no_sentence_is_left_over():
    wanted = FINDINGS.keys() | RAISED.keys() | COMMAND
    own = findings.SENTENCES.keys() | reading.SENTENCES.keys() | advice.SENTENCES.keys()
    assert own <= wanted <= own | failures.SENTENCES.keys()


def filled(code, params):
    told = sentence(code, params)
    assert told
    # a model may have written the word itself: then it stands in quotation marks
    assert not re.search(r"%\(\w+\)s|(?<!“)\bNone\b", told), told
    return told


@pytest.mark.parametrize("code", FINDINGS)
def test_the_sentence_of_a_finding_is_filled_by_its_params(code):
    for finding in FINDINGS[code][2]().findings:
        filled(finding.code, finding.params)


@pytest.mark.parametrize("code", RAISED)
def test_the_sentence_of_an_error_is_filled_by_its_params(code):
    with pytest.raises(PlannerError) as caught:
        RAISED[code]()
    filled(caught.value.code, caught.value.params)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("cycle", "The tasks wait for each other: a → b → a."),
        ("self_dependency", "“a” depends on itself."),
        ("dangling_dependency", "“b” depends on “zz”, which does not exist."),
        ("duplicate_id", "The id “a” is used 2 times (A, B)."),
        (
            "unknown_skill",
            "“a” uses the skill “nooop”, which is not enabled here. Did you mean “noop”? Known: chart, load_file, noop, sql.",
        ),
    ],
)
def test_the_usual_defects_read_like_this(code, told):
    finding = next(finding for finding in FINDINGS[code][2]().findings if finding.code == code)
    assert sentence(code, finding.params) == told
