"""What people see when the server itself is in trouble."""

from __future__ import annotations

import errno

import pytest
from django.db import InterfaceError, OperationalError
from django.test import RequestFactory

from plans.core.errors import DiskFull
from plans.web.trouble import server_error

DATABASE, ROOM, OTHER = "The database does not answer.", "The server has no room left", "Something went wrong"


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (OperationalError("server closed the connection unexpectedly"), 503, DATABASE),
        (InterfaceError("connection already closed"), 503, DATABASE),
        (OperationalError("database or disk is full"), 503, ROOM),
        (OSError(errno.ENOSPC, "No space left on device"), 503, ROOM),
        (DiskFull(), 503, ROOM),
        (OSError(errno.EACCES, "Permission denied"), 500, OTHER),
        (KeyError("x"), 500, OTHER),
    ],
)
def test_the_part_in_trouble_is_named_without_asking_the_database(error: Exception, status: int, text: str):
    try:
        raise error
    except type(error):
        response = server_error(RequestFactory().get("/"))
    assert (response.status_code, text in response.content.decode()) == (status, True)
    assert response.headers.get("Retry-After") == ("10" if status == 503 else None)
