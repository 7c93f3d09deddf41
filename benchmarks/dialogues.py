"""Long conversations with questions, in the form of LoCoMo (Maharana et al., ACL 2024)."""

import dataclasses
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop"}
"""Categories that have evidence to find; the fifth, adversarial, has none."""

ADVERSARIAL = "5"
"""Asks about what was never said, or of the wrong person: right is the answer that nothing is known."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: as asked.
        category: a key of `CATEGORIES`, or `ADVERSARIAL`.
        evidence: ids of the turns that answer it; of an adversarial one, those that tempt.
        answer: the right one; of an adversarial one, the tempting one.
    """

    text: str
    category: str
    evidence: frozenset[str]
    answer: str


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Dialogue:
    """One conversation.

    Attributes:
        id: its name.
        messages: all turns in the form of the chat APIs, each with its id and its session's time.
        questions: those of `CATEGORIES` that have evidence.
        everything: all questions, adversarial ones and those without evidence included.
        ends: when its last session was.
    """

    id: str
    messages: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]
    everything: tuple[Question, ...]
    ends: datetime


def load_dialogues(folder: Path) -> list[Dialogue]:
    """Read every conversation file of a folder, by name.

    Raises:
        FileNotFoundError: there is no such folder, or no conversation in it.
    """
    found = [_dialogue(data) for path in sorted(folder.glob("*.json")) if (data := _conversation(path))]
    if not found:
        msg = f"no conversation (*.json with `sessions` and `questions`) in {folder}"
        raise FileNotFoundError(msg)
    return found


def _conversation(path: Path) -> Mapping[str, Any] | None:
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, Mapping) or not {"sessions", "questions"} <= data.keys():
        return None
    return {"id": path.stem, **data}


def _dialogue(data: Mapping[str, Any]) -> Dialogue:
    messages = [
        _message(turn, session["date_time"]) for session in data["sessions"] for turn in session["turns"]
    ]
    last = max(_time(session["date_time"]) for session in data["sessions"])
    everything = tuple(_question(one) for one in data["questions"])
    return Dialogue(
        id=str(data["id"]),
        messages=tuple(messages),
        questions=tuple(one for one in everything if one.category in CATEGORIES and one.evidence),
        everything=everything,
        ends=last + timedelta(days=1),
    )


def _message(turn: Mapping[str, Any], date_time: str) -> dict[str, Any]:
    message = {
        "role": "user",
        "name": turn["speaker"],
        "content": turn["text"],
        "created_at": _time(date_time).isoformat(),
        "id": turn["id"],
    }
    # What a picture shows is kept beside the words, not among them: nobody said it.
    return message | ({"caption": turn["caption"]} if turn.get("caption") else {})


def _question(data: Mapping[str, Any]) -> Question:
    return Question(
        text=str(data["question"]),
        category=str(data["category"]),
        evidence=frozenset(map(str, data.get("evidence") or ())),
        answer=str(data.get("answer", "")),
    )


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
