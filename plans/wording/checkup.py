"""Sentences about the parts of the site."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

SENTENCES: dict[str, Any] = {
    "doctor_failed": _("It does not answer: %(problem)s."),
    "doctor_database": _("%(vendor)s answers."),
    "doctor_broker": _("Messages to workers go by %(kind)s; %(waiting)s wait."),
    "doctor_broker_away": _("%(kind)s does not answer (%(problem)s). Work goes on more slowly: the sweep finds it."),
    "doctor_workers": _("%(hosts)s hosts with %(slots)s slots; %(running)s steps run."),
    "doctor_no_workers": _("No worker has been seen for half a minute. Start some: manage.py up --workers"),
    "doctor_sweeper": _("The last sweep was %(seconds)s s ago."),
    "doctor_sweeper_still": _(
        "The last sweep was %(seconds)s s ago; it should come every second. Is a worker host up?"
    ),
    "doctor_sweeper_never": _("There has been no sweep yet. Start the workers: manage.py up --workers"),
    "doctor_watchdog": _("Watches %(hosts)s hosts; restarted a stuck cluster %(restarts)s times."),
    "doctor_no_watchdog": _("No supervisor of workers is running, so nobody restarts a stuck cluster."),
    "doctor_storage": _("%(place)s can be written, and what other hosts wrote can be read."),
    "doctor_storage_foreign": _("What %(hosts)s wrote cannot be read here. All hosts must share one STORAGE_URL."),
    "doctor_sandbox": _("bubblewrap is there."),
    "doctor_no_sandbox": _(
        "bubblewrap is not installed: `python` and `shell` steps are refused. On Debian: apt-get install bubblewrap"
    ),
    "doctor_model": _("%(model)s at %(place)s."),
    "doctor_no_model": _("No model is connected; playbooks and imported plans work without one."),
    "doctor_mail": _("Mail goes out by %(host)s."),
    "doctor_no_mail": _("No mail server is set up; requests show in the Inbox only."),
    "doctor_disk": _("%(gb)s GB are free."),
    "doctor_disk_full": _("Only %(gb)s GB are free. Steps fail when they can no longer store what they make."),
    "doctor_clock": _("This clock and the database's differ by %(seconds)s s."),
    "doctor_clock_off": _("This clock and the database's differ by %(seconds)s s. Set both by NTP."),
    "doctor_queue": _("Ready work has waited %(seconds)s s."),
    "doctor_queue_old": _("Work has been ready for %(seconds)s s and nobody has claimed it."),
}
