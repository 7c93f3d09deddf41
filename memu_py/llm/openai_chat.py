"""Chat models of any server that speaks OpenAI's protocol."""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from openai import AsyncOpenAI

from memu_py.errors import ModelError
from memu_py.llm.backend import ChatRequest, Completion
from memu_py.llm.chat import Mode, OnText
from memu_py.llm.dialect import Dialect
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.provider_error import ProviderError
from memu_py.llm.said import Pieces, completion_of

SHOWN_BYTES = 80
TAG_BYTES = 4


class OpenAIChat:
    """A chat model over HTTP. Nothing is connected, and no key is needed, before the first message.

    A form is asked for by JSON schema, by JSON mode where the server refuses that, and by words where it refuses that
    too; the same for parameters that a server names as refused. What it took is remembered.

    Args:
        client: calls the server.
        model: the model's name there.
        dialect: how the server is asked at first.
        stream: whether answers come piece by piece also when nobody listens.
        extra: parameters that are sent along.
    """

    def __init__(
        self,
        client: OpenAIClient,
        *,
        model: str,
        dialect: Dialect | None = None,
        stream: bool = False,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._dialect = dialect or Dialect()
        self._stream = stream
        self._extra = dict(extra or {})

    @property
    def id(self) -> str:
        """Provider, model, and a tag of what is sent along."""
        tag = f"#{_tag(self._extra)}" if self._extra else ""
        return f"{self._client.endpoint.provider}/{self._model}{tag}"

    async def complete(self, request: ChatRequest) -> Completion:
        """Make one exchange; see `ChatBackend.complete`.

        Raises:
            ProviderError: the server failed or refused, after the retries it deserves.
            ModelError: it answered with something else than an answer.
            MissingKey: it needs a key that is not set.
        """
        dialect = self._dialect
        stream = self._stream or request.on_text is not None
        while True:
            asked = dialect.arguments(request, model=self._model, stream=stream)
            try:
                said = await self._ask(asked, dialect.mode(request), request.on_text, stream=stream)
            except ProviderError as error:
                other = dialect.concede(error, request, asked)
                if other is None:
                    raise
                dialect = other
            else:
                self._learn(dialect)
                return said

    def _learn(self, dialect: Dialect) -> None:
        # Only what was conceded: another call may have learned more in the meantime.
        if dialect.concessions > self._dialect.concessions:
            self._dialect = dialect

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _ask(
        self, asked: Mapping[str, Any], mode: Mode, on_text: OnText | None, *, stream: bool
    ) -> Completion:
        if stream:
            return await self._client.call(lambda client: self._streamed(client, asked, mode, on_text))
        content = await self._client.call(lambda client: self._posted(client, asked))
        said = completion_of(content, mode)
        if said is None:
            raise self._strange(content)
        return said

    async def _posted(self, client: AsyncOpenAI, asked: Mapping[str, Any]) -> bytes:
        # Raw: the client believes whatever comes.
        answer = await client.chat.completions.with_raw_response.create(**asked, extra_body=self._extra)
        content: bytes = answer.content
        return content

    async def _streamed(
        self, client: AsyncOpenAI, asked: Mapping[str, Any], mode: Mode, on_text: OnText | None
    ) -> Completion:
        pieces = Pieces(on_text=on_text)
        try:
            async with await client.chat.completions.create(
                **asked, stream=True, extra_body=self._extra
            ) as chunks:
                async for chunk in chunks:
                    pieces.add(chunk.to_dict(warnings=False))
        except (ValueError, AttributeError) as error:
            raise self._strange(str(error).encode()) from error
        if not pieces.seen:
            raise self._strange(b"")
        return pieces.completion(mode)

    def _strange(self, content: bytes) -> ModelError:
        msg = f"{self.id} answered with something else than a chat completion: {content[:SHOWN_BYTES]!r}"
        return ModelError(msg, hint="check `base_url` with its path")


def _tag(extra: Mapping[str, Any]) -> str:
    text = json.dumps(extra, sort_keys=True, default=repr)
    return blake2b(text.encode(), digest_size=TAG_BYTES).hexdigest()
