"""Embeddings of any server that speaks OpenAI's protocol."""

import asyncio
import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openai import AsyncOpenAI, omit

from memu_py.embedding.embedder import Calibration, Matrix, TextKind
from memu_py.embedding.pieces import pieces_of, unit_rows
from memu_py.embedding.traits import Traits
from memu_py.embedding.worker import batches
from memu_py.errors import BadVectors, ModelError
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.provider_error import ProviderError

DEFAULT_MODEL = "text-embedding-3-small"
DEFAULT_BATCH_SIZE = 128
MAX_CHARS = 6_000
"""Length of a piece: within the 8192 tokens that OpenAI's models take, in any language."""

REQUEST_CHARS = 150_000
"""Length of a request, within the 300 000 tokens that OpenAI takes."""

SHORTEST = 200
"""A text that is refused as too long is cut in two no further than this."""

_TOO_MUCH = (400, 413, 422)
_TOO_LONG = re.compile(r"token|length|long|context|large|exceed|size", re.IGNORECASE)
_PROBE = "text"


class OpenAIEmbedder:
    """Embeddings over HTTP. Nothing is connected, and no key is needed, before the first text.

    A server that refuses a batch gets it in halves, and from then on batches of the size that it took. Texts longer
    than the model takes are embedded in pieces.

    Args:
        client: calls the server.
        model: the model's name there.
        traits: its prefixes and calibration.
        dimensions: length of the vectors to ask for; None for the model's own.
        batch_size: texts in one request.
    """

    def __init__(
        self,
        client: OpenAIClient,
        *,
        model: str,
        traits: Traits,
        dimensions: int | None = None,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        self._client = client
        self._model = model
        self._traits = traits
        self._asked = dimensions
        self._dimension = dimensions
        self._batch_size = batch_size
        self._tokens = 0

    @property
    def id(self) -> str:
        """Provider, model, the dimensions asked for, and a tag of its prefixes."""
        asked = f"@{self._asked}" if self._asked else ""
        return f"{self._client.endpoint.provider}/{self._model}{asked}{self._traits.tag}"

    @property
    def dimension(self) -> int | None:
        """Length of its vectors; None until it has answered once, unless it is configured."""
        return self._dimension

    @property
    def calibration(self) -> Calibration:
        """How its cosines are read."""
        return self._traits.calibration

    @property
    def tokens(self) -> int:
        """Tokens that the server counted so far."""
        return self._tokens

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> Matrix:
        """Embed texts. A text with nothing but white space is not sent, and gets zeros.

        Raises:
            ModelError: the server failed, after the retries it deserves.
            BadVectors: it answered with the wrong number or size of vectors.
            MissingKey: it needs a key that is not set.
        """
        pieces = pieces_of(texts, max_chars=MAX_CHARS)
        if not pieces.texts:
            dimension = self._dimension or (await self._probe() if texts else 0)
            return np.zeros((len(texts), dimension), dtype=np.float32)
        return pieces.joined(
            await self._encode([self._traits.prefixed(piece, kind) for piece in pieces.texts])
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _probe(self) -> int:
        return int((await self._encode([_PROBE])).shape[1])

    async def _encode(self, texts: Sequence[str]) -> Matrix:
        bounds = batches(texts, self._batch_size, REQUEST_CHARS)
        tasks = [asyncio.ensure_future(self._batch(texts[start:end])) for start, end in bounds]
        try:
            return np.concatenate(await asyncio.gather(*tasks))
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    async def _batch(self, texts: Sequence[str]) -> Matrix:
        if len(texts) > self._batch_size:
            return await self._in_halves(texts)
        try:
            return await self._request(texts)
        except ProviderError as error:
            if error.status not in _TOO_MUCH:
                raise
            if len(texts) > 1:
                return await self._in_halves(texts)
            if len(texts[0]) <= SHORTEST or not _TOO_LONG.search(str(error)):
                raise
            return await self._cut(texts[0])

    async def _in_halves(self, texts: Sequence[str]) -> Matrix:
        half = (len(texts) + 1) // 2
        halves = [await self._batch(texts[:half]), await self._batch(texts[half:])]
        # Both went through, so it was the size: no use in offering more next time.
        self._batch_size = min(self._batch_size, half)
        return np.concatenate(halves)

    async def _cut(self, text: str) -> Matrix:
        pieces = pieces_of([text], max_chars=(len(text) + 1) // 2)
        return pieces.joined(np.concatenate([await self._batch([piece]) for piece in pieces.texts]))

    async def _request(self, texts: Sequence[str]) -> Matrix:
        async def post(client: AsyncOpenAI) -> bytes:
            # As numbers: not every compatible server knows base64. And raw: the client believes whatever comes.
            answer = await client.embeddings.with_raw_response.create(
                input=list(texts), model=self._model, dimensions=self._asked or omit, encoding_format="float"
            )
            return answer.content

        content = await self._client.call(post)
        # Megabytes of numbers: not on the event loop.
        answer = await asyncio.to_thread(_parsed, content)
        if answer is None:
            msg = f"{self._named} answered with something else than embeddings: {content[:80]!r}"
            raise ModelError(msg, hint="check `base_url` with its path")
        self._tokens += answer.tokens
        if answer.places != list(range(len(texts))):
            msg = f"{self._named} answered with {len(answer.places)} vectors for {len(texts)} texts"
            raise BadVectors(msg)
        return unit_rows(self._checked(answer.vectors))

    def _checked(self, vectors: Sequence[Any]) -> NDArray[np.float32]:
        try:
            matrix = np.array(vectors, dtype=np.float32)
        except (ValueError, TypeError) as error:
            msg = f"{self._named} answered with vectors of different lengths, or with no numbers"
            raise BadVectors(msg) from error
        if matrix.ndim != 2 or not matrix.shape[1] or not np.isfinite(matrix).all():
            msg = f"{self._named} answered with vectors that are empty or not finite"
            raise BadVectors(msg)
        if self._dimension is None:
            self._dimension = matrix.shape[1]
        if matrix.shape[1] != self._dimension:
            raise BadVectors(
                f"{self._named} answered with vectors of {matrix.shape[1]} numbers instead of {self._dimension}",
                hint="take out `embedding.dimensions`: the model has one length" if self._asked else None,
            )
        return matrix

    @property
    def _named(self) -> str:
        return f"{self._client.endpoint.provider} ({self._model})"


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Answer:
    places: list[int]
    vectors: list[Any]
    tokens: int


def _parsed(content: bytes) -> _Answer | None:
    """Read an answer and put its vectors in order; None for something else."""
    try:
        answer = json.loads(content)
        rows = [(int(row.get("index", place)), row["embedding"]) for place, row in enumerate(answer["data"])]
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    rows.sort(key=lambda row: row[0])
    usage = answer.get("usage")
    counted = usage.get("total_tokens") if isinstance(usage, dict) else None
    return _Answer(
        places=[place for place, _ in rows],
        vectors=[vector for _, vector in rows],
        tokens=counted if isinstance(counted, int) else 0,
    )
