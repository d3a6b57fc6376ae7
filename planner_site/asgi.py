"""ASGI entry point: pages by Django, sockets by plans.web."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner_site.settings")
os.environ.setdefault("PLANS_IS_WEB", "1")
# Sets Django up: only then can modules that import models be imported.
pages = get_asgi_application()

from plans.web.routing import websockets  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": websockets})
