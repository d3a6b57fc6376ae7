"""Make `.venv` with exactly the locked packages and hand over to it: the first half of `make run` and `make test`.

Runs before anything is installed, by whichever Python `make` found, so: standard library only, and one clear line for
every way it can fail.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PIP_LOG = VENV / "pip.log"
RUNTIME, DEVELOPMENT = ROOT / "requirements.lock", ROOT / "requirements-dev.lock"
NO_TESTS_COLLECTED = 5
# pip options that would put the packages elsewhere, and interpreter options that belong to another Python.
FOREIGN = ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")

# Where the tests look for servers (PLANS_TEST_DATABASE_URL, PLANS_TEST_REDIS_URL name others), and what runs on them.
SERVERS = {
    "DATABASE_URL": "postgres://postgres@127.0.0.1:5432/postgres",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
}
ON_SERVERS = ("tests/engine", "tests/production")
ASK = """
import sys
url = sys.argv[1]
if url.startswith("postgres"):
    import psycopg
    psycopg.connect(url, connect_timeout=3).close()
else:
    import redis
    redis.from_url(url, socket_connect_timeout=3, socket_timeout=3).ping()
"""

NETWORK_SIGNS = (
    "NewConnectionError",
    "Max retries exceeded",
    "name resolution",
    "Connection refused",
    "ReadTimeout",
    "ConnectTimeout",
    "ProxyError",
    "SSLError",
    "Network is unreachable",
    # A locked package is on every index: an index that knows no version of it was not reached (or is the wrong one).
    "from versions: none",
)


class Refused(Exception):
    """The start cannot go on; the text is the one line for the terminal."""


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what would lead pip or Python elsewhere."""
    return {key: value for key, value in environment.items() if key not in FOREIGN}


def fingerprint(lock: Path) -> str:
    """Return what the stamp of an installed lock says."""
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def stamp_of(lock: Path) -> Path:
    return VENV / f"installed-{lock.stem}"


def is_installed(lock: Path) -> bool:
    """Tell whether `.venv` holds the packages of `lock` as it is now."""
    stamp = stamp_of(lock)
    return stamp.is_file() and stamp.read_text(encoding="ascii") == fingerprint(lock)


