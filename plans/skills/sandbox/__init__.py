"""One function, `run`, through which everything that computes or parses files goes."""

from plans.skills.sandbox.childgroup import run
from plans.skills.sandbox.job import Artifact, Input, Job, Limits, Outcome, Status, Usage

__all__ = ["Artifact", "Input", "Job", "Limits", "Outcome", "Status", "Usage", "run"]
