"""Chat models over HTTP, against a scripted server on a real socket."""

import asyncio
import logging
from typing import Any

import httpx2
import openai
import pytest
from llm_kit import ASK, KEY, A, Facts, Kit, kit

from memu_py.errors import AnswerError, ModelError
from memu_py.llm.backend import ChatRequest
from memu_py.llm.provider_error import ProviderError
from memu_py.testing.chat_answers import CHAT, chat, refusing, streamed
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import Handler

__all__ = ["kit"]

PROSE = "I am afraid there is nothing."
BAD = '{"facts": [{"txt": 1}]}'


def taking(text: str, *refused: str, status: int = 400) -> Handler:
    async def handle(request: Request) -> Answer:
        return refusing(request, *refused, status=status) or chat(text)

    return handle


async def test_what_is_asked_and_what_comes_back(kit: Kit) -> None:
    kit.server.script(CHAT, chat("hello"))
    answer = await kit.model(extra={"top_p": 0.5}).chat(ASK, temperature=0.2, max_tokens=9)

    assert (answer.text, answer.value, answer.finish, answer.mode) == ("hello", None, "stop", None)
    assert (answer.prompt_tokens, answer.completion_tokens, answer.calls) == (10, 10, 1)
    assert kit.asked == [{"model": "m", "messages": ASK, "temperature": 0.2, "max_tokens": 9, "top_p": 0.5}]
    assert kit.server.requests[0].path == "/v1/chat/completions"


async def test_the_path_of_the_address_is_kept(kit: Kit) -> None:
    kit.server.script("/deep/er" + CHAT, chat("hello"))
    model = kit.model(base_url=kit.server.base_url + "/deep/er")

    assert (await model.chat(ASK)).text == "hello"


async def test_a_form_is_asked_for_strictly(kit: Kit) -> None:
    kit.server.script(CHAT, chat(A))
    answer = await kit.model().chat(ASK, Facts)

    assert answer.value == Facts.model_validate_json(A)
    assert answer.mode == "schema"
    assert kit.asked[0]["response_format"]["json_schema"]["strict"] is True
    assert kit.asked[0]["messages"] == ASK


@pytest.mark.parametrize("status", [400, 422, 501])
async def test_what_a_server_refuses_is_conceded_and_remembered(kit: Kit, status: int) -> None:
    kit.server.route(CHAT, taking(A, "json_schema", status=status))
    model = kit.model(max_retries=0)

    assert (await model.chat(ASK, Facts)).mode == "json"
    assert (await model.chat(ASK, Facts)).mode == "json"
    assert [one["response_format"]["type"] for one in kit.asked] == [
        "json_schema",
        "json_object",
        "json_object",
    ]
    assert "JSON schema" in kit.asked[1]["messages"][0]["content"]
    assert kit.asked[1]["messages"][1:] == ASK


async def test_a_server_without_any_form_is_asked_by_words(kit: Kit) -> None:
    kit.server.route(CHAT, taking(f"Gladly:\n```json\n{A}\n```", "json_schema", "json_object"))
    model = kit.model()
    system = {"role": "system", "content": "You know things."}

    assert (await model.chat([system, *ASK], Facts)).mode == "text"
    assert "response_format" not in kit.asked[-1]
    assert kit.asked[-1]["messages"][0]["content"].startswith(
        "You know things.\n\nAnswer with one JSON object"
    )
    assert len(kit.asked) == 3
    # A question without a form in between does not make it forget.
    await model.chat(ASK)
    assert (await model.chat(ASK, Facts)).mode == "text"
    assert len(kit.asked) == 5


@pytest.mark.parametrize("mode", ["schema", "json", "text"])
async def test_the_profile_may_fix_how_a_form_is_asked_for(kit: Kit, mode: str) -> None:
    kit.server.route(CHAT, taking(A))
    answer = await kit.model(structured=mode).chat(ASK, Facts)

    assert answer.mode == mode
    kit.server.route(CHAT, taking(A, "json_schema", "json_object"))
    if mode != "text":
        with pytest.raises(ProviderError, match="not supported"):
            await kit.model(structured=mode).chat(ASK, Facts)


