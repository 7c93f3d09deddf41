"""The text of a mail: what is said in it, and what is only quoted."""

import itertools
import re
from collections.abc import Iterable, Iterator

from memu_py.modality.blocks import Block

_QUOTED = re.compile(r"\s{0,3}[>|]")
_ATTRIBUTION = re.compile(
    r"(?:on\b.{4,200}\bwrote|am\b.{4,200}\bschrieb.*|le\b.{4,200}\ba écrit|(?=.*\d).{4,200}写道)\s?[:：]\s*",
    re.I,
)
_BEGINS = re.compile(r"(?:on|am|le)\b.{4,}", re.I)
"""An attribution that goes on in the next line."""
_ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|原始邮件|转发的邮件)\s*-{2,}\s*",
    re.I,
)
_SIGNATURE = re.compile(r"-- ?")
_LIST_LINE = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+\S")


def letter(text: str, *, flowed: bool = False) -> Iterator[Block]:
    """Yield the paragraphs of a letter; quoted lines, the message answered and the signature are context.

    Args:
        text: the whole.
        flowed: a line that ends with a blank goes on in the next one.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines, rest = _parted(lines)
    for is_quoted, run in itertools.groupby(_marked(lines), key=lambda pair: pair[1]):
        part = [line for line, _ in run]
        for paragraph in _paragraphs(part):
            yield _block(paragraph, is_quoted=is_quoted, flowed=flowed)
    if "\n".join(rest).strip():
        yield Block(text="\n".join(rest), kind="context")


def _parted(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return what is said, and what follows it: the signature, or the message that is answered."""
    for place, line in enumerate(lines):
        if _ORIGINAL.fullmatch(line) or (_SIGNATURE.fullmatch(line) and place):
            return lines[:place], lines[place:]
    return lines, []


def _marked(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield lines, each with whether it is quoted or says who is quoted."""
    says_who = {place for place, line in enumerate(lines) if _ATTRIBUTION.fullmatch(line)}
    for place, (line, following) in enumerate(itertools.pairwise(lines)):
        if _BEGINS.fullmatch(line) and _ATTRIBUTION.fullmatch(f"{line} {following}"):
            says_who |= {place, place + 1}
    for place, line in enumerate(lines):
        yield line, place in says_who or _QUOTED.match(line) is not None


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    for is_blank, run in itertools.groupby(lines, key=lambda line: not line.strip()):
        if not is_blank:
            yield list(run)


def _block(lines: list[str], *, is_quoted: bool, flowed: bool) -> Block:
    if is_quoted:
        return Block(text="\n".join(lines), kind="context")
    if sum(_LIST_LINE.match(line) is not None for line in lines) > 1:
        return Block(text="\n".join(lines), kind="list")
    text = "".join(line if flowed and line.endswith(" ") else f"{line}\n" for line in lines)
    return Block(text=text.strip())
