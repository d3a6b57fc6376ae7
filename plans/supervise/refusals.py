"""Reasons not to start, each ending as one line that names the remedy."""

from __future__ import annotations

import errno

from django.db import DatabaseError

from plans.wording import sentence


class CannotStart(Exception):
    """The site cannot start or go on; `str()` is the line for the terminal."""

    def __init__(self, code: str, **params: object) -> None:
        super().__init__(code, params)
        self.code = code
        self.params = params

    def __str__(self) -> str:
        return sentence(self.code, self.params)


def from_os_error(error: OSError, folder: str) -> CannotStart:
    """Return the refusal for a failed write below `folder`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CannotStart("up_disk_full", folder=folder)
    return CannotStart("up_folder_not_writable", folder=folder, reason=error.strerror or str(error))


def from_database_error(error: DatabaseError, database: str, folder: str) -> CannotStart:
    """Return the refusal for a database that does not answer."""
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if "database is locked" in reason:
        return CannotStart("up_database_locked", database=database)
    if "readonly" in reason:
        return CannotStart("up_folder_not_writable", folder=folder, reason=reason)
    if "disk is full" in reason:
        return CannotStart("up_disk_full", folder=folder)
    return CannotStart("up_database_unreachable", database=database, reason=reason)
