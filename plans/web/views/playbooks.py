"""Playbooks: the shelf, each with what it asks for and, where there is a sample, a button that tries it."""

from __future__ import annotations

import secrets

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from plans.planning import shelf
from plans.web.examples import find_example


@require_safe
def playbooks(request: HttpRequest) -> HttpResponse:
    shelves = [
        {"playbook": book, "example": find_example(book.name), "token": secrets.token_urlsafe(24)}
        for book in shelf.available()
    ]
    return render(request, "plans/playbooks.html", {"shelves": shelves})
