"""What models cost: of a run, and of a scope by day."""

import dataclasses
from collections.abc import Iterable, Iterator
from datetime import date

from memu_py.records.feedback import MemoryUse
from memu_py.records.record import Record


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Usage(Record):
    """What models cost.

    Attributes:
        chat_calls: calls of chat models that were answered, repairs included.
        repaired_calls: those of them that asked a model to repair its answer.
        cached_calls: questions to chat models whose answer was known; they cost nothing and are no calls.
        estimated_calls: calls whose server did not count tokens, so that they were counted here.
        prompt_tokens: tokens sent to chat models.
        completion_tokens: tokens they answered.
        embedded_texts: texts that an embedder had to work on.
        cached_texts: texts whose embedding was already known.
    """

    chat_calls: int = 0
    repaired_calls: int = 0
    cached_calls: int = 0
    estimated_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded_texts: int = 0
    cached_texts: int = 0

    @property
    def tokens(self) -> int:
        """Tokens sent and answered: what budgets count."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        names = [field.name for field in dataclasses.fields(self)]
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class UsageRow(Record):
    """What one purpose cost on one day.

    Attributes:
        day: UTC.
        profile: name of the model profile.
        purpose: who asked, such as the name of a step.
        usage: of chat models.
    """

    day: date
    profile: str
    purpose: str
    usage: Usage


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class UsageReport(Record):
    """What the models of a scope cost, and what became of its memories. Iterates over its rows.

    Attributes:
        rows: the newest day first, then by profile and purpose.
        total: their sum.
        memories: how often memories were retrieved and used, of all time; `memories.share` is the share.
    """

    rows: tuple[UsageRow, ...]
    total: Usage
    memories: MemoryUse = dataclasses.field(default_factory=MemoryUse)

    @classmethod
    def of(cls, rows: Iterable[UsageRow], *, memories: MemoryUse | None = None) -> "UsageReport":
        """Return a report of these rows."""
        kept = tuple(rows)
        total = sum((row.usage for row in kept), Usage())
        return cls(rows=kept, total=total, memories=memories or MemoryUse())

    def __iter__(self) -> Iterator[UsageRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)
