"""Who is at the other end of a socket, and what they may see: asked at connect and again while frames go out."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any
from uuid import UUID

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.translation import get_language_from_request

from plans.models import Run
from plans.web.access import steers
from plans.web.live.parts import Viewer

# Application close codes (4000-4999, RFC 6455 §7.4.2), named like the HTTP answers to the same question.
SIGNED_OUT = 4403
NOT_FOUND = 4404


class Refused(Exception):
    """The person may not look (any more); `code` closes the socket."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def viewer_of(user: User | AnonymousUser, uuid: UUID | None) -> Viewer:
    """Return what `user` is to a run, or to the inbox when `uuid` is None. Raises Refused."""
    if isinstance(user, AnonymousUser) or not user.is_active:
        raise Refused(SIGNED_OUT)
    is_operator = user.has_perm("plans.operate")
    if uuid is None:
        return Viewer(user_id=user.pk, is_operator=is_operator)
    run = Run.objects.for_user(user).filter(uuid=uuid).only("pk", "owner_id").first()
    if run is None:
        raise Refused(NOT_FOUND)
    return Viewer(user_id=user.pk, is_operator=is_operator, run_id=run.pk, decides_all=steers(user, run))


async def admit(cookies: Mapping[str, str], uuid: UUID | None) -> Viewer:
    """Return the viewer a session stands for now: the session is read anew, so a logout counts at once. Raises Refused."""
    viewer: Viewer = await database_sync_to_async(lambda: viewer_of(_user(cookies), uuid))()
    return viewer


def _user(cookies: Mapping[str, str]) -> User | AnonymousUser:
    request = HttpRequest()
    engine: Any = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
    # Also checks that the password is still the one of the login and that the account is active.
    user: User | AnonymousUser = auth.get_user(request)
    return user


def language_of(scope: Mapping[str, Any]) -> str:
    """Return the language the pages of this browser are in."""
    request = HttpRequest()
    request.COOKIES = dict(scope.get("cookies", {}))
    for name, value in scope.get("headers", []):
        if name == b"accept-language":
            request.META["HTTP_ACCEPT_LANGUAGE"] = value.decode("latin-1")
    return get_language_from_request(request)
