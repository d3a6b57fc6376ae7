"""`core.model.Model` on the real client: one deadline for all tries, each call in the ledger before and after it."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from plans.core import retry
from plans.core.errors import ErrorClass, ModelError, SkillCancelled
from plans.core.hashing import digest
from plans.core.jsontypes import JsonObject
from plans.core.model import CallEnd, CallOutcome, CallStart, Ledger, Message, Progress, Purpose, Reply, Tier
from plans.core.redaction import redact
from plans.llm import prices, probe
from plans.llm.came import Came
from plans.llm.config import Config, Mode
from plans.llm.question import Question, arguments
from plans.llm.verdict import Verdict, judge, written
from plans.llm.watchdog import Watchdog

# A reply must be committed, and the step ended, before the engine fences the attempt off.
MARGIN_SECONDS = 2.0
MARGIN_PART = 0.1
MOST_TOKENS = 64_000
# Streams that died after they had taken tokens: more of them would only cost more.
MOST_DEATHS = 3
SLEEP_SECONDS = 0.1


@dataclass(slots=True)
class Client:
    """A model bound to one attempt's ledger."""

    config: Config
    ledger: Ledger

    def ask(
        self,
        *,
        purpose: Purpose,
        system: str,
        messages: Sequence[Message],
        schema: JsonObject | None = None,
        max_tokens: int = 16_000,
        effort: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        tier: Tier | None = None,
        reuse: bool = False,
    ) -> Reply:
        """See `core.model.Model`."""
        deadline = self._deadline()
        question = Question(
            purpose=purpose,
            model=self.config.model(purpose, tier),
            system=system,
            messages=messages,
            schema=schema,
            max_tokens=max_tokens,
            effort=effort,
            reuse=reuse,
        )
        if schema is not None:
            question = replace(question, mode=self.mode_of(question.model))
        found = self._recalled(question) if reuse else None
        return found or self._whole(question, deadline, on_progress)

    def mode_of(self, model: str) -> Mode:
        """Return how this endpoint is asked for JSON, finding it out where nobody knows. Raises as `ask` does."""
        return probe.mode_of(self.config, model, lambda asked: self._answer(asked, self._deadline(), None))

    def _whole(self, question: Question, deadline: float, on_progress: Callable[[Progress], None] | None) -> Reply:
        try:
            return self._answer(question, deadline, on_progress)
        except ModelError as error:
            may_grow = question.schema is not None and question.max_tokens < MOST_TOKENS
            if error.code != "model_out_of_tokens" or not may_grow:
                raise
        # half a JSON value is of no use to anybody: once more with twice the room
        roomier = replace(question, max_tokens=min(2 * question.max_tokens, MOST_TOKENS))
        return self._answer(roomier, deadline, on_progress)

    def _deadline(self) -> float:
        left = self.ledger.deadline - time.monotonic()
        return self.ledger.deadline - min(MARGIN_SECONDS, max(0.0, left * MARGIN_PART))

    def _answer(self, question: Question, deadline: float, on_progress: Callable[[Progress], None] | None) -> Reply:
        """Ask until there is a reply, or an error that no further try helps. A try that took tokens is a call."""
        death = 0
        while True:
            verdict = self._call(question, deadline, on_progress)
            if verdict.reply is not None:
                return verdict.reply
            death += 1
            if not verdict.again or death >= MOST_DEATHS or not self._wait(verdict, death, deadline):
                raise verdict.error or ModelError

    def _call(self, question: Question, deadline: float, on_progress: Callable[[Progress], None] | None) -> Verdict:
        """Make one call: a row of the ledger, with as many requests as are refused without taking a token."""
        if self.ledger.cancelled():
            raise SkillCancelled
        if time.monotonic() >= deadline:
            raise ModelError("model_too_slow", ErrorClass.TIMEOUT)
        number = self.ledger.begin(self._start(question))
        began = time.monotonic()
        tries, came, verdict = 0, Came(), None
        try:
            while verdict is None or (verdict.again and not came.began and self._wait(verdict, tries, deadline)):
                tries += 1
                came = self._send(question, deadline, on_progress)
                earlier, verdict = verdict, judge(question, came)
                if earlier is not None and verdict.problem == "model_too_slow" and not came.began:
                    # what the tries before met says more than that the time was over
                    verdict = replace(earlier, again=False)
        finally:
            # also when something of ours broke: the call was made and may have been paid for
            self.ledger.end(number, self._end(question, came, verdict, tries, time.monotonic() - began))
        if came.raised is not None:
            raise came.raised
        if isinstance(verdict.error, ModelError):
            verdict.error.params = {**verdict.error.params, "tries": tries, "seconds": round(time.monotonic() - began)}
        # without a token taken every try that had time was made here
        return replace(verdict, again=verdict.again and came.began)

    def _send(self, question: Question, deadline: float, on_progress: Callable[[Progress], None] | None) -> Came:
        from plans.llm.transport import send  # the vendor's client takes a second to import, and most steps ask nothing

        watchdog = Watchdog(
            deadline=deadline, silence_seconds=self.config.silence_seconds, cancelled=self.ledger.cancelled
        )
        with watchdog:
            return send(self.config, question, watchdog, on_progress)

    def _wait(self, verdict: Verdict, tries: int, deadline: float) -> bool:
        """Wait before the next try; False when there is to be none before the deadline. Raises SkillCancelled."""
        if self.config.most_tries is not None and tries >= self.config.most_tries:
            return False
        seconds = retry.backoff_seconds(
            tries,
            base_seconds=self.config.retry_base_seconds,
            cap_seconds=self.config.retry_cap_seconds,
            jitter=random.random(),  # noqa: S311
        )
        due = time.monotonic() + max(seconds, verdict.retry_after or 0.0)
        if due >= deadline:
            return False
        while (left := due - time.monotonic()) > 0:
            if self.ledger.cancelled():
                raise SkillCancelled
            time.sleep(min(left, SLEEP_SECONDS))
        return True

    def _recalled(self, question: Question) -> Reply | None:
        """Return the reply to an earlier request that was the very same, judged anew."""
        written = self.ledger.recall(self._hash(question))
        if written is None:
            return None
        came = Came(text=written, stop_reason="end_turn", model=question.model)
        reply = judge(question, came).reply
        return replace(reply, reused=True) if reply else None

    def _hash(self, question: Question) -> str:
        # Not the limit of tokens: a reply that was whole is the same under any.
        made = {**arguments(self.config, question), "endpoint": self.config.url, "max_tokens": None}
        return digest(made)

    def _start(self, question: Question) -> CallStart:
        most = question.most
        return CallStart(
            purpose=question.purpose,
            model=question.model,
            request_text=self._redacted(
                json.dumps(
                    {"endpoint": self.config.url, **arguments(self.config, question)}, ensure_ascii=False, indent=2
                )
            ),
            request_hash=self._hash(question) if question.reuse else "",
            most=most,
            most_usd=prices.cost(question.model, most),
        )

    def _end(self, question: Question, came: Came, verdict: Verdict | None, tries: int, seconds: float) -> CallEnd:
        return CallEnd(
            outcome=verdict.outcome if verdict else CallOutcome.ERROR,
            problem=verdict.problem if verdict else "internal",
            request_id=came.request_id,
            usage=came.usage,
            usd=prices.cost(question.model, came.usage),
            latency_ms=round(seconds * 1000),
            tries=max(tries, 1),
            reply_text=self._redacted(written(came)),
            thinking_text=self._redacted(came.thinking),
        )

    def _redacted(self, text: str) -> str:
        return redact(text, [self.config.api_key])
