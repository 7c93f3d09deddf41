"""Embeddings over HTTP, against a scripted server on a real socket."""

import asyncio
import dataclasses
from typing import Any

import numpy as np
import pytest
from embedding_kit import TEXTS, Kit, kit, refusing

from memu_py.config.load import load_settings
from memu_py.embedding.factory import embedding_endpoint
from memu_py.embedding.openai import OpenAIEmbedder
from memu_py.embedding.traits import traits_of
from memu_py.errors import MissingKey, ModelError
from memu_py.llm.openai_client import OpenAIClient
from memu_py.testing.embedder import HashingEmbedder
from memu_py.testing.http import Answer, Request
from memu_py.testing.refusals import failed
from memu_py.testing.server import EMBEDDINGS, ScriptedServer, embeddings

__all__ = ["kit"]


async def test_vectors_come_back_in_the_order_of_the_texts(kit: Kit) -> None:
    rows = [[3.0, 4.0], [0.0, 2.0], [5.0, 0.0]]
    answer = embeddings(rows)
    kit.server.script(
        EMBEDDINGS, dataclasses.replace(answer, body=answer.body | {"data": answer.body["data"][::-1]})
    )

    matrix = await kit.embedder().embed(TEXTS, kind="passage")

    assert np.allclose(matrix, np.array([[0.6, 0.8], [0, 1], [1, 0]]))


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
    before = embedder.dimension

    await embedder.embed(TEXTS, kind="query")

    assert before is None

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
    kit.server.route(EMBEDDINGS, refusing(10, status=status))
    embedder = kit.embedder()
    texts = [f"text {place}" for place in range(32)]

    matrix = await embedder.embed(texts, kind="passage")
    assert np.allclose(matrix, await HashingEmbedder().embed(texts, kind="passage"), atol=1e-6)

    kit.server.requests.clear()
    await embedder.embed(texts, kind="passage")
    assert list(map(len, kit.asked)) == [8, 8, 8, 8]


async def test_batches_under_way_shrink_with_the_size_learnt(kit: Kit) -> None:
    kit.server.route(EMBEDDINGS, refusing(3))
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

    with pytest.raises(ModelError, match=r"answered 400: .*this text is not allowed"):
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
    kit.server.route(EMBEDDINGS, refusing(0, message="too long"))

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
    ("own", "expected"),
    [
        ({}, "openai/any"),
        ({"dimensions": 256}, "openai/any@256"),
        ({"provider": "ollama"}, "ollama/any"),
        ({"query_prefix": "q: "}, "openai/any+"),
    ],
)
async def test_the_id_is_what_makes_vectors_comparable(kit: Kit, own: dict[str, Any], expected: str) -> None:
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
