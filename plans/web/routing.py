"""Addresses of the sockets."""

from __future__ import annotations

from channels.routing import URLRouter
from channels.security.websocket import WebsocketDenier
from channels.sessions import CookieMiddleware
from django.urls import path, re_path

from plans.web.consumers import LiveConsumer
from plans.web.live.origin import SameOriginOnly

# The consumer reads session and person itself, at connect and again later: cookies are all it needs from outside.
websockets = SameOriginOnly(
    CookieMiddleware(
        URLRouter(
            [
                path("ws/runs/<uuid:uuid>/", LiveConsumer.as_asgi()),
                path("ws/inbox/", LiveConsumer.as_asgi()),
                re_path(r"", WebsocketDenier.as_asgi()),
            ]
        )
    )
)
