"""Tell whether a child does its work: the web server answers, the worker has announced itself."""

from __future__ import annotations

import http.client
from contextlib import suppress
from pathlib import Path

from django.conf import settings

PROBE_SECONDS = 1.0


def web_answers(host: str, port: int) -> bool:
    """Tell whether the server gives any answer that is not its own failure."""
    connection = http.client.HTTPConnection(host, port, timeout=PROBE_SECONDS)
    try:
        connection.request("GET", "/admin/login/", headers={"Host": _host_header()})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _host_header() -> str:
    """Return a host this site answers to."""
    named = [host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"]
    return named[0] if named else "localhost"


class ReadyFile:
    """The file a worker makes once its cluster runs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def forget(self) -> None:
        """Take away an earlier process's file."""
        with suppress(FileNotFoundError):
            self.path.unlink()

    def is_there(self) -> bool:
        return self.path.exists()
