"""What is read from the graph of relations, and what it is asked."""

import dataclasses
from datetime import datetime
from typing import Literal

from memu_py.records.record import Record
from memu_py.records.relation import Relation

Towards = Literal["out", "in", "both"]
"""From subject to object, from object to subject, or either way."""

Tie = Literal["auto", "hand", "apart"]
"""Why a name is taken for another one, or for nobody else."""

MAX_HOPS = 6


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Edges(Record):
    """Which edges of the graph count.

    Attributes:
        predicates: only these; empty for all.
        direction: which way they are walked.
        as_of: what held at this moment, UTC; None for what holds now.
    """

    predicates: tuple[str, ...] = ()
    direction: Towards = "both"
    as_of: datetime | None = None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class RelationQuery(Record):
    """Which relations are listed.

    Attributes:
        subject: a name, resolved as aliases say; None for any.
        predicate: None for any.
        object: as `subject`.
        as_of: what held at this moment, UTC; None for what holds now.
        ended: also what holds no longer; without effect beside `as_of`.
        limit: how many at most.
    """

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    as_of: datetime | None = None
    ended: bool = False
    limit: int = 100


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Neighbor(Record):
    """A name near another one.

    Attributes:
        name: as it is known.
        hops: how many edges away, at least 1.
        relations: the edges by which it is reached in so many hops, the surest first.
    """

    name: str
    hops: int
    relations: tuple[Relation, ...]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Path(Record):
    """A way from one name to another that visits none twice.

    Attributes:
        names: from the first to the last.
        relations: one edge between each two of them.
    """

    names: tuple[str, ...]
    relations: tuple[Relation, ...]

    @property
    def hops(self) -> int:
        """How many edges it has."""
        return len(self.relations)


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Alias(Record):
    """A name, and what it is taken for.

    Attributes:
        name: as written.
        same_as: the name that stands for both; the name itself when it is kept apart.
        tie: `auto` where a rule found it, `hand` where somebody said so, `apart` where somebody said that it is nobody
            else.
    """

    name: str
    same_as: str
    tie: Tie


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Edge(Record):
    """An edge between two nodes, as far as a recall needs it.

    Attributes:
        item_id: the item that says it.
        subject: a node.
        predicate: its predicate.
        object: a node.
        confidence: in [0, 1].
    """

    item_id: str
    subject: str
    predicate: str
    object: str
    confidence: float


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Sighting(Record):
    """What the graph knows around the names of a question.

    Attributes:
        seeds: nodes by the key of the name that was asked for.
        edges: within two hops of them, the newest first.
        past: edges between two seeds that hold no longer.
    """

    seeds: dict[str, str]
    edges: tuple[Edge, ...]
    past: tuple[Edge, ...] = ()