async def test_parameters_that_a_server_names_are_left_out_or_renamed(kit: Kit) -> None:
    async def picky(request: Request) -> Answer:
        asked = request.json
        if "max_tokens" in asked:
            return failed(400, "'max_tokens' is not supported, use 'max_completion_tokens' instead")
        return refusing(request, "temperature", "stream_options") or streamed("hello", usage=None)

    kit.server.route(CHAT, picky)
    model = kit.model(temperature=0.5, stream=True)
    answer = await model.chat(ASK, max_tokens=5, temperature=0.5)

    assert answer.text == "hello"
    assert kit.asked[-1] == {"model": "m", "messages": ASK, "max_completion_tokens": 5, "stream": True}
    assert len(kit.asked) == 4
    await model.chat(ASK, max_tokens=5)
    assert len(kit.asked) == 5


async def test_a_refusal_for_another_reason_is_told_at_once(kit: Kit) -> None:
    kit.server.script(
        CHAT, failed(400, "This model's maximum context length is 10 tokens"), failed(404, "no")
    )
    model = kit.model()

    with pytest.raises(ProviderError, match="maximum context length"):
        await model.chat(ASK, Facts)
    with pytest.raises(ProviderError, match="check the model's name"):
        await model.chat(ASK, Facts)
    assert len(kit.asked) == 2
    kit.server.script(CHAT, failed(400, "odd"), failed(400, "odd"), failed(400, "odd"))
    with pytest.raises(ProviderError, match="odd"):
        await model.chat(ASK, Facts)
    assert len(kit.asked) == 5


async def test_a_text_comes_piece_by_piece(kit: Kit) -> None:
    kit.server.script(CHAT, streamed("hello my friend", piece_chars=6))
    seen: list[str] = []
    answer = await kit.model().chat(ASK, on_text=seen.append)

    assert seen == ["hello ", "hello my fri", "hello my friend"]
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("hello my friend", 10, 10)
    assert kit.asked[0]["stream_options"] == {"include_usage": True}


async def test_a_stream_that_breaks_is_begun_anew(kit: Kit) -> None:
    kit.server.script(CHAT, streamed("hello my friend", broken_after=2), streamed("hello my friend"))
    seen: list[str] = []
    answer = await kit.model().chat(ASK, on_text=seen.append)

    assert answer.text == seen[-1] == "hello my friend"
    assert seen.count("hello m") == 2
    assert len(kit.pauses) == 1


async def test_a_stream_of_something_else_is_told(kit: Kit) -> None:
    html = Answer(body=b"<html>", headers={"content-type": "text/html"})
    odd = Answer(body=b"data: {oops\n\n", headers={"content-type": "text/event-stream"})
    odder = Answer(body=b"data: [1]\n\ndata: [DONE]\n\n", headers={"content-type": "text/event-stream"})
    kit.server.script(CHAT, html, odd, odder)
    model = kit.model(stream=True, max_retries=0)

    for _ in range(3):
        with pytest.raises(ModelError, match=r"something else than a chat completion|local"):
            await model.chat(ASK)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        {"choices": []},
        {"choices": [1]},
        {"choices": [{"message": "hi"}]},
        b"[" * 9000,
    ],
    ids=range(6),
)
async def test_something_else_is_told(kit: Kit, body: Any) -> None:
    kit.server.script(CHAT, Answer(body=body))

    with pytest.raises(ModelError, match="something else than a chat completion"):
        await kit.model().chat(ASK)


async def test_odd_but_usable_answers_are_used(kit: Kit) -> None:
    parts = {
        "choices": [{"message": {"content": [{"text": "a"}, {"text": "b"}, 1]}}],
        "usage": {"prompt_tokens": -1},
    }
    kit.server.script(CHAT, Answer(body=parts), chat(None, refusal="I will not."))
    backend = kit.backend()
    said = await backend.complete(ChatRequest(messages=tuple(ASK)))

    assert (said.text, said.finish, said.prompt_tokens, said.completion_tokens) == ("ab", "stop", None, None)
    assert (await backend.complete(ChatRequest(messages=tuple(ASK)))).finish == "refusal"


async def test_what_may_pass_is_tried_again(kit: Kit) -> None:
    kit.server.script(
        CHAT, failed(429, "slow down", retry_after="7"), failed(500, "oops"), Answer(cut=True), chat("hello")
    )
    answer = await kit.model().chat(ASK)

    assert answer.text == "hello"
    assert kit.pauses == [7.0, 0.75, 1.5]


async def test_a_server_that_never_answers_is_given_up(kit: Kit) -> None:
    kit.server.script(CHAT, Answer(hang=True))

    with pytest.raises(ProviderError, match=r"did not answer within 0\.2 s"):
        await kit.model(timeout_s=0.2, max_retries=0).chat(ASK)


