"""The text of a mail in blocks: what is said in it, and what is only quoted."""

import itertools
import re
from collections.abc import Iterable, Iterator

from memu_py.modality.blocks import Block
from memu_py.modality.letters import read_letter

_LIST_LINE = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+\S")


def letter(text: str, *, flowed: bool = False) -> Iterator[Block]:
    """Yield the paragraphs of a letter; quoted lines, the message answered and the signature are context.

    Args:
        text: the whole.
        flowed: a line that ends with a blank goes on in the next one.
    """
    lines, rest = read_letter(text)
    for is_quoted, run in itertools.groupby(lines, key=lambda line: line.quoted):
        for paragraph in _paragraphs(line.text for line in run):
            yield _block(paragraph, is_quoted=is_quoted, flowed=flowed)
    if rest.strip():
        yield Block(text=rest, kind="context")


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
