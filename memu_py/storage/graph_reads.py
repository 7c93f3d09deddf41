"""Reading the graph: listing, neighbours, paths, and what a question touches.

Walks are recursive SQL. A neighbourhood is a set of (node, depth), so that it stays small whatever the graph; a path is
only walked over nodes from which its end can still be reached in the hops that are left.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CTE,
    Column,
    ColumnElement,
    Connection,
    Integer,
    Select,
    and_,
    false,
    func,
    literal,
    not_,
    or_,
    select,
    union_all,
)

from memu_py.language.same_names import form_of
from memu_py.records.entity import entity_key
from memu_py.records.graph import Alias, Edge, Edges, Neighbor, Path, RelationQuery, Sighting
from memu_py.records.relation import Relation
from memu_py.records.scope import Scope
from memu_py.storage.graph_names import Named, all_names, load_names
from memu_py.storage.schema_graph import relations
from memu_py.storage.scoping import scope_of, within
from memu_py.storage.unit import chunks

MOST_EDGES = 500
"""Of each hop around a question only so many of the newest edges are looked at."""
MOST_REACHED = 10_000
"""Nodes of a neighbourhood that are looked at."""

SEPARATOR = "/"


def _end_for(scope: Scope) -> Column[Any]:
    """Return until when relations hold for a reader.

    One that names neither an agent nor custom keys reads all that was said. Others are not told what ended it: for them
    counts what was said under the same agent and custom keys as the relation.
    """
    apart = scope.attributes.keys() - {"session"}
    return relations.c.own_valid_to if apart else relations.c.valid_to


def relation_of(row: Mapping[Any, Any], scope: Scope) -> Relation:
    """Return the relation of a row, as a reader sees it."""
    return Relation(
        id=row["id"],
        scope=scope_of(row),  # type: ignore[arg-type]
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        confidence=row["confidence"],
        single=row["single"],
        denied=row["denied"],
        item_id=row["item_id"],
        said_by=row["said_by"],
        valid_from=row["valid_from"],
        valid_to=row[_end_for(scope).name],
        created_at=row["created_at"],
    )


def holding(scope: Scope, as_of: datetime | None) -> ColumnElement[bool]:
    """Return the condition that a relation is an edge that holds for a reader at a moment; None for now."""
    edge, end = relations.c.denied == false(), _end_for(scope)
    if as_of is None:
        return and_(edge, end.is_(None))
    began = relations.c.valid_from <= as_of
    return and_(edge, began, or_(end.is_(None), end > as_of))


def nodes_of(connection: Connection, scope: Scope, names: Iterable[str]) -> dict[str, str]:
    """Return the nodes of names that the graph has, by key.

    A name that it does not have as written is looked for without titles, legal forms and the like; one that could mean
    two is left out.
    """
    keys = {entity_key(name) for name in names} - {""}
    found = {one.name_key: one.node for one in load_names(connection, scope, keys=keys)}
    strange = keys - found.keys()
    if strange:
        families = {form_of(key).family for key in strange}
        loose: defaultdict[str, set[str]] = defaultdict(set)
        for one in load_names(connection, scope, families=families):
            loose[form_of(one.name_key).core].add(one.node)
        for key in strange:
            nodes = loose.get(form_of(key).core, set())
            if len(nodes) == 1:
                found[key] = next(iter(nodes))
    return found


def list_relations(connection: Connection, scope: Scope, query: RelationQuery) -> list[Relation]:
    """Return relations; see `Graph.relations`."""
    statement = select(relations).where(within(relations, scope))
    named = [name for name in (query.subject, query.object) if name is not None]
    nodes = nodes_of(connection, scope, named)
    for name, column in ((query.subject, relations.c.subject_node), (query.object, relations.c.object_node)):
        if name is not None:
            statement = statement.where(column == nodes.get(entity_key(name), ""))
    if query.predicate is not None:
        statement = statement.where(relations.c.predicate == query.predicate)
    if query.ended and query.as_of is None:
        statement = statement.where(relations.c.denied == false())
    else:
        statement = statement.where(holding(scope, query.as_of))
    statement = statement.order_by(relations.c.valid_from.desc(), relations.c.id.desc()).limit(query.limit)
    return [relation_of(row, scope) for row in connection.execute(statement).mappings()]


def _steps(scope: Scope, edges: Edges, name: str) -> CTE:
    """Return the steps that may be taken: `source` and `target` of each edge, both ways where both are walked."""
    counts = [within(relations, scope), holding(scope, edges.as_of)]
    if edges.predicates:
        counts.append(relations.c.predicate.in_(edges.predicates))
    subject, object_ = relations.c.subject_node, relations.c.object_node
    ends = {"out": [(subject, object_)], "in": [(object_, subject)]}
    pairs = ends.get(edges.direction, ends["out"] + ends["in"])
    walked = [
        select(relations.c.id.label("edge"), source.label("source"), target.label("target")).where(
            *counts, subject != object_
        )
        for source, target in pairs
    ]
    return union_all(*walked).cte(name)


def _reached(steps: CTE, start: str, hops: int, name: str, *, backwards: bool = False) -> CTE:
    """Return the nodes that are reached from a start, with each depth at which they are."""
    reached = select(literal(start).label("node"), literal(0, Integer).label("depth")).cte(
        name, recursive=True
    )
    here, there = (steps.c.target, steps.c.source) if backwards else (steps.c.source, steps.c.target)
    further = (
        select(there, reached.c.depth + 1)
        .select_from(reached.join(steps, here == reached.c.node))
        .where(reached.c.depth < hops)
    )
    return reached.union(further)


def neighbors(
    connection: Connection, scope: Scope, name: str, *, hops: int, edges: Edges, limit: int
) -> list[Neighbor]:
    """Return what is near a name; see `Graph.neighbors`."""
    start = nodes_of(connection, scope, [name]).get(entity_key(name))
    if start is None:
        return []
    steps = _steps(scope, edges, "steps")
    reached = _reached(steps, start, hops, "reached")
    statement = (
        select(reached.c.node, func.min(reached.c.depth).label("depth"))
        .group_by(reached.c.node)
        .order_by("depth", reached.c.node)
        .limit(MOST_REACHED)
    )
    depths = {row.node: row.depth for row in connection.execute(statement)}
    near = [node for node, depth in depths.items() if depth][:limit]
    by_node = _edges_to(connection, scope, near, depths, edges)
    names = _names(connection, scope, near)
    return [
        Neighbor(name=names[node], hops=depths[node], relations=tuple(by_node.get(node, ()))) for node in near
    ]


def _edges_to(
    connection: Connection, scope: Scope, near: Sequence[str], depths: Mapping[str, int], edges: Edges
) -> dict[str, list[Relation]]:
    """Return the edges by which nodes are reached from those that are one hop nearer, the surest first."""
    found: defaultdict[str, dict[str, Relation]] = defaultdict(dict)
    wanted = set(near)
    for part in chunks(near):
        touching = or_(relations.c.subject_node.in_(part), relations.c.object_node.in_(part))
        statement = select(relations).where(within(relations, scope), holding(scope, edges.as_of), touching)
        if edges.predicates:
            statement = statement.where(relations.c.predicate.in_(edges.predicates))
        for row in connection.execute(statement).mappings():
            for source, target in _walked(row, edges):
                if target in wanted and depths.get(source, -1) == depths[target] - 1:
                    found[target].setdefault(row["id"], relation_of(row, scope))
    return {
        node: sorted(rows.values(), key=lambda one: (-one.confidence, one.valid_from, one.id))
        for node, rows in found.items()
    }


def _walked(row: Mapping[Any, Any], edges: Edges) -> list[tuple[str, str]]:
    out, back = (row["subject_node"], row["object_node"]), (row["object_node"], row["subject_node"])
    return {"out": [out], "in": [back]}.get(edges.direction, [out, back])


def _names(connection: Connection, scope: Scope, nodes: Iterable[str]) -> dict[str, str]:
    return {one.id: one.name for one in load_names(connection, scope, ids=nodes)}


def paths(
    connection: Connection, scope: Scope, ends: tuple[str, str], *, max_hops: int, edges: Edges, limit: int
) -> list[Path]:
    """Return ways from one name to another; see `Graph.paths`."""
    nodes = nodes_of(connection, scope, ends)
    start, goal = (nodes.get(entity_key(name)) for name in ends)
    if start is None or goal is None or start == goal:
        return []
    found = connection.execute(_walks(scope, edges, (start, goal), max_hops).limit(limit)).all()
    trails = [row.trail.strip(SEPARATOR).split(SEPARATOR) for row in found]
    rows = _by_id(connection, scope, {edge for trail in trails for edge in trail[1::2]})
    names = _names(connection, scope, {node for trail in trails for node in trail[::2]})
    made = [
        Path(
            names=tuple(names[node] for node in trail[::2]),
            relations=tuple(rows[edge] for edge in trail[1::2]),
        )
        for trail in trails
    ]
    return sorted(made, key=lambda path: (path.hops, path.names))


def _walks(scope: Scope, edges: Edges, ends: tuple[str, str], hops: int) -> Select[Any]:
    """Return the select of all walks from one node to another that visit none twice, as nodes and edges in turn."""
    start, goal = ends
    steps = _steps(scope, edges, "steps")
    left = _reached(steps, goal, hops, "left_to_go", backwards=True)
    nearest = select(left.c.node, func.min(left.c.depth).label("depth")).group_by(left.c.node).cte("nearest")
    first = literal(SEPARATOR + start + SEPARATOR)
    walk = select(literal(start).label("node"), literal(0, Integer).label("depth"), first.label("trail")).cte(
        "walk", recursive=True
    )
    further = (
        select(
            steps.c.target,
            walk.c.depth + 1,
            walk.c.trail.concat(steps.c.edge).concat(SEPARATOR).concat(steps.c.target).concat(SEPARATOR),
        )
        .select_from(
            walk.join(steps, steps.c.source == walk.c.node).join(nearest, nearest.c.node == steps.c.target)
        )
        .where(
            walk.c.node != goal,
            walk.c.depth + 1 + nearest.c.depth <= hops,
            not_(walk.c.trail.contains(literal(SEPARATOR).concat(steps.c.target).concat(SEPARATOR))),
        )
    )
    walk = walk.union_all(further)
    return select(walk.c.trail).where(walk.c.node == goal)


def _by_id(connection: Connection, scope: Scope, ids: Iterable[str]) -> dict[str, Relation]:
    found: dict[str, Relation] = {}
    for part in chunks(sorted(ids)):
        statement = select(relations).where(within(relations, scope), relations.c.id.in_(part))
        found.update((row["id"], relation_of(row, scope)) for row in connection.execute(statement).mappings())
    return found


def aliases(connection: Connection, scope: Scope) -> list[Alias]:
    """Return what names are taken for; see `Graph.aliases`."""
    names = all_names(connection, scope)
    by_id = {one.id: one for one in names}
    return [_alias(one, by_id) for one in names if one.tie is not None]


def _alias(one: Named, by_id: Mapping[str, Named]) -> Alias:
    return Alias(name=one.name, same_as=by_id[one.node].name, tie=one.tie)  # type: ignore[arg-type]


def sight(connection: Connection, scope: Scope, keys: Sequence[str], as_of: datetime | None) -> Sighting:
    """Return what is around names; see `Graph.sight`."""
    seeds = _seeds(connection, scope, set(keys))
    named = set(seeds.values())
    found: dict[str, Edge] = {}
    seen: set[str] = set()
    ahead = named
    for _ in range(2):
        fresh = _around(connection, scope, ahead, as_of)
        seen |= ahead
        ahead = {node for edge in fresh.values() for node in (edge.subject, edge.object)} - seen
        found |= fresh
    past = _between(connection, scope, named, as_of) if len(named) > 1 else ()
    return Sighting(seeds=seeds, edges=tuple(found.values()), past=tuple(past))


def _seeds(connection: Connection, scope: Scope, keys: set[str]) -> dict[str, str]:
    """Return the nodes of the names among keys, also of those that stand there without a title and the like."""
    found: dict[str, str] = {}
    loose: defaultdict[str, set[str]] = defaultdict(set)
    for one in load_names(connection, scope, keys=keys, families=keys):
        if one.name_key in keys:
            found[one.name_key] = one.node
        loose[form_of(one.name_key).core].add(one.node)
    sure = {core: next(iter(nodes)) for core, nodes in loose.items() if core in keys and len(nodes) == 1}
    return sure | found


def _around(
    connection: Connection, scope: Scope, nodes: Iterable[str], as_of: datetime | None
) -> dict[str, Edge]:
    found: dict[str, Edge] = {}
    for part in chunks(sorted(nodes)):
        touching = or_(relations.c.subject_node.in_(part), relations.c.object_node.in_(part))
        found.update(_edges(connection, scope, and_(holding(scope, as_of), touching)))
    return found


def _between(
    connection: Connection, scope: Scope, nodes: Collection[str], as_of: datetime | None
) -> Iterable[Edge]:
    """Return edges from one node to another that have ended."""
    end = _end_for(scope)
    over = end.is_not(None) if as_of is None else end <= as_of
    both = and_(relations.c.subject_node.in_(nodes), relations.c.object_node.in_(nodes))
    return _edges(connection, scope, and_(relations.c.denied == false(), over, both)).values()


def _edges(connection: Connection, scope: Scope, condition: ColumnElement[bool]) -> dict[str, Edge]:
    """Return the newest edges of which a condition is true and that an item says, by the id of the relation."""
    statement = (
        select(relations)
        .where(within(relations, scope), condition, relations.c.item_id.is_not(None))
        .order_by(relations.c.id.desc())
        .limit(MOST_EDGES)
    )
    return {
        row["id"]: Edge(
            item_id=row["item_id"],
            subject=row["subject_node"],
            predicate=row["predicate"],
            object=row["object_node"],
            confidence=row["confidence"],
        )
        for row in connection.execute(statement).mappings()
    }
