"""A skill for tests with real workers: it runs until a file exists."""

from __future__ import annotations

from pathlib import Path

HOLD = """
import time
from pathlib import Path
from plans.core.kinds import ValueKind, RunsIn
from plans.core.skill import Outputs
from plans.skills.base import BasicSkill, Params
from plans.skills.registry import skill

class HoldParams(Params):
    pass

@skill
class Hold(BasicSkill):
    name = "hold"
    description = "Run until the file `go` exists."
    params = HoldParams
    outputs = {"result": ValueKind.JSON}
    runs_in = RunsIn.THREAD

    def run(self, params, context):
        while not Path(GO).exists() and not context.cancelled():
            time.sleep(0.02)
        return Outputs(values={"result": context.attempt})
"""


def write_hold_skill(folder: Path, go: Path) -> None:
    """Put the skill `hold` into `folder`, for PLANS_SKILLS_DIR; it ends once `go` exists and gives its attempt number."""
    folder.mkdir(exist_ok=True)
    (folder / "hold.py").write_text(f"GO = {str(go)!r}\n{HOLD}")
