"""The operators' view: run history to read, skill settings to edit. The queue's own models are not shown."""

from __future__ import annotations

from django.apps import apps
from django.contrib import admin

from plans.web.admin import history, models, playbooks, pools, skills

# django-q2's rows are doorbells; editing or re-sending them from the admin would only mislead.
for _model in apps.get_app_config("django_q").get_models():
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)

admin.site.site_header = admin.site.site_title = "Forethought"

__all__ = ["history", "models", "playbooks", "pools", "skills"]