async def test_the_key_is_in_no_message_and_no_log(kit: Kit, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    kit.server.script(CHAT, failed(401, f"wrong key {KEY}"), chat(f"your key is {KEY}"))
    model = kit.model()

    with pytest.raises(ProviderError) as refused:
        await model.chat(ASK)
    assert kit.server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{refused.value} {refused.value!r} {kit.opened[0]!r}"
    assert KEY not in caplog.text


async def test_no_more_calls_than_allowed_are_under_way(kit: Kit) -> None:
    under_way = most = 0

    async def slow(request: Request) -> Answer:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(20):
            await asyncio.sleep(0)
        under_way -= 1
        return chat("hello")

    kit.server.route(CHAT, slow)
    model = kit.model(concurrency=3)
    await asyncio.gather(*(model.chat(ASK) for _ in range(12)))

    assert most == 3


async def test_calls_within_a_minute_are_limited(kit: Kit) -> None:
    async def hello(request: Request) -> Answer:
        return chat("hello")

    kit.server.route(CHAT, hello)
    model = kit.model(requests_per_minute=3)
    await asyncio.gather(*(model.chat(ASK) for _ in range(7)))

    assert kit.pauses == [60.0, 60.0]
    kit.now += 59
    await model.chat(ASK)
    await model.chat(ASK)
    assert kit.pauses == [60.0, 60.0]
    await model.chat(ASK)
    assert kit.pauses == [60.0, 60.0, 1.0]


async def test_an_answer_that_does_not_fit_is_repaired_once(kit: Kit) -> None:
    kit.server.script(CHAT, chat(BAD), chat(A))
    answer = await kit.model().chat(ASK, Facts)

    assert answer.value == Facts.model_validate_json(A)
    assert (answer.calls, answer.prompt_tokens) == (2, 20)
    shown = kit.asked[1]["messages"]
    assert shown[:1] == ASK
    assert shown[1] == {"role": "assistant", "content": BAD}
    assert "facts: text: Field required" in shown[2]["content"]
    assert '"Fact"' in shown[2]["content"]


async def test_an_answer_that_cannot_be_repaired_is_a_typed_error(kit: Kit) -> None:
    kit.server.script(CHAT, chat(None), chat(PROSE * 200))

    with pytest.raises(
        AnswerError, match="local/m gave an answer that does not fit Facts even after a repair"
    ) as told:
        await kit.model().chat(ASK, Facts)
    error = told.value
    assert (len(error.text), error.mode, error.finish) == (2000, "schema", "stop")
    assert error.reasons == ("there is no JSON in it",)
    assert kit.asked[1]["messages"][1]["content"] == "(nothing)"


async def test_a_cut_answer_says_so(kit: Kit) -> None:
    cut = '{"facts": [{"text": "a"}, {"text": "b'
    kit.server.script(
        CHAT, chat(cut, finish="length"), chat("{", finish="length"), chat("{", finish="length")
    )
    model = kit.model()
    answer = await model.chat(ASK, Facts)

    assert (answer.value, answer.cut, answer.dropped) == (Facts.model_validate_json(A), True, 1)
    with pytest.raises(AnswerError, match="raise `max_tokens`"):
        await model.chat(ASK, Facts)
    assert "it was cut off" in kit.asked[-1]["messages"][-1]["content"]


async def test_a_refusal_is_not_asked_again(kit: Kit) -> None:
    kit.server.script(CHAT, chat(None, refusal="I will not."))

    with pytest.raises(AnswerError, match="refusal") as told:
        await kit.model().chat(ASK, Facts)
    assert told.value.text == "I will not."
    assert len(kit.asked) == 1


async def test_no_answer_is_no_text(kit: Kit) -> None:
    kit.server.script(CHAT, chat(" "))

    with pytest.raises(AnswerError, match="answered nothing"):
        await kit.model().chat(ASK)


async def test_a_transport_that_fails_while_reading_is_ours_too(kit: Kit) -> None:
    client = kit.backend(max_retries=0)._client

    async def broken(_: openai.AsyncOpenAI) -> None:
        raise httpx2.ReadError("gone " + KEY)

    with pytest.raises(ProviderError, match=r"local broke off its answer: gone \*\*\*") as told:
        await client.call(broken)
    assert told.value.transient


async def test_what_is_sent_along_makes_another_model(kit: Kit) -> None:
    plain, other = kit.backend(), kit.backend(extra={"top_p": 1})

    assert plain.id == "local/m"
    assert other.id.startswith("local/m#")
    assert other.id == kit.backend(extra={"top_p": 1}).id != kit.backend(extra={"top_p": 2}).id
