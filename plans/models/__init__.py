"""Rows of the product: constraints, no workflow. State moves live in `plans.engine`."""

from plans.models.files import Artifact, Attachment, Blob
from plans.models.history import Event
from plans.models.requests import Request
from plans.models.runs import Revision, Run
from plans.models.settings import Lease, PlaybookRow, SkillRow
from plans.models.tasks import Attempt, Dependency, Task

__all__ = [
    "Artifact",
    "Attachment",
    "Attempt",
    "Blob",
    "Dependency",
    "Event",
    "Lease",
    "PlaybookRow",
    "Request",
    "Revision",
    "Run",
    "SkillRow",
    "Task",
]
