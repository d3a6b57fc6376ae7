"""What a start says of the model: asked while the children start, so that nothing waits for it."""

from __future__ import annotations

import threading

import structlog
from django.db import DatabaseError, connection

from plans.supervise import connection as models
from plans.wording import sentence

log = structlog.get_logger("plans.supervise")

ASK_SECONDS = 15.0
# the children have been starting meanwhile; a model that is slower than both is told about in the admin
WAIT_SECONDS = 3.0


class ModelLine:
    """Asks the model for plans once, in a thread of its own."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._thread = threading.Thread(target=self._ask, name="model-line", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def read(self) -> list[str]:
        """Return the sentences, or that there is no answer yet."""
        self._thread.join(WAIT_SECONDS)
        return self._lines or [sentence("up_model_slow")]

    def _ask(self) -> None:
        try:
            self._lines = models.told(models.check(seconds=ASK_SECONDS))
        except DatabaseError as error:
            log.error("model_not_asked", error=str(error))
        finally:
            connection.close()
