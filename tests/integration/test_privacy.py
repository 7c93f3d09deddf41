"""Sensitive data: what is planted in every door is in no row, no file, no log, and was shown to no model."""

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import documents_kit
import numpy as np
import pytest
from service_kit import config, texts

from memu_py import MemoryService
from memu_py.config.privacy import PrivacySettings
from memu_py.errors import InvalidInput
from memu_py.features.masked_originals import MASKED_TYPE
from memu_py.features.privacy import Masker
from memu_py.testing.chat_answers import chat
from memu_py.testing.server import ScriptedServer

CHAT = "/chat/completions"
PLANTED = {
    "phone": "13812345678",
    "email": "ann.smith@example.com",
    "id_card": "11010519491231002X",
    "bank_card": "4111111111111111",
    "address": "221B Baker Street",
    "key": "sk-abcdefghijklmnopqrstuvwx1234",
}
MASKED = ("[phone ••78]", "[email a••]", "[id card ••2X]", "[bank card ••1111]", "[address]", "[key]")
SENTENCE = "Reach me: " + ", ".join(PLANTED.values()) + "."
CHINESE = "我的手机号是13812345678，邮箱是ann.smith@example.com，密码是hunter22。"


def strict(policy: str = "mask", **more: Any) -> dict[str, Any]:
    return {**dict.fromkeys(PLANTED, policy), **more}


def word(*lines: str) -> bytes:
    return documents_kit.word([("Normal", line) for line in lines])


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


def leaks(folder: Path) -> list[tuple[str, str]]:
    secrets = [*PLANTED.values(), "hunter22"]
    return [
        (secret, path.name)
        for path in folder.rglob("*")
        if path.is_file()
        for secret in secrets
        if secret.encode() in path.read_bytes()
    ]