def venv_works() -> bool:
    """Tell whether `.venv` has a Python that runs, is of a supported version and has pip (it may have been moved)."""
    test = "import sys, pip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))"
    try:
        return subprocess.run([str(PYTHON), "-I", "-c", test], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def write_refusal(error: OSError, folder: Path) -> Refused:
    """Return the refusal for a failed write."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refused(f"The disk with {folder} is full. Free about 1 GB and start again.")
    reason = error.strerror or str(error)
    return Refused(f"Cannot write to {folder}: {reason}. Copy Forethought to a folder you may write to.")


def make_venv() -> None:
    """Make `.venv` anew. Raises Refused."""
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Making .venv with Python {version} …")
    try:
        VENV.mkdir(exist_ok=True)
        (VENV / ".writable").touch()
    except OSError as error:
        raise write_refusal(error, ROOT) from error
    command = [sys.executable, "-I", "-m", "venv", "--clear", str(VENV)]
    made = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment(os.environ))
    if made.returncode:
        raise venv_refusal(made.stdout + made.stderr)


def venv_refusal(output: str) -> Refused:
    """Return the refusal for what `python -m venv` said."""
    short = ".".join(map(str, sys.version_info[:2]))
    if "ensurepip" in output:
        return Refused(
            f"Python {short} comes without ensurepip, so .venv cannot be made. "
            f"On Debian or Ubuntu: apt-get install python{short}-venv"
        )
    if "No space left" in output:
        return write_refusal(OSError(errno.ENOSPC, ""), ROOT)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return Refused(f"Cannot make .venv with {sys.executable}: {lines[-1] if lines else 'it says nothing'}.")


def pip_refusal(log: str) -> Refused:
    """Return the refusal for what pip wrote to its log."""
    where = f"pip's log: {PIP_LOG.relative_to(ROOT)}"
    if "No space left" in log:
        return Refused(f"The disk with {ROOT} is full. Free about 1 GB and start again. {where}")
    if "DO NOT MATCH THE HASHES" in log:
        return Refused(
            f"A downloaded package is not the one that was locked, so nothing was installed. "
            f"Check the package index or proxy in use. {where}"
        )
    if any(sign in log for sign in NETWORK_SIGNS):
        return Refused(
            "The package index cannot be reached. Check the network, or name a proxy (HTTPS_PROXY) "
            f"or a mirror (PIP_INDEX_URL). {where}"
        )
    errors = [line.strip() for line in log.splitlines() if "ERROR:" in line]
    said = errors[0].split("ERROR:", 1)[1].strip().rstrip(".") if errors else "see its log"
    return Refused(f"pip could not install the packages: {said}. {where}")


def install(lock: Path) -> None:
    """Install exactly what `lock` names, if that has not been done. Raises Refused."""
    # Two starts at once: the second waits here and then finds the work done. Closing the file gives the lock back.
    with lock.open("rb") as guard:
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another start is installing packages here: waiting for it …")
            fcntl.flock(guard, fcntl.LOCK_EX)
        works = venv_works()
        if works and is_installed(lock):
            return
        if not works:
            make_venv()
        try:
            pip_install(lock)
        except OSError as error:
            raise write_refusal(error, VENV) from error


def pip_install(lock: Path) -> None:
    """Run pip, its words kept in a file. Raises Refused."""
    say(f"Installing the packages of {lock.name} (once, about a minute) …")
    stamp_of(lock).unlink(missing_ok=True)
    command = [str(PYTHON), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    command += ["--require-hashes", "--no-deps", "--compile", "--progress-bar", "off", "-r", str(lock)]
    with PIP_LOG.open("wb") as log:
        code = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=clean_environment(os.environ),
            check=False,
        ).returncode
    if code:
        raise pip_refusal(PIP_LOG.read_text(encoding="utf-8", errors="replace"))
    stamp_of(lock).write_text(fingerprint(lock), encoding="ascii")


def run_tests(arguments: Sequence[str]) -> int:
    """Run the suite and return the worst exit code: what may run side by side, what needs the machine for itself, and
    the engine once more on PostgreSQL and Redis. Arguments that name a part leave the last out."""
    environment = clean_environment(os.environ)
    worst = 0
    for stage in (["-n", "2", "--dist", "worksteal", "-m", "not serial"], ["-m", "serial"]):
        worst = max(worst, run_stage([*stage, *arguments], environment))
    if any(Path(argument.partition("::")[0]).exists() for argument in arguments):
        return worst
    servers = {name: os.environ.get(f"PLANS_TEST_{name}", url) for name, url in SERVERS.items()}
    missing = [f"PLANS_TEST_{name}" for name, url in servers.items() if not answers(url)]
    if missing:
        say(f"The engine was not tested on PostgreSQL and Redis: no server lets us in at {' and '.join(missing)}.")
        return max(worst, int(os.environ.get("CI") == "true"))
    return max(
        worst,
        run_stage(
            ["-n", "2", "--dist", "worksteal", "-m", "not serial", *ON_SERVERS, *arguments], environment | servers
        ),
    )


def run_stage(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run pytest; return its exit code, 0 when a choice of tests left nothing to run."""
    command = [str(PYTHON), "-m", "pytest", *arguments]
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    return 0 if code == NO_TESTS_COLLECTED else abs(code)


def answers(url: str) -> bool:
    """Tell whether the server at `url` lets us in, asked by `.venv`, which has the drivers."""
    command = [str(PYTHON), "-I", "-c", ASK, url]
    return subprocess.run(command, capture_output=True, check=False, env=clean_environment(os.environ)).returncode == 0


def main(arguments: Sequence[str]) -> int:
    """Do what `make` asked for: run, test or develop (only install)."""
    command, *rest = arguments
    try:
        install(RUNTIME if command == "run" else DEVELOPMENT)
        if command == "test":
            return run_tests(rest)
        if command == "run":
            os.chdir(ROOT)
            program = [str(PYTHON), "manage.py", "up", "--prepare", *rest]
            os.execve(program[0], program, clean_environment(os.environ))  # noqa: S606 - no shell is wanted
    except Refused as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
