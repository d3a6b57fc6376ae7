"""Columns that Django does not have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    JSONField = models.JSONField[Any, Any]
else:
    JSONField = models.JSONField


class OrderedJSONField(JSONField):
    """JSON whose keys keep their order: the first output of a task is its result.

    PostgreSQL's `jsonb` sorts keys by length; its `json` keeps the text as written. Such a column cannot be compared.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        # psycopg parses `json` itself; Django switches that off for `jsonb` only.
        return value if connection.vendor == "postgresql" else super().from_db_value(value, expression, connection)

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        # Django would send `jsonb`, which has lost the order before it is cast to `json`.
        if connection.vendor == "postgresql" and value is not None and not hasattr(value, "as_sql"):
            return json.dumps(value, cls=self.encoder)
        return super().get_db_prep_value(value, connection, prepared)
