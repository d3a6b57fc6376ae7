"""Playbooks: the list, each with what it asks for."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from plans.planning import playbooks as books


@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    return render(request, "plans/playbooks.html", {"playbooks": books.load_all()})
