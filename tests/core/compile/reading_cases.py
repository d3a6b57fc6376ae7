"""For each code of reading: severity, the task it is about, and the input that brings it about."""

from plans.core.compile import compile_plan
from tests.core.compile.plans import CATALOGUE, compiled, task

ERROR, WARNING, INFO = "error", "warning", "info"
ONE = '{"tasks": [{"id": "a", "skill": "noop"}]}'


def text(raw):
    return compile_plan(raw, CATALOGUE)


READING = {
    "not_utf8": (ERROR, None, lambda: text(b'{"tasks": "\xff"}')),
    "empty_text": (ERROR, None, lambda: text(" \n")),
    "not_json": (ERROR, None, lambda: text('{"tasks": [}')),
    "plan_cut_off": (ERROR, None, lambda: text('{"tasks": [{"id": "a", "sk')),
    "no_plan_in_text": (ERROR, None, lambda: text("I cannot help with that.")),
    "several_plans": (ERROR, None, lambda: text(f"{ONE}\nor\n" + ONE.replace('"a"', '"b"'))),
    "not_a_plan": (ERROR, None, lambda: text("null")),
    "no_tasks_key": (ERROR, None, lambda: text('{"goal": "x"}')),
    "too_deep": (ERROR, None, lambda: text('{"tasks":' + "[" * 5_000 + "]" * 5_000 + "}")),
    "bad_characters": (ERROR, None, lambda: text('{"tasks": [], "goal": "\\u0000"}')),
    "repeated_key": (WARNING, None, lambda: text('{"goal": "a", "goal": "b", "tasks": []}')),
    "byte_order_mark_removed": (INFO, None, lambda: text(f"\ufeff{ONE}")),
    "fence_removed": (INFO, None, lambda: text(f"```json\n{ONE}\n```")),
    "prose_removed": (INFO, None, lambda: text(f"Here it is: {ONE}")),
    "thoughts_removed": (INFO, None, lambda: text(f"<think>{{hm}}</think>{ONE}")),
    "braces_removed": (INFO, None, lambda: text(f"{ONE}}}")),
    "comments_removed": (INFO, None, lambda: text(f"{ONE[:-1]} /* end */ }}")),
    "trailing_commas_removed": (INFO, None, lambda: text(f"{ONE[:-1]},}}")),
    "missing_commas_added": (INFO, None, lambda: text(f'{ONE[:-1]} "goal": "x"}}')),
    "quotes_corrected": (INFO, None, lambda: text(ONE.replace('"', "'"))),
    "words_corrected": (INFO, None, lambda: text(f'{ONE[:-1]}, "goal": None}}')),
    "punctuation_corrected": (INFO, None, lambda: text(ONE.replace(":", "："))),
    "line_breaks_kept": (INFO, None, lambda: text(f'{ONE[:-1]}, "goal": "x\ny"}}')),
    "backslashes_kept": (INFO, None, lambda: text(f'{ONE[:-1]}, "goal": "C:\\Data"}}')),
    "lines_joined": (INFO, None, lambda: text('{"id": "a", "skill": "noop"}\n{"id": "b", "skill": "noop"}')),
    "last_plan_taken": (INFO, None, lambda: text(f"{ONE}\nFinal plan:\n{ONE}")),
    "json_unwrapped": (INFO, None, lambda: text('"' + ONE.replace('"', '\\"') + '"')),
    "wrapper_removed": (INFO, None, lambda: text(f'{{"plan": {ONE}}}')),
    "list_read_as_tasks": (INFO, None, lambda: text('[{"id": "a", "skill": "noop"}]')),
    "mapping_read_as_tasks": (INFO, None, lambda: text('{"tasks": {"a": {"skill": "noop"}}}')),
    "schema_unknown": (ERROR, None, lambda: compiled(schema=99)),
    "not_an_object": (ERROR, None, lambda: compiled("load the file")),
    "missing_id": (ERROR, None, lambda: compiled(task("a"), {"skill": "noop", "name": "Load"})),
    "missing_skill": (ERROR, "a", lambda: compiled({"id": "a"})),
    "bad_field": (ERROR, "a", lambda: compiled(task("a", retries="many"))),
    "unknown_key": (WARNING, "a", lambda: compiled(task("a", colour="red"))),
    "two_spellings": (ERROR, "a", lambda: compiled(task("a", tool="sql"))),
    "children_of_step": (ERROR, "a", lambda: compiled(task("a", children=[task("b")]))),
    "bad_link": (ERROR, None, lambda: compiled(task("a"), edges=[["a", "zz"]])),
    "ambiguous_dependency": (
        ERROR,
        "c",
        lambda: compiled(task("a", name="Load"), task("b", name="Load"), task("c", depends_on=["load"])),
    ),
    "dependency_condition": (
        ERROR,
        "b",
        lambda: compiled(task("a"), task("b", depends_on=[{"id": "a", "condition": "failure"}])),
    ),
    "ids_made_text": (INFO, None, lambda: compiled(task(1), task("2", depends_on=[1]))),
    "ids_made": (INFO, None, lambda: compiled({"name": "A", "skill": "noop"}, {"name": "B", "skill": "noop"})),
    "copy_removed": (INFO, "a", lambda: compiled(task("a", name="A"), task("a", name="A"))),
    "key_spelled": (INFO, "a", lambda: compiled({"id": "a", "tool": "noop"})),
    "value_read": (INFO, "a", lambda: compiled(task("a", retries="2"))),
    "children_read_as_milestones": (INFO, "p", lambda: compiled({"id": "p", "children": [task("a")]})),
    "links_read_as_dependencies": (INFO, None, lambda: compiled(task("a"), task("b"), edges=[["a", "b"]])),
    "name_read_as_id": (INFO, "b", lambda: compiled(task("a", name="Load"), task("b", depends_on=["load"]))),
    "dependency_form": (INFO, "b", lambda: compiled(task("a"), task("b", depends_on="a"))),
    "dependency_words_removed": (
        INFO,
        "b",
        lambda: compiled(task("a"), task("b", depends_on=[{"id": "a", "why": "its table"}])),
    ),
    "empty_dependency_removed": (INFO, "a", lambda: compiled(task("a", depends_on=["None"]))),
}
