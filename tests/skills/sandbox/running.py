"""Run a program in the child process group, briefly said."""

from __future__ import annotations

from collections.abc import Callable

from plans.skills.sandbox import Job, Outcome, run


def never() -> bool:
    return False


def do(code: str, cancelled: Callable[[], bool] = never, **job: object) -> Outcome:
    return run(Job(code=code, **job), cancelled=cancelled)  # type: ignore[arg-type]


def result_of(expression: str, imports: str = "import os") -> object:
    code = (
        f"{imports}\nimport json, os\nopen(os.environ['OUT_DIR'] + '/result.json', 'w').write(json.dumps({expression}))"
    )
    outcome = do(code)
    assert outcome.status == "ok", outcome.stderr
    return outcome.result
