"""What can go wrong at a provider, in words that say what to do."""

import httpx2
import openai

from memu_py.llm.endpoint import NO_KEY, Endpoint
from memu_py.llm.provider_error import ProviderError

SHOWN_CHARS = 300
MASK = "***"
QUOTA = "insufficient_quota"
NOT_IMPLEMENTED = 501
_TRANSIENT = (408, 409, 425, 429)
_HINTS = {
    400: "the provider says what it does not accept",
    401: "check the key in `{place}`",
    402: "the account has no credit left",
    403: "this key may not use the model",
    404: "check the model's name, and `base_url` with its path: {url}",
    408: "raise `timeout_s`",
    413: "lower `batch_size`",
    422: "the provider says what it does not accept",
    429: "lower `concurrency`, or wait",
}
_SERVER_HINT = "the provider has a fault; try again later"


def failure(error: openai.OpenAIError, endpoint: Endpoint) -> ProviderError:
    """Return the client's error as ours, without the key.

    Args:
        error: what the client raised.
        endpoint: what was called.
    """
    if isinstance(error, openai.APIStatusError):
        return _refused(error, endpoint)
    if isinstance(error, openai.APITimeoutError):
        return ProviderError(
            f"{endpoint.provider} did not answer within {endpoint.timeout_s:g} s",
            provider=endpoint.provider,
            transient=True,
            hint="raise `timeout_s`, or lower `batch_size`",
        )
    if isinstance(error, openai.APIConnectionError):
        return ProviderError(
            f"{endpoint.provider} cannot be reached at {endpoint.base_url}: {error.__cause__ or error}",
            provider=endpoint.provider,
            transient=True,
            hint="check `base_url`, and that the server runs",
        )
    return ProviderError(f"{endpoint.provider}: {_safe(str(error), endpoint)}", provider=endpoint.provider)


def broken(error: httpx2.HTTPError, endpoint: Endpoint) -> ProviderError:
    """Return the error for a connection that failed while an answer was being read.

    Args:
        error: of the transport.
        endpoint: what was called.
    """
    return ProviderError(
        f"{endpoint.provider} broke off its answer: {_safe(str(error) or type(error).__name__, endpoint)}",
        provider=endpoint.provider,
        transient=True,
        hint="raise `timeout_s` if it is slow",
    )


def _refused(error: openai.APIStatusError, endpoint: Endpoint) -> ProviderError:
    status = error.status_code
    spent = error.code == QUOTA
    transient = status in _TRANSIENT or (status >= 500 and status != NOT_IMPLEMENTED)
    hint = _HINTS[402] if spent else _HINTS.get(status, _SERVER_HINT if status >= 500 else "")
    return ProviderError(
        f"{endpoint.provider} answered {status}: {_safe(error.message, endpoint)}",
        provider=endpoint.provider,
        status=status,
        transient=transient and not spent,
        retry_after_s=_retry_after(error),
        hint=hint.format(place=endpoint.key_place, url=endpoint.base_url) or None,
    )


def _retry_after(error: openai.APIStatusError) -> float | None:
    # A date instead of seconds is rare, and as good as no wish: the usual pause follows.
    text = error.response.headers.get("retry-after", "").strip()
    return float(text) if text.replace(".", "", 1).isdecimal() else None


def _safe(text: str, endpoint: Endpoint) -> str:
    key = endpoint.reveal_key()
    shown = text if key == NO_KEY else text.replace(key, MASK)
    return shown if len(shown) <= SHOWN_CHARS else f"{shown[:SHOWN_CHARS]}…"
