"""Dialogues in sessions, as research corpora and many exports have them."""

import json

from memu_py.modality.conversation import ConversationParser
from memu_py.modality.detect import detect
from memu_py.modality.raw import Raw

DIALOGUE = {
    "id": "talk-1",
    "sessions": [
        {
            "date_time": "2023-05-08T13:56:00",
            "turns": [
                {"id": "D1:1", "speaker": "Ann", "text": "I moved to Lisbon yesterday."},
                {"id": "D1:2", "speaker": "Bo", "text": "How exciting!"},
            ],
        },
        {
            "date_time": "2023-06-01T09:00:00",
            "turns": [{"id": "D2:1", "speaker": "Ann", "text": "The flat has a view of the river."}],
        },
    ],
    "questions": [{"question": "Where did Ann move?", "answer": "Lisbon"}],
}


def test_turns_carry_their_speaker_their_id_and_the_time_of_their_session() -> None:
    raw = Raw(data=json.dumps(DIALOGUE).encode())
    assert detect(raw) == "conversation"
    parsed = ConversationParser().parse(raw)
    found = [
        (one.speaker, one.text, one.metadata["id"], one.said_at.isoformat() if one.said_at else None)
        for one in parsed.segments
    ]
    assert found == [
        ("Ann", "I moved to Lisbon yesterday.", "D1:1", "2023-05-08T13:56:00+00:00"),
        ("Bo", "How exciting!", "D1:2", "2023-05-08T13:56:00+00:00"),
        ("Ann", "The flat has a view of the river.", "D2:1", "2023-06-01T09:00:00+00:00"),
    ]


def test_a_mapping_that_only_mentions_sessions_is_no_conversation() -> None:
    assert detect(Raw(data=json.dumps({"sessions": 3, "note": "three of them"}).encode())) != "conversation"
