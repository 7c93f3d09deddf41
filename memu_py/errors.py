"""Every error that this package raises, under one root.

::

    MemuError
    ├── ConfigError                 config.yaml, a workflow or a profile is wrong
    │   ├── MissingKey              an ${ENV} variable or API key is needed now and is not there
    │   └── WorkflowError           a workflow has faults (all of them in one report)
    ├── InvalidInput                an argument cannot be used (also a ValueError)
    │   ├── InvalidScope            an id of a scope is not usable
    │   │   └── OutsideScope        the call leaves the scope that it is bound to
    │   ├── ScopeRequired           no scope was given and none is bound
    │   ├── InvalidFilter           an unknown field or operator in `where`
    │   ├── UnsupportedModality     nothing here reads this kind of input
    │   ├── Malformed               a request is not written as it must be
    │   └── TooLarge                a request is larger than is allowed
    ├── NotFound                    no such record in this scope (also a KeyError)
    ├── AccessDenied                a path or address outside what is allowed
    │   └── Unauthorized            no key was given, or none that is known
    ├── RateLimited                 more calls than a key is allowed
    ├── ServerBusy                  more calls wait than a server lets wait
    ├── FetchError                  an address on the network cannot be read, now or at all
    ├── StoreError                  the database refused or is not usable
    │   ├── Conflict                somebody changed the same record first
    │   ├── HistoryGone             what was is no longer in the log, or was erased
    │   ├── StoreBusy               the write lock was not free within the deadline
    │   ├── StoreUnreachable        the server of the database does not answer
    │   ├── SchemaMismatch          the database is older or newer than this code
    │   └── EmbedderMismatch        the store was filled by another embedder or tokeniser
    ├── ModelError                  a model or embedding provider failed
    │   ├── AnswerError             a chat model's answer does not fit what was asked for, nor does its repair
    │   └── BadVectors              an embedder answered with the wrong number or size of vectors
    ├── BudgetExceeded              the next call of a model would cost more than `budget` allows
    ├── StepError                   a step of a workflow failed
    │   ├── StepTimeout             … because its time was up
    │   └── BadStepOutput           … because it returned something else than it declared
    └── Cancelled                   a run was cancelled between two steps

Each class's docstring is its default message. Errors carry what a program may want to act on as fields,
and what a person should do next in `hint`.
"""

from collections.abc import Sequence


class MemuError(Exception):
    """memu_py failed."""

    hint: str | None

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.hint = hint

    def __str__(self) -> str:
        text = str(self.args[0]) if self.args else ""
        return f"{text} ({self.hint})" if self.hint else text


class ConfigError(MemuError):
    """The configuration is wrong."""


class MissingKey(ConfigError):
    """A key is needed now and is not set."""


class WorkflowError(ConfigError):
    """The workflow has faults.

    Attributes:
        faults: one line for each fault, `file:line: step: what` where known.
    """

    def __init__(self, message: str, *, faults: Sequence[str] = (), hint: str | None = None) -> None:
        super().__init__("\n".join([message, *(f"  {fault}" for fault in faults)]), hint=hint)
        self.faults = tuple(faults)


class InvalidInput(MemuError, ValueError):
    """The input cannot be used."""


class InvalidScope(InvalidInput):
    """The scope is not usable."""


class OutsideScope(InvalidScope):
    """The call leaves the scope that it is bound to."""


class ScopeRequired(InvalidInput):
    """No scope was given: name a user, an agent or a session, or bind one with `service.for_user(...)`."""


class InvalidFilter(InvalidInput):
    """The filter is not usable."""


class UnsupportedModality(InvalidInput):
    """Nothing here reads this kind of input."""


class Malformed(InvalidInput):
    """The request cannot be read."""


class TooLarge(InvalidInput):
    """The request is larger than is allowed."""


class NotFound(MemuError, KeyError):
    """There is no such record in this scope."""


class AccessDenied(MemuError):
    """The path or address is outside what is allowed."""


class FetchError(MemuError):
    """The address could not be read over the network."""


class Unauthorized(AccessDenied):
    """A key is needed."""


class RateLimited(MemuError):
    """There were too many calls.

    Attributes:
        retry_after_s: seconds after which the next one is allowed.
    """

    def __init__(
        self, message: str | None = None, *, retry_after_s: float = 1.0, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class ServerBusy(MemuError):
    """The server has more to do than it can."""


class StoreError(MemuError):
    """The database refused."""


class Conflict(StoreError):
    """The record was changed by somebody else in the meantime."""


class HistoryGone(StoreError):
    """What was is no longer in the log."""


class StoreBusy(StoreError):
    """The database was locked by other writers for too long."""


class StoreUnreachable(StoreError):
    """The database cannot be reached."""


class SchemaMismatch(StoreError):
    """The database was made by another version of this package: run `memu migrate`."""


class EmbedderMismatch(StoreError):
    """The store was filled by another embedder: run `memu reindex`."""


class ModelError(MemuError):
    """A model or embedding provider failed."""


class AnswerError(ModelError):
    """The model's answer does not fit what was asked for.

    Attributes:
        text: the beginning of the last answer.
        mode: how the form was asked for: `schema`, `json` or `text`.
        reasons: what does not fit.
        finish: why the model stopped, such as `stop` or `length`.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        mode: str = "text",
        reasons: Sequence[str] = (),
        finish: str = "stop",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.mode = mode
        self.reasons = tuple(reasons)
        self.finish = finish


class BudgetExceeded(MemuError):
    """The next call of a model would cost more than is allowed.

    Attributes:
        budget: the limit's name: `tokens_per_run` or `tokens_per_day`.
        limit: the limit, in tokens.
        spent: tokens that are spent, or reserved by calls under way.
        needed: tokens that the call would take at least.
    """

    def __init__(self, *, budget: str, limit: int, spent: int, needed: int) -> None:
        super().__init__(
            f"this call takes at least {needed} tokens, and {spent} of {limit} are spent ({budget})",
            hint=f"raise `budget.{budget}`; a day ends at midnight UTC, a run begins anew",
        )
        self.budget = budget
        self.limit = limit
        self.spent = spent
        self.needed = needed


class BadVectors(ModelError):
    """The embedder answered with the wrong number or size of vectors."""


class StepError(MemuError):
    """A step failed.

    Attributes:
        step: the name of the step.
    """

    def __init__(self, message: str | None = None, *, step: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.step = step


class StepTimeout(StepError):
    """The step took longer than its `timeout_s`."""


class BadStepOutput(StepError):
    """The step returned something else than it declares."""


class Cancelled(MemuError):
    """The run was cancelled."""
