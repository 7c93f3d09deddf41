from datetime import date

import numpy as np
import pytest

from memu_py.features.moods import emotions, periods, total, trend
from memu_py.language.feeling import feeling
from memu_py.language.importance import importance
from memu_py.records.item import Emotion, ItemDraft
from memu_py.records.mood import MoodKey, Tally
from memu_py.records.resource import Segment
from memu_py.scoring.importance import effective_importance
from memu_py.steps.memorize.unjudged import Rules


def test_means_and_spreads_are_those_of_the_numbers() -> None:
    tally = Tally.of(Emotion(valence=0.5, arousal=0.25)).plus(Tally.of(Emotion(valence=-0.1, arousal=0.75)))
    assert tally.mean_valence == pytest.approx(0.2)
    assert tally.valence_spread == pytest.approx(0.3)
    assert (tally.mean_arousal, tally.arousal_spread) == (0.5, 0.25)
    nothing = tally.plus(tally, -1)
    assert nothing == Tally()
    assert (nothing.mean_valence, nothing.mean_arousal, nothing.valence_spread) == (None, None, None)


def test_a_trend_compares_halves_and_periods_begin_where_they_should() -> None:
    good, bad = Tally.of(Emotion(valence=0.5, arousal=0.5)), Tally.of(Emotion(valence=-0.5, arousal=0.5))
    sums = {
        MoodKey(day=date(2026, 3, 1), speaker=""): bad,
        MoodKey(day=date(2026, 3, 4), speaker=""): good,
        MoodKey(day=date(2026, 3, 4), speaker="", part="label", name="joy"): good,
    }
    assert trend(sums, date(2026, 3, 1), date(2026, 3, 4)) == 1.0
    assert trend(sums, date(2026, 3, 1), date(2026, 3, 9)) is None
    assert [(one.start.day, one.count, one.emotion) for one in periods(sums, "week")] == [
        (23, 1, None),
        (2, 1, "joy"),
    ]
    assert [one.start.day for one in periods(sums, "day")] == [1, 4]
    assert [(one.start.day, one.count) for one in periods(sums, "month")] == [(1, 2)]
    assert total(sums).count == 2
    assert [(one.label, one.share) for one in emotions(sums)] == [("joy", 0.5)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I'm so happy that I got the job!!!", "happy"),
        ("It was nice to see her again.", "content"),
        ("I HATE him, he is a liar!", "distressed"),
        ("I feel a bit sad today.", "sad"),
        ("I am really angry about the landlord.", "angry"),
        ("I am not angry, I am proud of him.", "proud"),
        ("The meeting is at three.", None),
        ("Das war die beste Reise meines Lebens, ich hasse Abschied", None),
        ("我今天非常高兴！", None),
        ("", None),
    ],
)
def test_feelings_are_read_in_english_alone(text: str, label: str | None) -> None:
    found = feeling(text)
    assert (found.label if found else None) == label
    if found:
        assert -1 <= found.valence <= 1
        assert 0 <= found.arousal <= 1


@pytest.mark.parametrize(
    ("least", "more"),
    [
        ("ok then", "I moved to Lisbon in May 2023."),
        ("It is nice out today, really.", "Please remember that I am allergic to nuts."),
        ("好的", "我2023年5月搬到了里斯本。"),
        ("今天天气还不错，挺舒服的。", "记住，我对花生过敏，千万别忘了。"),
    ],
)
def test_what_matters_weighs_more(least: str, more: str) -> None:
    low, high = (importance(ItemDraft(type="fact", text=text)) for text in (least, more))
    assert 1 <= low < high <= 8


def test_use_moves_importance_within_bounds() -> None:
    judged = np.array([1, 5, 9, np.nan, np.nan, 5, 10], dtype=np.float32)
    mentions = np.array([1, 10**6, 10, 1, 10, 1, 1], dtype=np.uint32)
    accesses = np.array([0, 10**6, 17, 1, 1, 1, 1], dtype=np.uint32)
    moved = effective_importance(judged, mentions, accesses)
    np.testing.assert_allclose(moved, [1, 7, 10, np.nan, 6.5, 5, 10], rtol=1e-6)
    assert moved.dtype == np.float32


def test_rules_judge_only_what_nobody_did_and_what_people_say() -> None:
    segment = Segment(
        ordinal=0, kind="turn", text="I'm so happy today!", start=0, end=19, hash="", role="user"
    )
    draft = ItemDraft(type="fact", text=segment.text)
    judged = Rules().said(draft, segment)
    assert judged.emotion is not None
    assert judged.importance == 5
    assert Rules().said(draft, segment.evolve(role="assistant")).emotion is None
    assert Rules().said(draft, segment.evolve(kind="paragraph")).emotion is None
    known = draft.evolve(importance=2.0, emotion=Emotion(valence=0, arousal=0))
    assert Rules().said(known, segment) == known
    assert Rules(emotion=False, importance=False).said(draft, segment) == draft
