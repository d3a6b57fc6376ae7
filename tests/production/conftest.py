"""What only PostgreSQL and Redis can show: these tests run in the suite's last stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out where the suite runs on SQLite; planner_site/bootstrap.py says when nothing else ran."""
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        return
    left_out = [item for item in items if item.path.is_relative_to(HERE)]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
