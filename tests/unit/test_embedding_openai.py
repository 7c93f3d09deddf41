"""Embeddings over HTTP, against a scripted server on a real socket."""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest

from memu_py.config.load import load_settings
from memu_py.embedding.factory import embedding_endpoint
from memu_py.embedding.openai import OpenAIEmbedder
from memu_py.embedding.traits import traits_of
from memu_py.errors import BadVectors, MissingKey, ModelError
from memu_py.llm.failure import ProviderError
from memu_py.llm.openai_client import OpenAIClient
from memu_py.llm.retry import Retry
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.http import Answer, Request
from memu_py.testing.server import EMBEDDINGS, ScriptedServer, embeddings, failed

TEXTS = ["one apple", "two pears", "three plums"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """A server, and an embedder that calls it without ever really pausing."""

    server: ScriptedServer
    pauses: list[float]
    opened: list[OpenAIEmbedder]

    def embedder(self, *, root: str = "", model: str = "any", **own: object) -> OpenAIEmbedder:
        config = {"backend": "openai", "base_url": self.server.base_url + root, "model": model, **own}
        settings = load_settings({"embedding": config}, env={})
        endpoint = embedding_endpoint(settings, {})

        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        retry = Retry(attempts=endpoint.max_retries, sleep=sleep, jitter=lambda: 0.5)
        embedder = OpenAIEmbedder(
            OpenAIClient(endpoint, retry=retry),
            model=model,
            traits=traits_of(model, settings.embedding),
            dimensions=settings.embedding.dimensions,
            batch_size=settings.embedding.batch_size or 128,
        )
        self.opened.append(embedder)
        return embedder

    @property
    def asked(self) -> list[list[str]]:
        """The texts of each request."""
        return [request.json["input"] for request in self.server.requests]


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    async with ScriptedServer() as server:
        kit = Kit(server=server, pauses=[], opened=[])
        yield kit
        for embedder in kit.opened:
            await embedder.close()


def refusing(limit: int, *, status: int = 400, message: str = "batch size is invalid") -> object:
    """A handler for a server that takes at most so many texts."""
    inner = HashingEmbedder()

    async def handle(request: Request) -> Answer:
        texts = request.json["input"]
        if len(texts) > limit:
            return failed(status, message)
        return embeddings((await inner.embed(texts, kind="passage")).tolist())

    return handle


async def test_vectors_come_back_in_the_order_of_the_texts(kit: Kit) -> None:
    rows = [[3.0, 4.0], [0.0, 2.0], [5.0, 0.0]]
    answer = embeddings(rows)
    kit.server.script(
        EMBEDDINGS, dataclasses.replace(answer, body=answer.body | {"data": answer.body["data"][::-1]})
    )

    matrix = await kit.embedder().embed(TEXTS, kind="passage")

    assert np.allclose(matrix, [[0.6, 0.8], [0, 1], [1, 0]])


async def test_a_server_that_numbers_nothing_is_taken_at_its_order(kit: Kit) -> None:
    kit.server.script(EMBEDDINGS, Answer(body={"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}))

    matrix = await kit.embedder().embed(TEXTS[:2], kind="passage")

    assert matrix.tolist() == [[1, 0], [0, 1]]


async def test_the_request_is_what_compatible_servers_take(kit: Kit) -> None:
    await kit.embedder(api_key="sk-1", dimensions=64).embed(TEXTS, kind="query")

    (request,) = kit.server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.json == {"input": TEXTS, "model": "any", "dimensions": 64, "encoding_format": "float"}


async def test_dimensions_are_not_sent_unless_asked_for(kit: Kit) -> None:
    embedder = kit.embedder()
    assert embedder.dimension is None

    await embedder.embed(TEXTS, kind="query")

    assert "dimensions" not in kit.server.requests[0].json
    assert embedder.dimension == 64
    assert embedder.tokens == 3


async def test_a_base_url_keeps_its_path() -> None:
    async with ScriptedServer(root="/proxy/openai/v1") as server:
        kit = Kit(server=server, pauses=[], opened=[])
        for slash in ("", "/"):
            embedder = kit.embedder(root=slash)
            await embedder.embed(["a"], kind="query")
            await embedder.close()

    assert [request.path for request in server.requests] == ["/proxy/openai/v1/embeddings"] * 2


async def test_a_key_that_is_missing_is_named_at_the_first_call() -> None:
    settings = load_settings({"embedding": {"backend": "openai", "api_key": "${MY_KEY}"}}, env={})
    endpoint = embedding_endpoint(settings, {})
    embedder = OpenAIEmbedder(OpenAIClient(endpoint), model="m", traits=traits_of("m", settings.embedding))

    with pytest.raises(MissingKey, match=r"`embedding\.api_key` needs the environment variable MY_KEY"):
        await embedder.embed(TEXTS, kind="query")
    await embedder.close()


async def test_texts_go_out_in_batches(kit: Kit) -> None:
    texts = [f"text {place}" for place in range(10)]

    matrix = await kit.embedder(batch_size=4).embed(texts, kind="passage")

    assert sorted(map(len, kit.asked)) == [2, 4, 4]
    assert np.allclose(matrix, await HashingEmbedder().embed(texts, kind="passage"), atol=1e-6)


async def test_no_more_calls_are_under_way_than_allowed(kit: Kit) -> None:
    under_way = most = 0

    async def handle(request: Request) -> Answer:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(20):
            await asyncio.sleep(0)
        under_way -= 1
        return embeddings([[1.0]] * len(request.json["input"]))

    kit.server.route(EMBEDDINGS, handle)

    await kit.embedder(batch_size=1, concurrency=2).embed([str(place) for place in range(8)], kind="passage")

    assert len(kit.asked) == 8
    assert most <= 2


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_refused_batch_is_halved_and_the_size_remembered(kit: Kit, status: int) -> None:
    kit.server.route(EMBEDDINGS, refusing(10, status=status))  # type: ignore[arg-type]
    embedder = kit.embedder()
    texts = [f"text {place}" for place in range(32)]

    matrix = await embedder.embed(texts, kind="passage")
    assert np.allclose(matrix, await HashingEmbedder().embed(texts, kind="passage"), atol=1e-6)

    kit.server.requests.clear()
    await embedder.embed(texts, kind="passage")
    assert list(map(len, kit.asked)) == [8, 8, 8, 8]


async def test_batches_under_way_shrink_with_the_size_learnt(kit: Kit) -> None:
    kit.server.route(EMBEDDINGS, refusing(3))  # type: ignore[arg-type]
    embedder = kit.embedder(concurrency=1, batch_size=8)
    texts = [f"text {place}" for place in range(40)]

    matrix = await embedder.embed(texts, kind="passage")

    assert matrix.shape == (40, 64)
    assert sum(len(texts) > 3 for texts in kit.asked) <= 10


async def test_one_bad_text_does_not_make_later_batches_small(kit: Kit) -> None:
    inner = HashingEmbedder()

    async def handle(request: Request) -> Answer:
        texts = request.json["input"]
        if "bad" in texts:
            return failed(400, "this text is not allowed")
        return embeddings((await inner.embed(texts, kind="passage")).tolist())

    kit.server.route(EMBEDDINGS, handle)
    embedder = kit.embedder()

    with pytest.raises(ModelError, match="answered 400: .*this text is not allowed"):
        await embedder.embed(["a", "b", "c", "bad"], kind="passage")
    kit.server.requests.clear()
    await embedder.embed(["a", "b", "c", "d"], kind="passage")
    assert kit.asked == [["a", "b", "c", "d"]]


async def test_a_text_that_is_too_long_is_embedded_in_pieces(kit: Kit) -> None:
    inner = HashingEmbedder()

    async def handle(request: Request) -> Answer:
        texts = request.json["input"]
        if any(len(text) > 500 for text in texts):
            return failed(400, "maximum context length is 128 tokens")
        return embeddings((await inner.embed(texts, kind="passage")).tolist())

    kit.server.route(EMBEDDINGS, handle)
    long = "apple " * 200 + "pear " * 200

    (row,) = await kit.embedder().embed([long], kind="passage")

    apple, pear, plum = await inner.embed(["apple", "pear", "plum"], kind="passage")
    assert row @ apple > 0.5
    assert row @ pear > 0.5
    assert row @ plum < 0.3


async def test_a_text_that_is_refused_for_its_length_however_short_is_an_error(kit: Kit) -> None:
    kit.server.route(EMBEDDINGS, refusing(0, message="too long"))  # type: ignore[arg-type]

    with pytest.raises(ModelError, match="too long"):
        await kit.embedder().embed(["word " * 300], kind="passage")
    assert min(len(texts[0]) for texts in kit.asked) <= 200


async def test_texts_without_content_are_not_sent(kit: Kit) -> None:
    matrix = await kit.embedder().embed(["", "apple", " \n"], kind="passage")

    assert kit.asked == [["apple"]]
    assert np.linalg.norm(matrix, axis=1).tolist() == pytest.approx([0, 1, 0])


async def test_no_texts_ask_nothing(kit: Kit) -> None:
    assert (await kit.embedder(dimensions=8).embed([], kind="query")).shape == (0, 8)
    assert kit.asked == []


async def test_prefixes_are_put_before_texts(kit: Kit) -> None:
    embedder = kit.embedder(model="intfloat/multilingual-e5-small")

    await embedder.embed(["a"], kind="query")
    await embedder.embed(["b"], kind="passage")

    assert kit.asked == [["query: a"], ["passage: b"]]


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

    with pytest.raises(ProviderError, match="openai answered 500: .*oops") as caught:
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


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({}, "openai/any"),
        ({"dimensions": 256}, "openai/any@256"),
        ({"provider": "ollama"}, "ollama/any"),
        ({"query_prefix": "q: "}, "openai/any+"),
    ],
)
async def test_the_id_is_what_makes_vectors_comparable(
    kit: Kit, own: dict[str, object], expected: str
) -> None:
    assert kit.embedder(**own).id.startswith(expected)
    assert kit.embedder(**own).id == kit.embedder(**own).id


async def test_another_prefix_is_another_id(kit: Kit) -> None:
    ids = {kit.embedder(query_prefix=one, passage_prefix=two).id for one in ("", "a") for two in ("", "a")}

    assert len(ids) == 4


async def test_it_works_again_after_closing(kit: Kit) -> None:
    embedder = kit.embedder()
    await embedder.embed(["a"], kind="query")
    await embedder.close()

    assert (await embedder.embed(["a"], kind="query")).shape == (1, 64)


async def test_the_scripted_server_answers_404_to_what_it_does_not_know(kit: Kit) -> None:
    with pytest.raises(ModelError, match="no such path: /v1/deeper/embeddings"):
        await kit.embedder(root="/deeper").embed(["a"], kind="query")
