"""The client for OpenAI-compatible APIs, shared by chat and embedding models."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
import openai

from memu_py.llm.endpoint import Endpoint
from memu_py.llm.failure import broken, failure
from memu_py.llm.pace import Pace
from memu_py.llm.retry import Retry

T = TypeVar("T")


class OpenAIClient:
    """Calls one endpoint: connects at the first call, repeats what may pass, keeps to the concurrency limit.

    Args:
        endpoint: what is called.
        retry: how failures are repeated; `endpoint.max_retries` times with the usual pauses by default.
        pace: how calls are spread in time; by `endpoint.requests_per_minute` by default.
    """

    def __init__(self, endpoint: Endpoint, *, retry: Retry | None = None, pace: Pace | None = None) -> None:
        self.endpoint = endpoint
        self._retry = retry or Retry(attempts=endpoint.max_retries)
        self._pace = pace or Pace(per_minute=endpoint.requests_per_minute)
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._client: openai.AsyncOpenAI | None = None

    async def call(self, work: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        """Make one call.

        Args:
            work: is given the client.

        Raises:
            MissingKey: the key is not set.
            ProviderError: the provider failed, after the retries it deserves.
        """
        client = self._connected()
        return await self._retry.run(lambda: self._attempt(client, work))

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _attempt(
        self, client: openai.AsyncOpenAI, work: Callable[[openai.AsyncOpenAI], Awaitable[T]]
    ) -> T:
        # A slot is held for one attempt, not through the pauses between them.
        async with self._slots:
            await self._pace.turn()
            try:
                return await work(client)
            except openai.OpenAIError as error:
                raise failure(error, self.endpoint) from error
            except httpx2.HTTPError as error:
                # While a stream is read, nobody wraps the errors of the transport.
                raise broken(error, self.endpoint) from error

    def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self.endpoint.reveal_key(),
                base_url=self.endpoint.base_url,
                timeout=self.endpoint.timeout_s,
                max_retries=0,
            )
        return self._client
