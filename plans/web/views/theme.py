"""The frame of the pages: choosing a theme without JavaScript, and the icon browsers ask for by themselves."""

from __future__ import annotations

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from plans.web.themes import COOKIE, COOKIE_SECONDS, THEMES


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    onward = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(onward, {request.get_host()}, request.is_secure()):
        onward = reverse("new_run")
    response = HttpResponseRedirect(onward)
    if request.POST.get("theme") in THEMES:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(
            COOKIE, request.POST["theme"], max_age=COOKIE_SECONDS, samesite="Lax", secure=secure, httponly=False
        )
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response


@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    """Lead to the icon: pages name it themselves, the admin's do not."""
    return HttpResponseRedirect(staticfiles_storage.url("plans/favicon.svg"))
