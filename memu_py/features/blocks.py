"""Blocks: which ones an agent sees, how long they may be, and how they stand in a prompt."""

from collections.abc import Iterable, Sequence

from memu_py.errors import InvalidInput
from memu_py.language.budget import chars_within, count_tokens
from memu_py.records.block import Block

CUT = " …"


def seen_by(blocks: Iterable[Block], agent: str | None) -> list[Block]:
    """Return the blocks that are an agent's to see, in order of name.

    Its own stand before the user's, and these before what other agents share: of those of one name the first is seen.

    Args:
        blocks: of one user.
        agent: None for nobody in particular, who sees those of the user.
    """
    nearest: dict[str, Block] = {}
    for block in sorted(blocks, key=lambda one: (_distance(one, agent), one.id)):
        if _distance(block, agent) < len(_FAR):
            nearest.setdefault(block.name, block)
    return [nearest[name] for name in sorted(nearest)]


_FAR = ("own", "the user's", "shared")


def _distance(block: Block, agent: str | None) -> int:
    if block.agent == agent:
        return 0
    if block.agent is None:
        return 1
    return 2 if agent in block.shared_with else len(_FAR)


def check_size(block: Block) -> None:
    """Check that a block is no longer than it may be.

    Raises:
        InvalidInput: it is; says by how much.
    """
    sizes = [("characters", len(block.text), block.max_chars)]
    if block.max_tokens is not None:
        sizes.append(("tokens", count_tokens(block.text), block.max_tokens))
    for unit, size, most in sizes:
        if size > most:
            msg = f"block {block.name!r} would have {size} {unit} and takes {most}: {size - most} too many"
            raise InvalidInput(msg, hint="say it shorter, or raise its limit")


def replaced(block: Block, old: str, new: str) -> str:
    """Return the text of a block with a part replaced.

    Raises:
        InvalidInput: the part is not there, or more than once.
    """
    found = block.text.count(old) if old else 0
    if found != 1:
        often = "does not hold" if not found else f"holds {found} times"
        msg = f"block {block.name!r} {often} {old!r}"
        raise InvalidInput(msg, hint="name a part that stands in it once, word for word")
    return block.text.replace(old, new)


def appended(block: Block, text: str) -> str:
    """Return the text of a block with a line more."""
    return f"{block.text}\n{text}" if block.text else text


def write_blocks(blocks: Sequence[Block], *, max_tokens: int) -> str:
    """Write blocks for a prompt, each in marks with its name.

    They are taken in order while they fit. One that does not is cut at the end of a line, or of what fits of its first.

    Args:
        blocks: empty ones are left out.
        max_tokens: what all of it may cost.
    """
    parts: list[str] = []
    room = max_tokens
    for block in blocks:
        text = block.text.strip()
        frame = count_tokens(_framed(block.name, "")) + 1
        if not text or frame >= room:
            continue
        shown = text if count_tokens(text) + frame <= room else _cut(text, room - frame)
        if not shown:
            continue
        parts.append(_framed(block.name, shown))
        room -= count_tokens(parts[-1]) + 1
    return "\n".join(parts)


def _framed(name: str, text: str) -> str:
    return f"<block {name}>\n{text}\n</block>"


def _cut(text: str, room: int) -> str:
    kept: list[str] = []
    left = room - count_tokens(CUT)
    for line in text.splitlines():
        left -= count_tokens(f"{line}\n")
        if left < 0:
            break
        kept.append(line)
    if kept:
        return "\n".join(kept) + CUT
    left = room - count_tokens(CUT) - 1
    return text[: chars_within(text, left)].rstrip() + CUT if left > 0 else ""
