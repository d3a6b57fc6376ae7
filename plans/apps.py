"""Django's entry point of the app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PlansConfig(AppConfig):
    name = "plans"
    verbose_name = _("Forethought")

    def ready(self) -> None:
        from plans import checks  # noqa: F401
        from plans.web import admin  # noqa: F401
