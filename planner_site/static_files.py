"""Static files under hashed names, compressed; imports between our JavaScript modules are rewritten as well."""

from __future__ import annotations

from collections.abc import Callable
from re import Match
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage

OURS = "plans/"


class StaticFiles(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True

    def url_converter(self, name: str, *arguments: Any, **more: Any) -> Callable[[Match[str]], str]:
        """Leave other people's JavaScript as it is: htmx's extensions name modules that are not files here."""
        if name.endswith(".js") and not name.startswith(OURS):
            return lambda found: found.group(0)
        return super().url_converter(name, *arguments, **more)
