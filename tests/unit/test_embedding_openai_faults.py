"""Embeddings over HTTP: what goes wrong, against a scripted server on a real socket."""

import dataclasses
import json
from collections.abc import Sequence

import pytest
from embedding_kit import TEXTS, Kit, kit

from memu_py.config.load import load_settings
from memu_py.embedding.factory import embedding_endpoint
from memu_py.embedding.openai import OpenAIEmbedder
from memu_py.embedding.traits import traits_of
from memu_py.errors import BadVectors, ModelError
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.provider_error import ProviderError
from memu_py.testing.http import Answer
from memu_py.testing.refusals import failed
from memu_py.testing.server import EMBEDDINGS, ScriptedServer, embeddings

__all__ = ["kit"]


@pytest.mark.parametrize(
    "answer",
    [
        failed(429, "slow down", retry_after="7"),
        failed(500, "oops"),
        failed(503, "overloaded"),
        failed(408, "timeout"),
        Answer(cut=True),
    ],
    ids=["429", "500", "503", "408", "cut"],
)
async def test_what_may_pass_is_tried_again(kit: Kit, answer: Answer) -> None:
    kit.server.script(EMBEDDINGS, answer, answer)

    matrix = await kit.embedder().embed(TEXTS, kind="passage")

    assert matrix.shape == (3, 64)
    assert len(kit.server.requests) == 3
    assert kit.pauses == ([7.0, 7.0] if answer.status == 429 else [0.375, 0.75])


async def test_retries_end(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, *[failed(500, "oops")] * 5)

    with pytest.raises(ProviderError, match=r"openai answered 500: .*oops") as caught:
        await kit.embedder(max_retries=2).embed(TEXTS, kind="passage")

    assert len(kit.server.requests) == 3
    assert (caught.value.provider, caught.value.status, caught.value.transient) == ("openai", 500, True)
    assert caught.value.__notes__ == ["tried 3 times"]
    assert caught.value.hint == "the provider has a fault; try again later"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (failed(401, "wrong key"), ["answered 401", "wrong key", "check the key in `embedding.api_key`"]),
        (failed(403, "no"), ["this key may not use the model"]),
        (
            failed(404, "no model any"),
            ["no model any", "check the model's name, and `base_url` with its path: http"],
        ),
        (failed(429, "pay", code="insufficient_quota"), ["answered 429", "the account has no credit left"]),
        (failed(429, "later", retry_after="600"), ["answered 429", "lower `concurrency`, or wait"]),
        (failed(501, "not here"), ["answered 501"]),
        (failed(409 + 9, "teapot"), ["answered 418"]),
    ],
)
async def test_what_will_not_pass_is_not_tried_again(kit: Kit, answer: Answer, words: Sequence[str]) -> None:
    kit.server.script(EMBEDDINGS, answer)

    with pytest.raises(ModelError) as caught:
        await kit.embedder().embed(TEXTS, kind="passage")

    assert len(kit.server.requests) == 1
    assert kit.pauses == []
    assert all(word in str(caught.value) for word in words)


async def test_an_error_never_shows_the_key(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, failed(401, f"Incorrect API key provided: sk-hidden. {'x' * 400}"))

    with pytest.raises(ModelError) as caught:
        await kit.embedder(api_key="sk-hidden").embed(TEXTS, kind="passage")

    assert "sk-hidden" not in str(caught.value)
    assert "provided: ***." in str(caught.value)
    assert len(str(caught.value)) < 450


async def test_a_server_that_hangs_is_given_up(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, *[Answer(hang=True)] * 2)

    with pytest.raises(ModelError, match=r"openai did not answer within 0\.1 s"):
        await kit.embedder(timeout_s=0.1, max_retries=1).embed(TEXTS, kind="passage")
    assert len(kit.server.requests) == 2


async def test_a_slow_server_is_waited_for(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, dataclasses.replace(embeddings([[1.0, 0.0]]), delay_s=0.01))

    assert (await kit.embedder().embed(["a"], kind="query")).tolist() == [[1, 0]]


async def test_a_server_that_is_not_there_says_where_it_was_looked_for() -> None:
    async with ScriptedServer() as server:
        url = server.base_url
    settings = load_settings({"embedding": {"base_url": url, "max_retries": 0}})
    client = OpenAIClient(embedding_endpoint(settings, {}))
    embedder = OpenAIEmbedder(client, model="m", traits=traits_of("m", settings.embedding))

    with pytest.raises(ModelError, match=f"openai cannot be reached at {url}: .*check `base_url`"):
        await embedder.embed(TEXTS, kind="query")
    await embedder.close()


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        (b"{not json", ModelError, "answered with something else than embeddings: b'{not json'"),
        (b"<html>hello</html>", ModelError, "check `base_url` with its path"),
        ([1, 2], ModelError, "something else"),
        ({"data": None}, ModelError, "something else"),
        ({"data": [{"index": "x", "embedding": [1]}]}, ModelError, "something else"),
        (embeddings([[1.0]]).body, BadVectors, "1 vectors for 2 texts"),
        (embeddings([[1.0]] * 3).body, BadVectors, "3 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1]}] * 2}, BadVectors, "2 vectors for 2 texts"),
        (embeddings([[1.0], [1.0, 2.0]]).body, BadVectors, "vectors of different lengths"),
        ({"data": [{"embedding": ["x"]}] * 2}, BadVectors, "with no numbers"),
        (embeddings([[], []]).body, BadVectors, "empty or not finite"),
        (json.dumps(embeddings([[float("nan")], [1.0]]).body).encode(), BadVectors, "empty or not finite"),
    ],
)
async def test_wrong_answers_are_refused(kit: Kit, body: object, error: type[Exception], words: str) -> None:
    kit.server.script(EMBEDDINGS, Answer(body=body))

    with pytest.raises(error) as caught:
        await kit.embedder().embed(TEXTS[:2], kind="passage")

    assert words in str(caught.value)


async def test_a_usage_that_is_no_usage_does_no_harm(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, Answer(body=embeddings([[1.0]]).body | {"usage": {"total_tokens": "many"}}))
    embedder = kit.embedder()

    await embedder.embed(["a"], kind="query")

    assert embedder.tokens == 0


async def test_another_dimension_than_before_is_refused(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, embeddings([[1.0, 0.0]]), embeddings([[1.0, 0.0, 0.0]]))
    embedder = kit.embedder()
    await embedder.embed(["a"], kind="query")

    with pytest.raises(BadVectors, match="vectors of 3 numbers instead of 2"):
        await embedder.embed(["b"], kind="query")


async def test_a_model_that_cannot_shorten_says_what_to_take_out(kit: Kit) -> None:
    with pytest.raises(BadVectors, match=r"64 numbers instead of 8 \(take out `embedding.dimensions`"):
        await kit.embedder(dimensions=8).embed(["a"], kind="query")


async def test_one_failing_batch_stops_the_others(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, failed(404, "no such model"), *[Answer(hang=True)] * 3)

    with pytest.raises(ModelError, match="no such model"):
        await kit.embedder(batch_size=1).embed(["a", "b", "c"], kind="passage")


async def test_the_scripted_server_answers_404_to_what_it_does_not_know(kit: Kit) -> None:
    with pytest.raises(ModelError, match="no such path: /v1/deeper/embeddings"):
        await kit.embedder(root="/deeper").embed(["a"], kind="query")
