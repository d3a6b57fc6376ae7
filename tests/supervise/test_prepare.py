"""What a start prepares: database of the right version, static files, the first user."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from plans.supervise import first_user, prepare
from plans.supervise.refusals import CannotStart


@pytest.mark.django_db(transaction=True)
def test_database_of_a_newer_version_is_refused_by_name():
    recorder = MigrationRecorder(connection)
    recorder.record_applied("plans", "9999_from_the_future")
    try:
        with pytest.raises(CannotStart) as refused:
            prepare.database(migrate=True)
    finally:
        recorder.record_unapplied("plans", "9999_from_the_future")

    assert "was made by a newer version of Forethought (9999_from_the_future)" in str(refused.value)


@pytest.mark.django_db(transaction=True)
def test_database_of_this_version_is_accepted():
    prepare.database(migrate=False)


def test_static_files_are_collected_once_and_again_after_a_change(settings, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "page.css").write_text("body { color: black }")
    settings.STATICFILES_DIRS = [source]
    settings.STATIC_ROOT = tmp_path / "collected"
    prepare.static_files()
    (tmp_path / "collected" / "page.css").write_text("marked")
    prepare.static_files()
    assert (tmp_path / "collected" / "page.css").read_text() == "marked"

    (source / "page.css").write_text("body { color: green }")
    prepare.static_files()

    assert (tmp_path / "collected" / "page.css").read_text() == "body { color: green }"


@pytest.mark.django_db
def test_first_user_administers_the_site_with_the_shown_password():
    shown = []

    first_user.make_first_user(lambda name, password: shown.append((name, password)))

    ((name, password),) = shown
    user = User.objects.get(username=name)
    assert (name, user.is_superuser, user.is_staff, user.check_password(password)) == ("admin", True, True, True)
    assert first_user.name_of_administrator() == "admin"


@pytest.mark.django_db
def test_first_user_takes_another_name_when_admin_is_somebody_else():
    User.objects.create_user("admin")

    first_user.make_first_user(lambda _name, _password: None)

    assert first_user.name_of_administrator() == "admin2"


@pytest.mark.django_db(transaction=True)
def test_account_whose_password_could_not_be_shown_is_not_made():
    def broken_terminal(_name: str, _password: str) -> None:
        raise OSError("terminal is gone")

    with pytest.raises(OSError, match="terminal is gone"):
        first_user.make_first_user(broken_terminal)

    assert first_user.name_of_administrator() is None
