"""Twelve weeks of an invented life, from a seed: moves, jobs, moods, habits, repetitions, corrections and chatter.

What somebody said goes to memory day by day; what is asked afterwards knows its answer from the same draw.
"""

import dataclasses
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
"""A Monday."""
WEEKS = 12
DAY = timedelta(days=1)
END = START + WEEKS * 7 * DAY

Kind = Literal["now", "then", "felt", "often", "who"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Something that was said."""

    day: int
    text: str

    @property
    def at(self) -> datetime:
        return START + self.day * DAY


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, and what the best `count` memories must have in them.

    Attributes:
        kind: what it is about.
        text: the question.
        answer: words that the memory on top has, all of them.
        day: as of the evening of this day; None for now.
        count: so many memories from the top on have the words, and no other one of all has.
    """

    kind: Kind
    text: str
    answer: tuple[str, ...]
    day: int | None = None
    count: int = 1

    @property
    def as_of(self) -> datetime | None:
        return None if self.day is None else START + (self.day + 0.5) * DAY


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """A correction: the words, and what the memory that is meant has in it."""

    words: str
    meant: tuple[str, ...]
    after: tuple[str, ...]
    by_id: bool


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """A life and what may be asked of it."""

    name: str
    said: tuple[Said, ...]
    fixes: tuple[Fix, ...]
    questions: tuple[Question, ...]
    bad_days: tuple[int, int]
    good_days: tuple[int, int]
    friends: Mapping[str, str]
    """Friends by the project that they lead."""
    tools: Mapping[str, str]
    """What each project uses."""
    sister: str
    repeated: tuple[str, int]
    """What was said again and again, and how often."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """What lives of one language are made of."""

    names: Sequence[str]
    people: Sequence[str]
    cities: Sequence[str]
    firms: Sequence[str]
    jobs: Sequence[str]
    projects: Sequence[str]
    tools: Sequence[str]
    pets: Sequence[tuple[str, str]]
    foods: Sequence[str]
    teas: Sequence[str]
    cars: Sequence[str]
    countries: Sequence[str]
    chatter: Sequence[str]
    sentences: Mapping[str, str]
    questions: Mapping[str, str]
    bad: Sequence[tuple[str, str, str]]
    """What went badly: a key word, what is said, what is asked."""
    good: Sequence[tuple[str, str, str]]
    habits: Sequence[tuple[str, str, str]]
    repeated: Sequence[tuple[str, str, str]]


class _Draft:
    """A life while it is drawn."""

    def __init__(self, words: Words, rng: random.Random) -> None:
        self.words = words
        self.rng = rng
        self.name = rng.choice(words.names)
        self.said: list[Said] = []
        self.asked: list[Question] = []

    def say(self, week: int, sentence: str, **slots: str) -> None:
        text = self.words.sentences.get(sentence, sentence).format(**slots)
        self.said.append(Said(day=week * 7 + self.rng.randrange(5), text=text))

    def ask(
        self,
        kind: Kind,
        question: str,
        answer: Sequence[str],
        *,
        week: int | None = None,
        count: int = 1,
        slots: Mapping[str, str] | None = None,
    ) -> None:
        text = self.words.questions.get(question, question).format(name=self.name, **(slots or {}))
        day = None if week is None else week * 7 + 6
        self.asked.append(Question(kind=kind, text=text, answer=tuple(answer), day=day, count=count))


def live(words: Words, seed: int) -> Life:
    """Draw a life."""
    rng = random.Random(seed)
    draft = _Draft(words, rng)
    friends, tools, sister = _others(draft)
    _changes(draft)
    _lasting(draft)
    _feelings(draft)
    repeated = _habits(draft)
    fixes = _wrong(draft)
    for day in range(WEEKS * 7):
        draft.said += [Said(day=day, text=text) for text in rng.sample(words.chatter, 2)]
    return Life(
        name=draft.name,
        said=tuple(sorted(draft.said, key=lambda one: one.day)),
        fixes=fixes,
        questions=tuple(draft.asked),
        bad_days=(42, 55),
        good_days=(70, 83),
        friends=friends,
        tools=tools,
        sister=sister,
        repeated=repeated,
    )


def _changes(draft: _Draft) -> None:
    """What is true until something else is."""
    rng, words = draft.rng, draft.words
    homes = rng.sample(words.cities[:8], 3)
    for week, sentence, home in zip((0, 4, 9), ("home", "moved", "moved_again"), homes, strict=True):
        draft.say(week, sentence, city=home)
    draft.ask("now", "home", [homes[2]])
    for week, home in ((2, homes[0]), (6, homes[1]), (10, homes[2])):
        draft.ask("then", "home", [home], week=week)
    draft.ask("then", "when_moved", [homes[1]], slots={"city": homes[1]})
    firms, jobs = rng.sample(words.firms[:6], 2), rng.sample(words.jobs, 2)
    draft.say(0, "work", firm=firms[0], job=jobs[0])
    draft.say(6, "new_work", firm=firms[1], job=jobs[1])
    draft.ask("now", "work", [firms[1]])
    draft.ask("then", "work", [firms[0]], week=3)
    draft.ask("then", "work", [firms[1]], week=8)
    teas = rng.sample(words.teas, 2)
    draft.say(1, "tea", tea=teas[0])
    draft.say(7, "new_tea", tea=teas[1])
    draft.ask("now", "tea", [teas[1]])
    draft.ask("then", "tea", [teas[0]], week=4)
    draft.ask("then", "tea", [teas[1]], week=9)


def _lasting(draft: _Draft) -> None:
    """What is said once and stays."""
    rng, words = draft.rng, draft.words
    kind, called = rng.choice(words.pets)
    food, car, country = rng.choice(words.foods), rng.choice(words.cars), rng.choice(words.countries)
    for week, sentence, slots, answer in (
        (2, "pet", {"pet": kind, "called": called}, called),
        (3, "allergy", {"food": food}, food),
        (5, "car", {"car": car}, car),
        (8, "trip", {"country": country}, country),
        (1, "mother", {"day": "14"}, "14"),
        (2, "language", {"country": country}, ""),
        (4, "dentist", {}, ""),
    ):
        draft.say(week, sentence, **slots)
        draft.ask("now", sentence, [answer or draft.words.questions[f"{sentence}_answer"]], slots=slots)


def _feelings(draft: _Draft) -> None:
    """A bad time, and a good one."""
    rng, words = draft.rng, draft.words
    for week, events in ((6, words.bad), (10, words.good)):
        for shift, (key, said, asked) in enumerate(rng.sample(events, 3)):
            draft.say(week + shift % 2, said)
            draft.ask("felt", asked, [key])


def _habits(draft: _Draft) -> tuple[str, int]:
    """What is done now and again, and what is said again and again."""
    rng, words = draft.rng, draft.words
    for key, said, asked in rng.sample(words.habits, 3):
        days = rng.sample(range(WEEKS * 7), rng.randint(4, 8))
        draft.said += [Said(day=day, text=said) for day in days]
        draft.ask("often", asked, [key], count=len(days))
    key, said, asked = rng.choice(words.repeated)
    days = rng.sample(range(WEEKS * 7), rng.randint(4, 7))
    draft.said += [Said(day=day, text=said) for day in days]
    draft.ask("often", asked, [key])
    return said, len(days)


def _others(draft: _Draft) -> tuple[dict[str, str], dict[str, str], str]:
    """Who does what, and who knows whom."""
    rng, words = draft.rng, draft.words
    people = rng.sample([one for one in words.people if one != draft.name], 5)
    sister, *friends = people
    city = rng.choice(words.cities[8:])
    draft.say(0, "sister", person=sister, city=city)
    draft.ask("who", "sister", [sister])
    draft.ask("who", "lives", [city], slots={"person": sister})
    leads, tools = {}, {}
    projects, used = rng.sample(words.projects, 3), rng.sample(words.tools, 3)
    for week, (friend, project, tool) in enumerate(zip(friends, projects, used, strict=False)):
        draft.say(week + 1, "leads", person=friend, project=project)
        draft.say(week + 2, "uses", project=project, tool=tool)
        draft.ask("who", "leader", [friend], slots={"tool": tool})
        leads[friend], tools[project] = project, tool
    firms = rng.sample(words.firms[6:], 3)
    for week, (friend, firm) in enumerate(zip(friends[1:], firms, strict=True)):
        draft.say(week + 3, "friend", person=friend, firm=firm)
        draft.ask("who", "works", [friend, firm], slots={"person": friend})
        draft.ask("who", "who_works", [friend, firm], slots={"firm": firm})
    return leads, tools, sister


def _wrong(draft: _Draft) -> tuple[Fix, ...]:
    """What was said wrongly, and put right."""
    rng, words = draft.rng, draft.words
    wrong, right = rng.sample(words.cities[:8], 2)
    draft.say(3, "met", city=wrong)
    draft.say(5, "school")
    said = words.sentences
    fixes = (
        Fix(
            words=said["fix_met"].format(wrong=wrong, right=right),
            meant=(said["met_key"],),
            after=(right,),
            by_id=True,
        ),
        Fix(words=said["fix_school"], meant=(said["school_key"],), after=("2011",), by_id=True),
    )
    draft.ask("now", "met", [right])
    draft.ask("now", "school", [said["school_key"]])
    return fixes
