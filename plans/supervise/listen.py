"""The web server's socket: bound here and handed down, so a taken port is known at once and survives restarts."""

from __future__ import annotations

import errno
import socket

from plans.supervise.refusals import CannotStart

BACKLOG = 128


def listen(host: str, port: int) -> socket.socket:
    """Return a listening IPv4 socket; port 0 takes a free one. Raises CannotStart with the remedy."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET, backlog=BACKLOG)
    except socket.gaierror as error:
        raise CannotStart("up_host_unusable", host=host, reason=error.strerror) from error
    except OSError as error:
        other = port + 1 if 1023 < port < 65535 else 8001
        if error.errno == errno.EADDRINUSE:
            raise CannotStart("up_port_in_use", port=port, other=other) from error
        if error.errno == errno.EACCES:
            raise CannotStart("up_port_not_allowed", port=port, other=other) from error
        reason = error.strerror or str(error)
        raise CannotStart("up_host_unusable", host=host, reason=reason.split(" (")[0]) from error


def address(listener: socket.socket) -> str:
    """Return the address a person on this machine opens."""
    host, port = listener.getsockname()
    return f"http://{'localhost' if host == '0.0.0.0' else host}:{port}/"  # noqa: S104 - compared, not bound
