"""What a run cost."""

import dataclasses

from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Usage(Record):
    """What a run cost.

    Attributes:
        chat_calls: calls of chat models.
        prompt_tokens: tokens sent to them.
        completion_tokens: tokens they answered.
        embedded_texts: texts that an embedder had to work on.
        cached_texts: texts whose embedding was already known.
    """

    chat_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded_texts: int = 0
    cached_texts: int = 0
