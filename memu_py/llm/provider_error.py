"""What a failure of a provider tells, whatever its client is."""

import re

from memu_py.errors import ModelError

REFUSED = (400, 422, 501)
"""How servers refuse a parameter, or what is more than their model takes."""

_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|too (long|large|many)|maximum.{0,30}tokens?", re.IGNORECASE
)


class ProviderError(ModelError):
    """A provider failed or refused.

    Attributes:
        provider: its name.
        status: the HTTP status; None when there was no answer.
        transient: whether the same call may succeed later.
        retry_after_s: how long the provider asks to wait; None when it does not say.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str,
        status: int | None = None,
        transient: bool = False,
        retry_after_s: float | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.provider = provider
        self.status = status
        self.transient = transient
        self.retry_after_s = retry_after_s

    @property
    def too_long(self) -> bool:
        """Whether it was refused as longer than the model's context, by the words of the refusal."""
        return self.status in REFUSED and _TOO_LONG.search(str(self)) is not None
