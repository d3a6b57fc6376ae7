"""Rows of the product: constraints, no workflow. State moves live in `plans.engine`."""

from plans.models.files import Artifact, Attachment, Blob
from plans.models.history import Correction, Event
from plans.models.ledger import ModelCall, ModelSettings
from plans.models.requests import Request
from plans.models.runs import Revision, Run
from plans.models.settings import Hold, Host, Lease, PlaybookRow, Pool, SkillRow
from plans.models.tasks import Attempt, Dependency, Task

__all__ = [
    "Artifact",
    "Attachment",
    "Attempt",
    "Blob",
    "Correction",
    "Dependency",
    "Event",
    "Hold",
    "Host",
    "Lease",
    "ModelCall",
    "ModelSettings",
    "PlaybookRow",
    "Pool",
    "Request",
    "Revision",
    "Run",
    "SkillRow",
    "Task",
]
