"""Of two linked hits the newer one comes first."""

from datetime import UTC, datetime, timedelta

from memu_py.records.hit import Hit
from memu_py.records.item import Item, ItemDraft
from memu_py.records.link import IN_CATEGORY, REVISES, SIMILAR, Link
from memu_py.records.scope import Scope
from memu_py.steps.retrieve.newest import NEWER, newest_first
from memu_py.steps.stored import make_item

ANN = Scope(user="ann")
START = datetime(2026, 1, 1, tzinfo=UTC)


def hit(day: int, score: float) -> Hit[Item]:
    said = START + timedelta(days=day)
    return Hit(
        record=make_item(ItemDraft(type="fact", text=f"day {day}", said_at=said), ANN, said), score=score
    )


def link(source: Hit[Item], target: Hit[Item], kind: str = SIMILAR) -> Link:
    return Link(source_id=source.record.id, target_id=target.record.id, kind=kind)


def days(hits: list[Hit[Item]]) -> list[str]:
    return [one.record.text for one in hits]


def test_a_newer_similar_hit_passes_an_older_one_within_the_margin_and_takes_its_score() -> None:
    old, other, new = hit(0, 0.80), hit(5, 0.78), hit(9, 0.76)
    first, second, third = newest_first([old, other, new], [link(new, old)], margin=0.05)
    assert days([first, second, third]) == ["day 9", "day 0", "day 5"]
    assert (first.score, second.score) == (0.80, 0.80)
    assert first.scores[NEWER] == 0.80 - 0.76


def test_beyond_the_margin_a_similar_hit_stays_and_one_that_takes_back_passes() -> None:
    old, new = hit(0, 0.9), hit(9, 0.5)
    assert days(newest_first([old, new], [link(new, old)], margin=0.05)) == ["day 0", "day 9"]
    assert days(newest_first([old, new], [link(new, old, REVISES)], margin=0.05)) == ["day 9", "day 0"]


def test_the_older_one_never_passes_and_strangers_stay_where_they_are() -> None:
    new, old = hit(9, 0.8), hit(0, 0.79)
    assert newest_first([new, old], [link(new, old)], margin=0.05) == [new, old]
    assert newest_first([old, new], [], margin=1.0) == [old, new]
    assert newest_first([old, new], [link(new, old, IN_CATEGORY)], margin=1.0) == [old, new]


def test_a_chain_ends_with_the_newest_first() -> None:
    one, two, three = hit(0, 0.80), hit(1, 0.79), hit(2, 0.78)
    links = [link(two, one), link(three, two), link(three, one)]
    assert days(newest_first([one, two, three], links, margin=0.05)) == ["day 2", "day 1", "day 0"]


def test_what_was_said_again_later_is_the_newer_one() -> None:
    back, moved = hit(0, 0.7), hit(5, 0.8)
    again = back.evolve(record=back.record.evolve(last_reinforced_at=START + timedelta(days=9)))
    assert days(newest_first([moved, again], [link(moved, again, REVISES)], margin=0.05)) == [
        "day 0",
        "day 5",
    ]
