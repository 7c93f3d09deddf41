"""The layer that reads answers: by schema, with one repair round, or as they are."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from memu_py.errors import AnswerError
from memu_py.llm.backend import ChatBackend, ChatRequest, Completion
from memu_py.llm.chat import CUT, ChatAnswer
from memu_py.llm.instruction import repairing
from memu_py.llm.reading import read
from memu_py.llm.sifting import Reading

REFUSALS = ("content_filter", "refusal")
"""A model that will not answer is not asked to repair that."""

KEPT_CHARS = 2000
"""So much of an answer goes with the error."""

LIST_SHOWN = 3


class StructuredChat:
    """Reads what a backend answers.

    Args:
        backend: makes the exchanges.
        name: of the model, for messages.
    """

    def __init__(self, backend: ChatBackend, *, name: str | None = None) -> None:
        self._backend = backend
        self._name = name

    async def answer(self, request: ChatRequest) -> ChatAnswer[Any]:
        """Answer a request.

        Raises:
            ModelError: the provider failed.
            AnswerError: the answer does not fit the schema, nor does its repair; or there is none.
            BudgetExceeded: a call would cost more than is left.
        """
        first = await self._backend.complete(request)
        if request.schema is None:
            return self._free(first)
        reading = read(first.text, request.schema, whole=first.finish != CUT)
        if reading.value is not None:
            return _answer([first], reading)
        if first.finish in REFUSALS:
            raise self._misfit(first, reading.faults, request.schema, repaired=False)
        return await self._repaired(request, request.schema, first, reading)

    async def _repaired(
        self, request: ChatRequest, schema: type[BaseModel], first: Completion, reading: Reading
    ) -> ChatAnswer[Any]:
        messages = repairing(request.messages, first.text, reading.faults, schema, cut=first.finish == CUT)
        second = await self._backend.complete(dataclasses.replace(request, messages=messages, repair=True))
        again = read(second.text, schema, whole=second.finish != CUT)
        if again.value is None:
            raise self._misfit(second, again.faults, schema, repaired=True)
        return _answer([first, second], again)

    def _free(self, completion: Completion) -> ChatAnswer[Any]:
        if not completion.text.strip():
            raise self._error(completion, f"answered nothing ({completion.finish})", ["the answer is empty"])
        return _answer([completion], Reading())

    def _misfit(
        self, completion: Completion, faults: Sequence[str], schema: type[BaseModel], *, repaired: bool
    ) -> AnswerError:
        after = " even after a repair" if repaired else ""
        shown = "; ".join(faults[:LIST_SHOWN])
        what = f"gave an answer that does not fit {schema.__name__}{after} ({completion.finish}): {shown}"
        return self._error(completion, what, faults)

    def _error(self, completion: Completion, what: str, reasons: Sequence[str]) -> AnswerError:
        return AnswerError(
            f"{self._name or self._backend.id} {what}",
            text=completion.text[:KEPT_CHARS],
            mode=completion.mode,
            reasons=reasons,
            finish=completion.finish,
            hint="raise `max_tokens`, or send less" if completion.finish == CUT else None,
        )


def _answer(completions: Sequence[Completion], reading: Reading) -> ChatAnswer[Any]:
    last = completions[-1]
    return ChatAnswer(
        text=last.text,
        value=reading.value,
        finish=last.finish,
        mode=last.mode if reading.value is not None else None,
        dropped=reading.dropped,
        reasons=reading.faults if reading.dropped else (),
        calls=len(completions),
        estimated=any(one.estimated for one in completions),
        prompt_tokens=sum(one.prompt_tokens or 0 for one in completions),
        completion_tokens=sum(one.completion_tokens or 0 for one in completions),
    )
