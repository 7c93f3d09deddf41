"""Where the steps of a list in the configuration go among the packaged ones. Pure.

The rules, in the order in which they count:

1.  Required packaged steps are always there, in the packaged order, whether or not the list names them.
2.  What the list names keeps the order of the list, as far as rule 1 allows.
3.  A required step that the list does not name goes directly behind its nearest packaged predecessor
    that is present; one without a predecessor goes to the front.
4.  A step of the user's own goes directly behind the listed step it follows, or to the front when it
    follows none. When something that it needs is not there yet, it moves on behind the first required step
    after which all is there, but never past the next listed step. An optional packaged step that the list
    names behind one of its packaged successors is placed in the same way.
5.  Steps that the packaged workflow runs in parallel still do so when the list names them one after another.
"""

import dataclasses
from collections.abc import Callable, Sequence

from memu_py.workflow.entry import Entry


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Member:
    """A step to be placed.

    Attributes:
        entry: the step.
        rank: number of its packaged stage; None for a step of the user's own.
    """

    entry: Entry
    rank: int | None = None


@dataclasses.dataclass(slots=True, eq=False)
class Node:
    """What is placed as one: a step, or a parallel group.

    Attributes:
        members: its steps.
        grouped: whether the user wrote it as `parallel`.
    """

    members: list[Member]
    grouped: bool = False

    @property
    def ranks(self) -> list[int]:
        """Packaged stages of its members."""
        return [member.rank for member in self.members if member.rank is not None]

    @property
    def required_ranks(self) -> set[int]:
        """Packaged stages of its required packaged members."""
        return {one.rank for one in self.members if one.rank is not None and one.entry.spec.required}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Its steps."""
        return tuple(member.entry for member in self.members)


Ready = Callable[[Node, Sequence[Node]], bool]
"""Tells whether a node's needs are met behind other nodes."""


def arrange(listed: Sequence[Node], packaged: Sequence[Sequence[Member]], ready: Ready) -> list[Node]:
    """Put a list and the required packaged steps in order, by the rules of this module.

    Args:
        listed: in the order of the list. No node has required members of two packaged stages.
        packaged: the packaged stages, with ranks.
        ready: for rule 4.
    """
    nodes = _sorted_required(_joined(listed, packaged))
    order = _in_place(nodes)
    slots = {member.entry.slot for node in nodes for member in node.members if member.rank is not None}
    fixed = list(order)
    for rank, stage in enumerate(packaged):
        lost = [one for one in stage if one.entry.spec.required and one.entry.slot not in slots]
        if lost:
            _add_required(order, rank, lost, parallel=len(stage) > 1)
    return _with_loose(order, nodes, fixed, ready)


def _joined(listed: Sequence[Node], packaged: Sequence[Sequence[Member]]) -> list[Node]:
    """Rule 5: listed neighbours of one packaged group become one node."""
    nodes: list[Node] = []
    for node in listed:
        rank = None if node.grouped or not node.ranks else node.ranks[0]
        last = nodes[-1] if nodes else None
        if rank is not None and last and not last.grouped and rank in last.ranks and len(packaged[rank]) > 1:
            last.members += node.members
        else:
            nodes.append(Node(members=list(node.members), grouped=node.grouped))
    return nodes


def _sorted_required(nodes: list[Node]) -> list[Node]:
    """Rule 1 for listed steps: the required ones share out their places in the packaged order.

    The user's own steps go with the step they follow.
    """
    blocks: list[list[Node]] = [[]]
    for node in nodes:
        if node.ranks:
            blocks.append([node])
        else:
            blocks[-1].append(node)
    required = [block for block in blocks if block and block[0].required_ranks]
    source = iter(sorted(required, key=lambda block: min(block[0].required_ranks)))
    return [node for block in blocks for node in (next(source) if block in required else block)]


def _in_place(nodes: Sequence[Node]) -> list[Node]:
    """Return the packaged nodes without those that rule 4 calls behind their successors."""
    found: list[Node] = []
    highest = -1
    for node in nodes:
        if node.ranks and (node.required_ranks or min(node.ranks) >= highest):
            found.append(node)
            highest = max(highest, *node.ranks)
    return found


def _add_required(order: list[Node], rank: int, lost: list[Member], *, parallel: bool) -> None:
    """Rule 3, within what rule 1 leaves: behind the required nodes before it, before those behind it."""
    first = max(
        (place + 1 for place, node in enumerate(order) if _below(node.required_ranks, rank)), default=0
    )
    above = (place for place, node in enumerate(order) if any(one > rank for one in node.required_ranks))
    last = next(above, len(order))
    homes = [node for node in order[first:last] if rank in node.ranks]
    if parallel and homes:
        homes[0].members += lost
        return
    before = [(max(less), place) for place, node in enumerate(order) if (less := _below(node.ranks, rank))]
    wish = max(before)[1] + 1 if before else 0
    order.insert(min(max(wish, first), last), Node(members=lost))


def _below(ranks: Sequence[int] | set[int], rank: int) -> list[int]:
    return [one for one in ranks if one < rank]


def _with_loose(order: list[Node], nodes: Sequence[Node], fixed: Sequence[Node], ready: Ready) -> list[Node]:
    """Rule 4: put in the listed nodes that have no place among the packaged ones."""
    placed = list(order)
    start = 0
    for number, node in enumerate(nodes):
        if node in fixed:
            start = placed.index(node) + 1
            continue
        successor = next((one for one in nodes[number + 1 :] if one in fixed), None)
        end = placed.index(successor) if successor is not None else len(placed)
        places = range(start, max(start, end) + 1)
        place = next((one for one in places if ready(node, placed[:one])), start)
        placed.insert(place, node)
        start = place + 1
    return placed
