"""What is taken over from a program: strict JSON and ordinary files."""

from __future__ import annotations

from pathlib import Path

import pytest

from plans.skills.sandbox import Limits
from tests.skills.sandbox.running import do


def test_a_failed_program_hands_over_nothing(tmp_path: Path) -> None:
    code = "import os\nopen(os.environ['OUT_DIR'] + '/half.txt', 'w').write('half')\nraise SystemExit(3)"

    outcome = do(code, artifacts_dir=tmp_path)

    assert (outcome.status, outcome.exit_code, outcome.artifacts, list(tmp_path.iterdir())) == ("error", 3, (), [])


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[1e999]",
        '{"a": 1, "a": 2}',
        "[" * 40 + "]" * 40,
        "1" * 30,
        '"\\u0000"',
        '"\\ud800"',
        "{} {}",
        "nope",
        "",
    ],
)
def test_a_result_that_is_not_strict_json_is_refused(text: str) -> None:
    outcome = do(f"import os\nopen(os.environ['OUT_DIR'] + '/result.json', 'w').write({text!r})")

    assert (outcome.status, outcome.result) == ("bad_result", None)
    assert outcome.result_error


def test_a_result_that_is_too_long_is_refused() -> None:
    code = "import os\nopen(os.environ['OUT_DIR'] + '/result.json', 'w').write('\"' + 'x' * 2_000_000 + '\"')"

    assert do(code).status == "bad_result"


def test_only_ordinary_files_with_plain_names_are_collected(tmp_path: Path) -> None:
    target = tmp_path / "artifacts"
    target.mkdir()
    code = """
import os
os.chdir(os.environ["OUT_DIR"])
open("good.txt", "w").write("good")
os.symlink("/etc/passwd", "link.txt")
os.link("good.txt", "double.txt")
os.mkfifo("pipe")
os.mkdir("folder")
open("-rf", "w").close()
open("two\\nlines", "w").close()
open("fine.csv", "w").write("fine")
open("FINE.csv", "w").write("other")
"""

    outcome = do(code, artifacts_dir=target)

    assert [artifact.name for artifact in outcome.artifacts] == ["FINE.csv"]
    assert len(outcome.rejected) == 8  # good.txt has two names: neither is taken


def test_a_folder_replaced_by_a_link_is_not_followed(tmp_path: Path) -> None:
    code = "import os\nos.rmdir(os.environ['OUT_DIR'])\nos.symlink('/etc', os.environ['OUT_DIR'])"

    outcome = do(code, artifacts_dir=tmp_path)

    assert (outcome.status, outcome.artifacts) == ("bad_result", ())


def test_artifacts_over_the_limits_are_left_behind(tmp_path: Path) -> None:
    code = "import os\nfor n in 'abc': open(os.environ['OUT_DIR'] + '/' + n, 'w').write(n * (5000 if n == 'c' else 10))"

    outcome = do(code, artifacts_dir=tmp_path, limits=Limits(artifact_bytes=1000))

    assert [artifact.name for artifact in outcome.artifacts] == ["a", "b"]
    assert outcome.rejected == (("c", "too large"),)
