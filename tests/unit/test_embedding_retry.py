"""Trying again: how often, and after which pauses."""

import openai
import pytest

from memu_py.config.secret import Secret
from memu_py.llm.chat import ChatAnswer
from memu_py.llm.endpoint import Endpoint
from memu_py.llm.failure import failure
from memu_py.llm.provider_error import ProviderError
from memu_py.llm.retry import FIRST_PAUSE_S, LONGEST_PAUSE_S, Retry


def test_any_other_fault_of_the_client_is_ours_too() -> None:
    endpoint = Endpoint(
        provider="p",
        base_url="http://h/v1",
        key=Secret("sk-hidden"),
        key_place="embedding.api_key",
        timeout_s=1,
        max_retries=0,
        concurrency=1,
    )

    error = failure(openai.OpenAIError("odd sk-hidden"), endpoint)

    assert (str(error), error.transient, error.status) == ("p: odd ***", False, None)


def test_an_answer_of_a_chat_model_costs_nothing_until_said() -> None:
    answer: ChatAnswer[None] = ChatAnswer(text="hello")

    assert (answer.value, answer.prompt_tokens, answer.completion_tokens) == (None, 0, 0)


class Work:
    """Fails with these errors, then succeeds."""

    def __init__(self, *errors: ProviderError) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def passing(retry_after_s: float | None = None) -> ProviderError:
    return ProviderError("busy", provider="p", status=429, transient=True, retry_after_s=retry_after_s)


def retry(attempts: int, pauses: list[float], jitter: float = 0.0) -> Retry:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    return Retry(attempts=attempts, sleep=sleep, jitter=lambda: jitter)


async def test_pauses_double_up_to_the_longest() -> None:
    pauses: list[float] = []
    work = Work(*[passing() for _ in range(7)])

    assert await retry(7, pauses).run(work) == "done"
    assert work.calls == 8
    assert pauses == [0.5, 1, 2, 4, 8, 8, 8]
    assert (pauses[0], pauses[-1]) == (FIRST_PAUSE_S, LONGEST_PAUSE_S)


async def test_jitter_shortens_a_pause_by_up_to_half() -> None:
    pauses: list[float] = []

    await retry(1, pauses, jitter=0.5).run(Work(passing()))

    assert pauses == [0.375]


async def test_what_the_provider_asks_for_is_waited() -> None:
    pauses: list[float] = []

    await retry(3, pauses).run(Work(passing(0.0), passing(60.0)))

    assert pauses == [0.0, 60.0]


async def test_a_wish_that_is_too_long_ends_it() -> None:
    pauses: list[float] = []
    work = Work(passing(61.0))

    with pytest.raises(ProviderError, match="busy"):
        await retry(3, pauses).run(work)

    assert (work.calls, pauses) == (1, [])


async def test_no_attempts_mean_one_call() -> None:
    work = Work(passing())

    with pytest.raises(ProviderError) as caught:
        await retry(0, []).run(work)

    assert work.calls == 1
    assert caught.value.__notes__ == ["tried 1 times"]


async def test_what_will_not_pass_is_raised_at_once() -> None:
    work = Work(ProviderError("no", provider="p", status=401))

    with pytest.raises(ProviderError, match="no"):
        await retry(5, []).run(work)

    assert work.calls == 1
