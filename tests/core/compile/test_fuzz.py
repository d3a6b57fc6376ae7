"""Whatever JSON comes, the compiler answers with a verdict and never with a traceback."""

import json

from hypothesis import given
from hypothesis import strategies as st

from plans.core.compile import compile_plan
from plans.core.spec import Milestone, PlanSpec, TaskSpec
from plans.wording import sentence
from tests.core.compile.plans import CATALOGUE
from tests.core.test_expressions import json_values

texts = st.sampled_from(
    ["a", "b", "x", "m", "", "noop", "sql", "{{ x }}", "{{ b.x + a.result }}", "x.y > 1", "{{", "table"]
)
values = st.one_of(texts, st.lists(texts, max_size=3), st.dictionaries(texts, texts, max_size=3), json_values)


def objects(model):
    keys = [field.alias or name for name, field in model.model_fields.items()]
    return st.dictionaries(st.sampled_from([*keys, "id", "skill", "extra"]), values, max_size=6)


tasks = st.builds(lambda some, more: {"id": "a", "skill": "noop", **some, **more}, objects(TaskSpec), objects(TaskSpec))
plans = st.builds(
    lambda top, steps, rows: {**top, "tasks": steps, "milestones": rows},
    objects(PlanSpec),
    st.lists(tasks | values, max_size=4),
    st.lists(objects(Milestone), max_size=3),
)


@given(plans | json_values)
def test_any_json_gets_a_verdict_in_words(raw):
    result = compile_plan(raw if isinstance(raw, dict) else json.dumps(raw), CATALOGUE)
    document = result.as_json(sentence)
    assert json.loads(json.dumps(document)) == document
    assert (result.outcome == "rejected") == any(finding["severity"] == "error" for finding in document["findings"])
    if result.outcome != "rejected":
        again = compile_plan(document["plan"], CATALOGUE)
        assert (again.outcome, again.plan, again.edges) == ("accepted", result.plan, again.edges)
        assert sorted(again.edges) == sorted(result.edges)


@given(st.text() | st.binary())
def test_any_text_gets_a_verdict(raw):
    assert compile_plan(raw, CATALOGUE).outcome == "rejected"
