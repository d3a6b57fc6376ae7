"""The first account: made when none can administer the site, its password shown once and stored nowhere."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction

NAME = "admin"


def name_of_administrator() -> str | None:
    """Return the oldest active administrator's user name."""
    return (
        User.objects.filter(is_superuser=True, is_active=True).order_by("pk").values_list("username", flat=True).first()
    )


def make_first_user(show: Callable[[str, str], None]) -> None:
    """Make the administrator and `show` name and password.

    Shown before the commit: if the start is interrupted here, the account is not there and the next start makes it.
    """
    password = secrets.token_urlsafe(12)
    with transaction.atomic():
        taken = set(User.objects.filter(username__startswith=NAME).values_list("username", flat=True))
        name = next(name for name in (NAME, *(f"{NAME}{n}" for n in range(2, len(taken) + 3))) if name not in taken)
        User.objects.create_superuser(name, password=password)
        show(name, password)
