"""Twelve weeks of a life, and forty questions about it, without a model.

The seeds are not those that anything was tuned on.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from life_chinese import CHINESE
from life_english import ENGLISH
from life_kit import DAY, END, START, Life, Question, Words, live
from service_kit import config

from memu_py import Item, MemoryService
from memu_py.testing.clock import FixedClock

SEEDS = (101, 202, 303, 404, 505)
USER = "somebody"
LANGUAGES: Mapping[str, Words] = {"en": ENGLISH, "zh": CHINESE}
SURE = 3
"""So many of what was done again and again stand on top."""
MARKER = "Zanzibarquartz"


async def remember(service: MemoryService, clock: FixedClock, life: Life) -> None:
    """Tell a life day by day, each day a conversation of its own, and put right what was wrong."""
    days = defaultdict(list)
    for one in life.said:
        days[one.day].append(one)
    for day, told in sorted(days.items()):
        clock.set(START + (day + 0.4) * DAY)
        turns: list[Mapping[str, Any]] = [
            {"role": "user", "name": life.name, "content": one.text, "created_at": one.at.isoformat()}
            for one in told
        ]
        await service.memorize(messages=turns, user=USER, session=f"day {day}")
    clock.set(END)
    for fix in life.fixes:
        (wrong,) = [one for one in await everything(service) if all(word in one.text for word in fix.meant)]
        done = await service.correct(fix.words, item_id=wrong.id, user=USER)
        assert done.after is not None, (fix.words, wrong.text)


async def everything(service: MemoryService) -> list[Item]:
    found: list[Item] = []
    cursor: str | None = None
    while True:
        page = await service.list_items(user=USER, limit=1000, cursor=cursor)
        found += page.records
        if (cursor := page.next_cursor) is None:
            return found


async def answered(service: MemoryService, question: Question) -> str:
    """Return an empty text for a right answer, else what was on top instead."""
    found = await service.retrieve(
        question.text, user=USER, as_of=question.as_of, top_k=max(10, question.count + 1), min_score=0
    )
    texts = [hit.record.text for hit in found.items]
    right = [all(word in text for word in question.answer) for text in texts]
    best = min(question.count, SURE)
    known = [one for one in await everything(service) if all(word in one.text for word in question.answer)]
    if right[:best] == [True] * best and (question.count == 1 or len(known) == question.count):
        return ""
    return f"{question.text} (as of {question.day}) wants {question.answer}: {texts[: best + 2]}"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_life_is_remembered(language: str, seed: int) -> None:
    life = live(LANGUAGES[language], seed)
    assert len(life.questions) >= 40
    clock = FixedClock(START)
    async with MemoryService(config(), clock=clock) as service:
        await remember(service, clock, life)
        wrong = [said for question in life.questions if (said := await answered(service, question))]
        assert wrong == []
        await check_who_knows_whom(service, life)
        await check_what_was_said_again_and_corrected(service, life)
        if language == "en":
            # Feelings in Chinese take a model.
            await check_moods(service, life)


async def check_who_knows_whom(service: MemoryService, life: Life) -> None:
    for friend, project in life.friends.items():
        (path,) = await service.graph.paths(friend, life.tools[project], user=USER, max_hops=2)
        assert [relation.predicate for relation in path.relations] == ["leads", "uses"]
    near = await service.graph.neighbors(life.name, predicate="sibling_of", user=USER)
    assert [one.name for one in near] == [life.sister]


async def check_what_was_said_again_and_corrected(service: MemoryService, life: Life) -> None:
    known = await everything(service)
    text, times = life.repeated
    assert [one.mentions for one in known if one.text == text] == [times]
    for fix in life.fixes:
        (now,) = [one for one in known if all(word in one.text for word in fix.meant)]
        assert all(word in f"{now.text} {now.happened}" for word in fix.after), now.text


async def check_moods(service: MemoryService, life: Life) -> None:
    bad, good = [
        await service.emotions.state(days=14, as_of=START + (last + 0.5) * DAY, user=USER)
        for _, last in (life.bad_days, life.good_days)
    ]
    assert bad.valence is not None and good.valence is not None
    assert bad.valence < 0 < good.valence


async def test_forgetting_leaves_no_byte(tmp_path: Path) -> None:
    life = live(ENGLISH, 7)
    clock = FixedClock(START)
    async with MemoryService(config(tmp_path / "memu.db"), clock=clock) as service:
        await remember(service, clock, life)
        told = [
            f"I live in {MARKER}.",
            f"My friend {MARKER} works at Acme.",
            f"I am so happy about {MARKER}!",
        ]
        await service.memorize(messages=told, user=USER)
        await service.kv.set("n", MARKER, MARKER, user=USER)
        await service.blocks.set("notes", MARKER, user=USER)
        await service.conversations.add(MARKER, [MARKER], user=USER)
        await service.profile.get(user=USER)
        await service.recall(MARKER, user=USER)
        assert holds(tmp_path, MARKER)
        await service.forget_user(user=USER)

        assert not holds(tmp_path, MARKER)
        assert not (await service.recall("Where do I live?", user=USER))
    assert not holds(tmp_path, MARKER) and not holds(tmp_path, life.name)


def holds(folder: Path, text: str) -> list[str]:
    """Return the files below a folder that hold a text, in any of three encodings, or are named by it."""
    forms = [text.encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be")]
    return [
        str(path)
        for path in folder.rglob("*")
        if text in path.name or (path.is_file() and any(form in path.read_bytes() for form in forms))
    ]
