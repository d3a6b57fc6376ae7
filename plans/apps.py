"""Django's entry point of the app."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class PlansConfig(AppConfig):
    name = "plans"
    verbose_name = _("Forethought")

    def ready(self) -> None:
        from plans import checks  # noqa: F401
        from plans.web import admin  # noqa: F401

        post_migrate.connect(sync_rows, sender=self)


def sync_rows(**_signal: Any) -> None:
    """After every migrate (so at every start), give each skill and playbook that exists its settings row."""
    from plans.engine import skill_rows
    from plans.planning import playbooks
    from plans.skills import registry

    skill_rows.sync_skill_rows([skill.name for skill in registry.all_skills()])
    skill_rows.sync_playbook_rows([playbook.name for playbook in playbooks.load_all()])
