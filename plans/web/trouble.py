"""What people see when the server itself is in trouble: which part it is, and that nothing they did is lost."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.utils.translation import gettext as _

from plans import storage
from plans.core.errors import DiskFull
from plans.engine.sql import is_database_full

RETRY_SECONDS = 10


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for an exception nobody caught. Reads no rows: the database may be what is away."""
    error = sys.exc_info()[1]
    if _is_full(error):
        text = _("The server has no room left to store anything. Nothing was changed; an operator has to free space.")
    elif isinstance(error, (OperationalError, InterfaceError)):
        text = _("The database does not answer. Nothing was changed and nothing is lost; try again in a moment.")
    else:
        return HttpResponse(loader.get_template("500.html").render(), status=500)
    response = HttpResponse(loader.get_template("503.html").render({"text": text}), status=503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _is_full(error: BaseException | None) -> bool:
    if isinstance(error, OperationalError):
        return is_database_full(error)
    return isinstance(error, DiskFull) or (isinstance(error, OSError) and storage.is_full(error))
