"""A small conversation in the form of LoCoMo, with a question of every category."""

import json
from pathlib import Path
from typing import Any

TURNS = (
    ("Ann", "Good morning, Leo!"),
    ("Ann", "I adopted a greyhound called Biscuit yesterday."),
    ("Leo", "My sister Carla plays the cello in Porto."),
    ("Leo", "I work at a wind farm and fix the turbines."),
    ("Ann", "On Tuesdays I go to a pottery class, and on Fridays I swim."),
)
QUESTIONS: tuple[dict[str, Any], ...] = (
    {
        "question": "What does Ann do in a week?",
        "category": 1,
        "answer": "pottery, swim",
        "evidence": ["D1:5"],
    },
    {"question": "When did Ann adopt a dog?", "category": 2, "answer": "7 March 2024", "evidence": ["D1:2"]},
    {
        "question": "Is Leo afraid of heights?",
        "category": 3,
        "answer": "No; he works high up",
        "evidence": ["D1:4"],
    },
    {"question": "What does Carla play?", "category": 4, "answer": "cello", "evidence": ["D1:3"]},
    {"question": "What does Carla teach?", "category": 5, "answer": "cello", "evidence": ["D1:3"]},
)


def conversation_folder(folder: Path) -> Path:
    """A folder with the conversation as its only file."""
    turns = [
        {"id": f"D1:{number}", "speaker": speaker, "text": text}
        for number, (speaker, text) in enumerate(TURNS, 1)
    ]
    data = {
        "id": "conv-1",
        "sessions": [{"n": 1, "date_time": "2024-03-08T13:56:00", "turns": turns}],
        "questions": list(QUESTIONS),
    }
    folder.mkdir()
    (folder / "conv-1.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def config_file(path: Path, profile: dict[str, Any], **more: Any) -> Path:
    """A config.yaml that remembers turns as they are; JSON is YAML."""
    verbatim = [{"use": "extract_entities", "with": {"mode": "verbatim"}}]
    settings = {
        "llm": {"default": profile, "judge": profile},
        "workflows": {"memorize": {"steps": verbatim}},
        **more,
    }
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path