async def test_nothing_that_was_planted_is_anywhere(
    tmp_path: Path, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = {"items": [{"type": "fact", "text": "Ann can be reached.", "source": ["t0"]}]}
    server.script(CHAT, *(chat(json.dumps(answer)) for _ in range(20)))
    model = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
    wanted = config(tmp_path / "memu.db", privacy=strict(), llm={"default": model})
    said = {
        "role": "user",
        "name": "ann.smith@example.com",
        "content": SENTENCE,
        "note": {"tel": 13812345678},
    }
    async with MemoryService(wanted) as service:
        await service.memorize(messages=[said], metadata={"who": SENTENCE}, user="ann")
        await service.memorize(text=CHINESE, resource_url="note", user="ann")
        await service.memorize(data=json.dumps([said]).encode(), modality="conversation", user="bob")
        await service.conversations.add("c1", [said], user="ann")
        job = await service.memorize(text=f"{SENTENCE} Later.", wait=False, user="ann")
        made = await service.create_item({"text": SENTENCE, "metadata": {"x": [CHINESE]}}, user="ann")
        await service.update_item(made.id, {"text": f"{SENTENCE} Now.", "speaker": CHINESE}, user="ann")
        await service.create_category("Reach", description=SENTENCE, user="ann")
        resource = (await service.list_resources(user="ann"))[0]
        await service.update_resource(resource.id, {"title": CHINESE}, user="ann")
        await service.retrieve(f"Whose is {PLANTED['phone']}?", user="ann")
        await service.jobs.wait(job.id, user="ann")
        shown = json.dumps([request.json for request in server.requests], ensure_ascii=False)
        kept = await texts(service)
        found = await service.retrieve(f"Whose is {PLANTED['phone']}?", user="ann")
    assert any(all(mask in text for mask in MASKED) for text in kept)
    assert found.items[0].record.text.startswith("Reach me: [phone ••78]")
    assert leaks(tmp_path) == []
    assert not [secret for secret in PLANTED.values() if secret in shown or secret in caplog.text]
    assert all(mask in shown for mask in ("[phone ••78]", "[电话 ••78]", "[密钥]"))


async def test_a_secret_is_masked_by_default_and_all_else_is_kept() -> None:
    async with MemoryService(config()) as service:
        await service.memorize(text=SENTENCE, user="ann")
        (text,) = await texts(service)
        assert text == SENTENCE.replace(PLANTED["key"], "[key]")


async def test_dropping_leaves_no_trace_and_nothing_is_no_memory() -> None:
    async with MemoryService(config(privacy=strict("drop"))) as service:
        await service.memorize(text="Ann lives in Bonn; call 13812345678 or +8613812345678.", user="ann")
        assert await texts(service) == ["Ann lives in Bonn; call  or ."]
        with pytest.raises(InvalidInput, match="nothing is left of `text`"):
            await service.create_item("13812345678", user="ann")


async def test_the_same_value_said_twice_is_one_memory() -> None:
    async with MemoryService(config(privacy=strict())) as service:
        first = await service.create_item("我的手机号是13812345678", user="ann")
        again = await service.create_item("我的手机号是 13812345678", user="ann")
        assert first.text == "我的手机号是[电话 ••78]"
        assert again.id == first.id or again.text != first.text
        say = [{"role": "user", "content": CHINESE}]
        await service.memorize(messages=say, resource_url="chat", user="bob")
        assert (await service.memorize(messages=say, resource_url="chat", user="bob")).unchanged


async def test_a_given_vector_of_a_masked_text_is_not_used() -> None:
    async with MemoryService(config(privacy=strict())) as service:
        vectors = np.eye(2, 128, dtype=np.float32)
        await service.create_items(
            ["My number is 13812345678.", "I like tea."], vectors=vectors, dedupe="exact", user="ann"
        )
        masked = await service.search("My number is [phone ••78].", user="ann")
        assert masked.items[0].score == pytest.approx(1.0)


async def test_a_document_keeps_its_text_in_place_of_its_original(tmp_path: Path) -> None:
    wanted = config(tmp_path / "memu.db", privacy=strict())
    data = word("Contacts", f"Ann: {PLANTED['email']}", "She likes tea.")
    async with MemoryService(wanted) as service:
        result = await service.memorize(data=data, user="ann")
        resource = result.resource
        assert (resource.modality, resource.media_type) == ("document", MASKED_TYPE)
        original = (await service.read_resource(resource.id, user="ann")).decode()
        assert "[email a••]" in original
        segments = await service.list_segments(resource.id, user="ann")
        assert all(original[one.start : one.end] == one.text for one in segments)
        assert (await service.memorize(data=data, user="ann")).unchanged
        (again,) = await service.retry(resource.id, user="ann")
        assert again.unchanged
        plain = await service.memorize(data=word("Tea", "She likes tea."), user="ann")
        assert plain.resource.media_type != MASKED_TYPE
    assert leaks(tmp_path) == []


async def test_a_document_that_was_read_in_part_is_read_on_from_its_text(tmp_path: Path) -> None:
    steps: list[Any] = [{"use": "break_segments", "with": {"containing": "tea"}}, "extract_entities"]
    broken = config(tmp_path / "memu.db", privacy=strict(), workflows={"memorize": {"steps": steps}})
    data = word("Contacts", f"Ann: {PLANTED['email']}", "She likes tea.")
    async with MemoryService(broken) as service:
        before = await service.memorize(data=data, user="ann")
        assert before.resource.status == "partial"
    async with MemoryService(config(tmp_path / "memu.db", privacy=strict())) as service:
        (after,) = await service.retry(user="ann")
        assert (after.resource.status, after.resource.content_hash) == (
            "complete",
            before.resource.content_hash,
        )
        assert len(await service.list_segments(after.resource.id, user="ann")) == after.resource.segment_count


async def test_a_file_that_is_no_text_may_be_kept_out_of_jobs() -> None:
    async with MemoryService(config(privacy=strict(unread="refuse"))) as service:
        with pytest.raises(InvalidInput, match="may not wait in a job"):
            await service.memorize(data=word("Tea"), wait=False, user="ann")
        await service.memorize(text="I like tea.", wait=False, user="ann")


@pytest.mark.parametrize("policy", ["drop", "keep"])
async def test_what_a_model_concludes_of_a_person_is_dropped(server: ScriptedServer, policy: str) -> None:
    found = [
        {"type": "fact", "text": "Ann stayed at home.", "source": ["t0"]},
        {"type": "profile", "text": "Ann is introverted.", "source": ["t0"]},
        {"type": "profile", "text": "Ann is an atheist.", "source": ["t1"]},
        {"type": "profile", "text": "用户性格内向。", "source": ["t0"]},
    ]
    server.script(CHAT, chat(json.dumps({"items": found})))
    model = {"provider": "vllm", "base_url": server.base_url, "model": "m", "max_retries": 0}
    steps = ["extract_entities"]
    wanted = config(
        llm={"default": model}, privacy={"inference": policy}, workflows={"memorize": {"steps": steps}}
    )
    said = ["I stayed at home again all weekend.", "I'm an atheist."]
    async with MemoryService(wanted) as service:
        result = await service.memorize(messages=said, user="ann")
        kept = await texts(service)
    assert result.trace is not None
    notes = next(one.notes for one in result.trace.steps if one.step == "extract_entities")
    if policy == "drop":
        assert sorted(kept) == ["Ann is an atheist.", "Ann stayed at home."]
        assert notes["inferred"] == 2
    else:
        assert len(kept) == 4


def test_plain_data_is_masked_through_and_through() -> None:
    masker = Masker(PrivacySettings(phone="mask"))
    data = {"13812345678": [13812345678, 5, 99999999999, None, True, ("x 13812345678",)]}
    mask = "[phone ••78]"
    assert masker.data(data) == {mask: [mask, 5, 99999999999, None, True, (f"x {mask}",)]}
    assert Masker(PrivacySettings(key="keep")).data(data) is data
    assert masker.optional(None) is None
    assert masker.text(masker.text("x 13812345678")) == f"x {mask}"


async def test_the_graph_is_asked_by_the_names_that_it_was_told() -> None:
    async with MemoryService(config(privacy=strict())) as service:
        email, mask = PLANTED["email"], "[email a••]"
        made = await service.graph.add(email, f"mails {email}", "Acme", user="ann")
        await service.graph.add(email, "knows", "Bob", user="ann")
        assert made.subject == mask
        assert "smith" not in made.predicate

        graph = service.graph
        assert await graph.relations(subject=email, predicate=f"mails {email}", user="ann") == [made]
        assert await graph.relations(object="Acme", user="ann") == [made]
        assert {one.name for one in await graph.neighbors(email, user="ann")} == {"Acme", "Bob"}
        assert [one.names for one in await graph.paths("Acme", "Bob", user="ann")] == [("Acme", mask, "Bob")]
        assert len(await graph.paths(email, "Bob", user="ann")) == 1
        assert (await graph.alias(email, "Bob", user="ann")).name == mask
        assert (await graph.unalias(email, user="ann")).name == mask
        given = await service.grants.give("cook", "guide", by=email, user="ann")
        assert given.given_by == mask
