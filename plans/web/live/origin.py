"""Refuse sockets that another site's page opens: a browser sends our cookies with those too."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host


class SameOriginOnly:
    """Let a handshake through when its Origin is the host it came to, or one of CSRF_TRUSTED_ORIGINS.

    Stricter than channels' AllowedHostsOriginValidator, which ignores the port: cookies are not bound to a port, so a page of
    another local server could read along. A missing Origin is refused: every browser sends one (RFC 6455 §4.1).
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if is_own(headers.get(b"origin", ""), headers.get(b"host", "")):
            await self.application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def is_own(origin: str, host: str) -> bool:
    """Tell whether a page of `origin` may open a socket to `host`."""
    if not origin:
        return False
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    domain, _port = split_domain_port(host)
    parts = urlsplit(origin)
    is_ours = bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)
    return is_ours and parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()
