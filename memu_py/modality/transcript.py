"""Transcripts: a turn to a line, `Name: text`, perhaps behind a time.

Lines that name nobody go on with the turn above them. Prose holds lines of the same form ("Note: …", "Price: 3"), so
a text is taken for a transcript only when names come back, when two people speak, or when the lines carry times.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from memu_py.errors import InvalidInput
from memu_py.language.wordlist import words
from memu_py.modality.chat import CONTEXT_ROLES, ROLES
from memu_py.modality.parser import DEFAULT_OPTIONS, Parsed, ParseOptions
from memu_py.modality.raw import Raw
from memu_py.modality.segments import SAMPLE_CHARS, Span, passage, trimmed, turns
from memu_py.modality.stamps import Stamp, StampReader, stamp_at
from memu_py.modality.text import PLAIN_TYPE, readable
from memu_py.modality.title import title
from memu_py.records.message import Message, Role
from memu_py.records.resource import Segment

TRANSCRIPT = "transcript"
MIN_TURNS = 2
MIN_TURN_SHARE = 1 / 3
"""At least so many of the lines that are not blank begin a turn."""
UNCLEAR_DAYS = "whether the day or the month comes first in the times is not clear, so they are not used"
MAX_NAME_WORDS = 4
MAX_NAME_CHARS = 40

NOT_NAMES = words(
    """
    abstract action address advice age agenda aim answer attendees author background birthday caution cc city
    comment comments company conclusion contact context cost country danger date day deadline default definition
    description details disclaimer duration e.g education email end error example examples experience fact figure
    fix from goal goals hint hobbies http https i.e idea important info ingredients input instructions interests
    introduction issue job keywords language likes link list location mail method mobile name next note notes
    objective output owner participants phone place plan postscript preparation price priority problem
    project ps p.s q question quote reason recipe reference references remark reminder result results rule rules
    section see serves skills solution source start status step steps subject summary table tags task tel test
    time tip tips title to todo topic total type update url usage version via warning website where why year
    備註 备注 注意 注 提示 说明 標題 标题 主题 日期 时间 地点 地址 电话 邮箱 姓名 年龄 性别 职业 结论 总结 摘要
    目标 问题 答案 原因 结果 例如 比如 步骤 材料 做法 价格 来源 作者 关键词 参考 警告 重要 待办 任务 状态 版本
    """
)
"""Words before a colon that are no speakers, case folded."""

_ROLE_WORDS: dict[str, Role] = {
    **ROLES,
    "用户": "user",
    "助手": "assistant",
    "助理": "assistant",
    "系统": "system",
}
_LINE = re.compile(r"[^\r\n]+")
_LABEL = re.compile(
    r"(?P<mark>\*\*)?(?P<name>[^\W\d_][^\s:：*\[\]{}<>|\\/\"“”!?。！？，,;；=#@]*"
    r"(?:[ \t]+[^\s:：*\[\]{}<>|\\/\"“”!?。！？，,;；=#@]+){0,3})"
    r"(?(mark)(?:\*\*[ \t]*[:：]|[:：][ \t]*\*\*)|[ \t]*[:：])"
    r"(?=[ \t]|$|(?<=：)|(?<=\*)|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)
_NUMBERED = re.compile(r"(?:step|chapter|part|section|figure|table|note|day|week|第)\s*\d", re.IGNORECASE)


class _Turn(NamedTuple):
    name: str
    start: int
    line: Span
    stamp: Stamp | None


class TranscriptParser:
    """Reads transcripts; the text of the resource is the decoded original."""

    def accepts(self, raw: Raw, text: str | None) -> bool:
        """Tell whether a text is a transcript."""
        return text is not None and looks_like_transcript(text)

    def parse(self, raw: Raw, *, options: ParseOptions = DEFAULT_OPTIONS) -> Parsed:
        """Read a transcript; what stands above the first turn is context.

        Raises:
            InvalidInput: no line has the form `Name: text`.
        """
        decoded = readable(raw)
        found = _turns(decoded.text)
        if not found:
            msg = "no line has the form `Name: text`, so this is no transcript"
            raise InvalidInput(msg, hint="modality='text' reads it as plain text")
        stamps = StampReader([turn.stamp for turn in found if turn.stamp], options.zone)
        segments = tuple(_segments(decoded.text, found, stamps, options))
        if not segments:
            msg = "nobody says anything in this transcript"
            raise InvalidInput(msg)
        unclear = UNCLEAR_DAYS if stamps.ambiguous else None
        spoken = next((segment.text for segment in segments if segment.kind == "turn"), "")
        return Parsed(
            text=decoded.text,
            segments=segments,
            modality=TRANSCRIPT,
            media_type=PLAIN_TYPE,
            title=title(name=raw.name, url=raw.url, text=spoken),
            warnings=tuple(warning for warning in (decoded.warning, unclear) if warning),
        )


def looks_like_transcript(text: str) -> bool:
    """Tell whether a text is a transcript: its first line begins a turn, and a third of its lines do."""
    text = text[:SAMPLE_CHARS]
    lines = [match.span() for match in _LINE.finditer(text) if match.group().strip()]
    found = _turns(text)
    if len(found) < MIN_TURNS or found[0].line != lines[0]:
        return False
    if len(found) < MIN_TURN_SHARE * len(lines):
        return False
    stamped = sum(turn.stamp is not None for turn in found)
    return stamped >= MIN_TURNS or _is_dialogue([turn.name.casefold() for turn in found])


def _is_dialogue(names: Sequence[str]) -> bool:
    """Whether names come back, or just two people speak; many names, each once, are a list of properties."""
    counts = Counter(names)
    if all(name in _ROLE_WORDS for name in counts):
        return True
    repeated = sum(count for count in counts.values() if count > 1)
    return repeated >= MIN_TURN_SHARE * len(names) or len(names) == len(counts) == MIN_TURNS


def _turns(text: str) -> list[_Turn]:
    return list(_found_turns(text))


def _found_turns(text: str) -> Iterator[_Turn]:
    for line in _LINE.finditer(text):
        indent = len(line.group()) - len(line.group().lstrip())
        stamp = stamp_at(text, *line.span())
        start = stamp.end if stamp else line.start() + indent
        label = speaker_at(text, start, line.end(), stamped=stamp is not None)
        if label:
            yield _Turn(label.name, label.end, line.span(), stamp)


class Label(NamedTuple):
    """Who speaks, as a line begins.

    Attributes:
        name: as written.
        end: where it ends in the text, colon included.
    """

    name: str
    end: int


def speaker_at(text: str, start: int, end: int, *, stamped: bool = False) -> Label | None:
    """Return the speaker whom a line names; None where it begins with anything else.

    Args:
        text: holds the line.
        start: where the line begins, or what follows its time.
        end: where it ends.
        stamped: the line carries a time: then any word before a colon is a name.

    >>> speaker_at("Ann: hi", 0, 7)
    Label(name='Ann', end=4)
    """
    label = _LABEL.match(text, start, end)
    if label and _is_name(label.group("name"), stamped=stamped):
        return Label(label.group("name"), label.end())
    return None


def _is_name(label: str, *, stamped: bool) -> bool:
    words = label.split()
    if len(label) > MAX_NAME_CHARS or len(words) > MAX_NAME_WORDS:
        return False
    if stamped:
        return True
    if label.casefold() in NOT_NAMES or _NUMBERED.match(label):
        return False
    return len(words) == 1 or all(_is_name_word(word) for word in words)


def _is_name_word(word: str) -> bool:
    """Names of several words are written in capitals, but for particles; scripts without capitals have none."""
    return not word[0].islower() or word in {
        "van",
        "von",
        "de",
        "der",
        "den",
        "da",
        "di",
        "la",
        "le",
        "bin",
        "al",
    }


def _segments(
    text: str, found: Sequence[_Turn], stamps: StampReader, options: ParseOptions
) -> Iterator[Segment]:
    ordinal = 0
    above = trimmed(text, (0, found[0].line[0]))
    if above[0] < above[1]:
        yield passage(text, above, ordinal, "context")
        ordinal += 1
    for turn, after in itertools.zip_longest(found, found[1:]):
        span = trimmed(text, (turn.start, after.line[0] if after else len(text)))
        said_at = stamps.read(turn.stamp) if turn.stamp else None
        if span[0] == span[1]:
            continue
        message = _message(turn, said_at)
        for segment in turns(message, text, span, ordinal, turn_chars=options.turn_chars):
            yield segment
            ordinal += 1


def _message(turn: _Turn, said_at: datetime | None) -> Message:
    word = turn.name.casefold()
    role = _ROLE_WORDS.get(word, "user")
    return Message(
        role=role,
        text="",
        speaker=None if word in _ROLE_WORDS else turn.name,
        said_at=said_at,
        context=role in CONTEXT_ROLES,
        metadata={"time": turn.stamp.words} if turn.stamp and said_at is None else {},
    )
