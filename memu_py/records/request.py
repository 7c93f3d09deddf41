"""What a caller asks of memorize and retrieve, as plain data that a run starts from."""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from memu_py.records.page import Where
from memu_py.records.record import Record

Layer = Literal["category", "item", "resource"]
Method = Literal["rag", "llm", "auto"]
LAYERS: tuple[Layer, ...] = ("category", "item", "resource")


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class MemorizeRequest(Record):
    """What to memorize.

    Attributes:
        resource_url: its address; beside other content it only names the resource.
        text: content as text.
        messages: content as messages (mappings in the form of the chat APIs) or plain strings.
        data: content as bytes.
        modality: what it is; None lets its bytes tell.
        infer: False stores segments verbatim, True wants a model, None uses one when it is configured.
        timezone: name of the zone in which times without one are meant, None for the configured one.
        metadata: the caller's own, kept on the resource and its items.
        name: what to call it: the file name of `data`, or the title of a conversation.
        resource_id: a resource that is stored, and read again from its original, in place of content.
    """

    resource_url: str | None = None
    text: str | None = None
    messages: Sequence[Mapping[str, Any] | str] | None = None
    data: bytes | None = None
    modality: str | None = None
    infer: bool | None = None
    timezone: str | None = None
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    name: str | None = None
    resource_id: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class RetrieveRequest(Record):
    """What to look for.

    Attributes:
        queries: one question or several; a hit's relevance is its best over them.
        where: conditions on items.
        top_k: how many hits of each layer.
        min_score: hits below it are left out; None takes the configured one.
        layers: what to return.
        max_tokens: budget of the prompt block.
        profile: name of the scoring profile.
        now: the moment that ages and "today" count from, UTC.
        recall: names of the recalls to use; None for all that the workflow has.
        around: judge items together with what was said around them, not by their own words alone.
        rerank: let the reranker have its say, where the workflow has one.
        as_of: a moment: what was true then is found in place of what holds now, UTC.
        known_at: a moment: what was known then is found in place of what is known now, UTC.
        history: the last turns of the conversation that the question belongs to, for a model that rewrites it.
        ask_model: a model may route it and judge what was found, where the workflow has one do so.
    """

    queries: tuple[str, ...]
    now: datetime
    where: Where | None = None
    top_k: int = 10
    min_score: float | None = None
    layers: tuple[Layer, ...] = LAYERS
    max_tokens: int = 600
    profile: str = "three_factor"
    recall: tuple[str, ...] | None = None
    around: bool = True
    rerank: bool = True
    as_of: datetime | None = None
    known_at: datetime | None = None
    history: tuple[str, ...] = ()
    ask_model: bool = True

    @property
    def of_then(self) -> bool:
        """Whether it asks for another time than now."""
        return self.as_of is not None or self.known_at is not None
