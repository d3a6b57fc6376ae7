"""The child process group: what a program sees, how it ends, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plans.skills.sandbox import Input, Limits
from tests.skills.sandbox.running import do, result_of

REPOSITORY = Path(__file__).resolve().parents[3]
# A grandchild that ignores SIGTERM and writes its number where the test can read it.
STUBBORN = """
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open({path!r}, "w") as file:
        file.write(str(os.getpid()))
    while True:
        time.sleep(60)
"""
WAIT = "import time\nwhile True: time.sleep(60)"


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """A zombie nobody has reaped yet is dead."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def test_a_program_sees_only_the_environment_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "swordfish")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "swordfish")
    expected = {"HOME", "IN_DIR", "LANG", "MPLBACKEND", "MPLCONFIGDIR", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}

    names = result_of("sorted(os.environ)")

    assert set(names) == expected | {"OUT_DIR", "TMPDIR", "TZ"}


def test_a_program_reads_params_and_inputs_and_leaves_result_and_artifacts(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text("42")
    target = tmp_path / "artifacts"
    target.mkdir()
    code = """
import json, os
params = json.load(open(os.environ["IN_DIR"] + "/params.json"))
number = int(open(os.environ["IN_DIR"] + "/number").read())
open(os.environ["OUT_DIR"] + "/answer.txt", "w").write("done")
open(os.environ["OUT_DIR"] + "/result.json", "w").write(json.dumps(number + params["more"]))
print("hello")
"""

    outcome = do(code, params={"more": 1}, inputs=(Input(name="number", path=source),), artifacts_dir=target)

    assert (outcome.status, outcome.result, outcome.stdout, outcome.stderr) == ("ok", 43, "hello\n", "")
    assert [(artifact.name, artifact.path.read_text()) for artifact in outcome.artifacts] == [("answer.txt", "done")]


def test_standard_input_is_closed() -> None:
    assert result_of("sys.stdin.read()", "import sys") == ""


def test_no_descriptor_of_the_worker_is_inherited() -> None:
    with open(os.devnull) as file:
        os.set_inheritable(file.fileno(), True)
        descriptors = result_of("sorted(int(name) for name in os.listdir('/proc/self/fd'))")

    assert max(descriptors) <= 4  # 0 to 2, the listing itself, and the file being written


def test_limits_hold_in_the_child() -> None:
    limits = result_of(
        "[resource.getrlimit(r) for r in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)]", "import resource"
    )

    assert limits == [[0, 0], [256, 256]]


def test_timeout_kills_a_grandchild_that_ignores_sigterm(tmp_path: Path) -> None:
    path = str(tmp_path / "pid")

    outcome = do(STUBBORN.format(path=path) + WAIT, limits=Limits(wall_seconds=1.5))

    assert outcome.status == "timeout"
    assert not is_alive(int(Path(path).read_text()))


def test_a_grandchild_does_not_survive_a_normal_end(tmp_path: Path) -> None:
    path = str(tmp_path / "pid")
    code = STUBBORN.format(path=path) + f"while not os.path.exists({path!r}): time.sleep(0.01)"

    outcome = do(code)

    assert outcome.status == "ok"
    assert not is_alive(int(Path(path).read_text()))


def test_a_grandchild_that_holds_the_output_open_delays_nothing(tmp_path: Path) -> None:
    outcome = do(STUBBORN.format(path=str(tmp_path / "pid")) + "print('done')", limits=Limits(wall_seconds=30))

    assert (outcome.status, outcome.stdout) == ("ok", "done\n")


def test_cancelling_ends_the_work(tmp_path: Path) -> None:
    path = tmp_path / "pid"

    outcome = do(STUBBORN.format(path=str(path)) + WAIT, cancelled=path.exists)

    assert outcome.status == "cancelled"
    wait_for(lambda: bool(path.read_text()))
    assert not is_alive(int(path.read_text()))


def test_an_error_while_asking_for_cancellation_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "pid"

    def broken() -> bool:
        if path.exists() and path.read_text():
            raise RuntimeError("the lease is gone")
        return False

    with pytest.raises(RuntimeError):
        do(STUBBORN.format(path=str(path)) + WAIT, cancelled=broken)

    assert not is_alive(int(path.read_text()))


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM])
def test_a_crash_is_an_error_and_only_the_childs(number: signal.Signals) -> None:
    outcome = do(f"import os\nos.kill(os.getpid(), {int(number)})")

    assert (outcome.status, outcome.exit_code) == ("error", -number)


def test_a_process_taken_by_the_kernel_ran_out_of_memory() -> None:
    assert do("import os\nos.kill(os.getpid(), 9)").status == "memory"


def test_a_memory_error_is_told_as_such() -> None:
    assert do("raise MemoryError").status == "memory"


def test_memory_over_the_limit_ends_the_program() -> None:
    code = "held = []\nwhile True: held.append(bytearray(10_000_000))"

    outcome = do(code, limits=Limits(memory_bytes=150 * 1024 * 1024))

    assert outcome.status == "memory"


def test_an_exception_leaves_its_traceback_in_stderr() -> None:
    outcome = do("1 / 0")

    assert (outcome.status, outcome.exit_code) == ("error", 1)
    assert "ZeroDivisionError" in outcome.stderr


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_cut(stream: str) -> None:
    outcome = do(
        f"import sys\nwhile True: sys.{stream}.write('x' * 65536)", limits=Limits(stdout_bytes=1000, stderr_bytes=1000)
    )

    assert (outcome.status, outcome.truncated) == ("output_limit", True)
    assert len(getattr(outcome, stream)) == 1000


def test_bad_bytes_in_output_are_no_error() -> None:
    assert do(r"import os; os.write(1, b'\xff\x00\n')").stdout == "\ufffd\x00\n"


def test_the_work_folder_is_gone_afterwards(tmp_path: Path) -> None:
    do("open('left over', 'w').close()", scratch_dir=tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../escape", "params.json", "", ".hidden", "a/b"])
def test_an_input_with_an_odd_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a name"):
        do("", inputs=(Input(name=name, path=tmp_path),))


def test_the_child_dies_with_a_worker_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    code = f"import os\nopen({str(path)!r}, 'w').write(str(os.getpid()))\n{WAIT}"
    worker = f"from plans.skills.sandbox import Job, run\nrun(Job(code={code!r}), cancelled=lambda: False)"
    with subprocess.Popen([sys.executable, "-c", worker], cwd=REPOSITORY) as parent:
        wait_for(lambda: path.exists() and bool(path.read_text()))
        child = int(path.read_text())
        assert is_alive(child)

        parent.kill()
        parent.wait()

    wait_for(lambda: not is_alive(child))
