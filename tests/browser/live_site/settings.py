"""The product's settings with the test page."""

from __future__ import annotations

from pathlib import Path

from planner_site.settings import *  # noqa: F403
from planner_site.settings import TEMPLATES

ROOT_URLCONF = "tests.browser.live_site.urls"
TEMPLATES[0]["DIRS"] = [*TEMPLATES[0]["DIRS"], Path(__file__).parent / "templates"]
