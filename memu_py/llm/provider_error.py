"""What a failure of a provider tells, whatever its client is."""

from memu_py.errors import ModelError


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
