"""Sentences of the supervisor: why the site does not start or go on, and what to do."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, Any] = {
    "up_already_running": _(
        "Forethought already runs on the data folder %(folder)s (process %(pid)s). Stop it with Ctrl-C in its window, "
        "or use another folder: PLANS_DATA_DIR=/some/folder PLANS_PORT=8001 make run"
    ),
    "up_port_in_use": _("Port %(port)s is in use by another program. Use another one: PLANS_PORT=%(other)s make run"),
    "up_port_not_allowed": _(
        "This user may not listen on port %(port)s. Use one above 1023: PLANS_PORT=%(other)s make run"
    ),
    "up_host_unusable": _(
        "Cannot listen on %(host)s: %(reason)s. Set PLANS_HOST to an IPv4 address of this machine, such as 127.0.0.1."
    ),
    "up_folder_not_writable": _(
        "Cannot write to the folder %(folder)s: %(reason)s. "
        "Make it writable, or set PLANS_DATA_DIR to a folder you may write to."
    ),
    "up_disk_full": _(
        "The disk with %(folder)s is full. Free some space, or set PLANS_DATA_DIR to a folder elsewhere."
    ),
    "up_database_unreachable": _(
        "The database %(database)s does not answer: %(reason)s. Start it, or correct DATABASE_URL."
    ),
    "up_database_locked": _(
        "Another program holds the database %(database)s. Close it (a database browser, a backup) and start again."
    ),
    "up_database_newer": _(
        "The database %(database)s was made by a newer version of Forethought (%(migration)s). "
        "Update this copy, or set PLANS_DATA_DIR to another folder."
    ),
    "up_database_old": _("The database %(database)s is not up to date. Run: manage.py migrate"),
    "up_child_failed": _(
        "The %(name)s stopped %(times)s times in a row (exit code %(exit_code)s): %(reason)s. Its log is %(log)s."
    ),
    "up_not_ready": _("The %(name)s did not get ready within %(seconds)s seconds. Its log is %(log)s."),
    "up_address": _("Forethought runs at %(address)s"),
    "up_model": _("Model: %(said)s"),
    "up_model_slow": _("it has not answered yet. Admin › Models › Test says more."),
    "up_workers_run": _("Forethought's workers run."),
    "up_user": _("User: %(user)s"),
    "up_no_user": _("No administrator yet. Make one with: manage.py createsuperuser"),
    "up_password": _("Password: %(password)s"),
    "up_stopping": _("Stopping: running steps have %(seconds)s seconds to finish. Press Ctrl-C again to stop at once."),
    "up_stopped": _("Stopped."),
}
