"""Address table of the site."""

from django.contrib import admin
from django.urls import include, path

handler500 = "plans.web.trouble.server_error"
urlpatterns = [path("admin/", admin.site.urls), path("", include("plans.web.urls"))]
