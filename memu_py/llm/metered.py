"""The layer that counts each exchange, and holds it to the budget."""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence

from memu_py.language.budget import count_tokens
from memu_py.llm.backend import ChatBackend, ChatRequest, Completion
from memu_py.llm.chat import Message
from memu_py.llm.meter import Meter
from memu_py.records.usage import Usage
from memu_py.workflow.context import CURRENT

MESSAGE_TOKENS = 4
"""What the frame of a message costs beside its content, in common chat templates."""

PICTURE_TOKENS = 1600
"""What a picture costs in common models that see; its file is not read letter by letter."""

MS = 1000.0
CALLS = "model_calls"
"""The note of a step's trace that lists its calls."""


class MeteredBackend:
    """Counts what a backend does for one purpose; tokens that its server does not count are estimated.

    Args:
        backend: makes the exchanges.
        meter: of the run.
        profile: the profile's name.
        purpose: who asks.
        timer: seconds that only grow.
    """

    def __init__(
        self,
        backend: ChatBackend,
        meter: Meter,
        *,
        profile: str,
        purpose: str,
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._backend = backend
        self._meter = meter
        self._profile = profile
        self._purpose = purpose
        self._timer = timer

    @property
    def id(self) -> str:
        """The inner backend's."""
        return self._backend.id

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one exchange.

        Raises:
            ModelError: the provider failed.
            BudgetExceeded: it would cost more than is left; nothing was sent.
        """
        expected = tokens_of(request.messages)
        with await self._meter.reserve(expected + (request.max_tokens or 0)):
            began = self._timer()
            said = await self._backend.complete(request)
            ms = (self._timer() - began) * MS
            counted = _counted(said, expected)
            self._meter.count(self._profile, self._purpose, _usage(request, counted))
        note_call(
            profile=self._profile,
            model=self.id,
            purpose=self._purpose,
            prompt_tokens=counted.prompt_tokens,
            completion_tokens=counted.completion_tokens,
            ms=ms,
            finish=counted.finish,
            repair=request.repair,
            cached=False,
        )
        return counted

    async def close(self) -> None:
        """Leave the inner backend open: its owner closes it."""


def tokens_of(messages: Sequence[Message]) -> int:
    """Estimate the tokens of messages, rather too many than too few."""
    return sum(MESSAGE_TOKENS + _content_tokens(message.get("content")) for message in messages)


def _content_tokens(content: object) -> int:
    """Estimate the tokens of a message's content: a text, or a list of texts, pictures and the like."""
    if isinstance(content, list):
        return sum(map(_part_tokens, content))
    return count_tokens(str(content or ""))


def _part_tokens(part: object) -> int:
    text = part.get("text") if isinstance(part, Mapping) else part
    return count_tokens(text) if isinstance(text, str) else PICTURE_TOKENS


def note_call(**values: object) -> None:
    """Put a call into the trace of the step that makes it, if one does.

    Args:
        **values: profile, model, purpose, tokens, ms and the like.
    """
    step = CURRENT.get()
    if step is not None:
        step.note(**{CALLS: (*step.notes.get(CALLS, ()), values)})


def _counted(said: Completion, expected: int) -> Completion:
    if said.prompt_tokens is not None and said.completion_tokens is not None:
        return said
    return dataclasses.replace(
        said,
        prompt_tokens=expected if said.prompt_tokens is None else said.prompt_tokens,
        completion_tokens=count_tokens(said.text)
        if said.completion_tokens is None
        else said.completion_tokens,
        estimated=True,
    )


def _usage(request: ChatRequest, said: Completion) -> Usage:
    return Usage(
        chat_calls=1,
        repaired_calls=int(request.repair),
        estimated_calls=int(said.estimated),
        prompt_tokens=said.prompt_tokens or 0,
        completion_tokens=said.completion_tokens or 0,
    )
