"""Operations on relations between names."""

from memu_py.service.graph import GraphPart
from memu_py.wire.operation import ANN, Operation

GRAPH = (
    Operation(
        id="graph.relations", call=GraphPart.relations, verb="GET", path="/v1/graph/relations", tag="graph"
    ),
    Operation(
        id="graph.neighbors",
        call=GraphPart.neighbors,
        verb="POST",
        path="/v1/graph/neighbors",
        tag="graph",
        example={"name": "Ann", "hops": 2, **ANN},
    ),
    Operation(
        id="graph.paths",
        call=GraphPart.paths,
        verb="POST",
        path="/v1/graph/paths",
        tag="graph",
        example={"start": "Leo", "goal": "Python", **ANN},
    ),
    Operation(
        id="graph.add",
        call=GraphPart.add,
        verb="POST",
        path="/v1/graph/relations",
        tag="graph",
        role="write",
        status=201,
        example={"subject": "Ann", "predicate": "works_at", "object": "Acme", **ANN},
    ),
    Operation(
        id="graph.end",
        call=GraphPart.end,
        verb="POST",
        path="/v1/graph/relations/{relation_id}/end",
        tag="graph",
        role="write",
        example=ANN,
    ),
    Operation(
        id="graph.delete",
        call=GraphPart.delete,
        verb="DELETE",
        path="/v1/graph/relations/{relation_id}",
        tag="graph",
        role="write",
        status=204,
    ),
    Operation(
        id="graph.alias",
        call=GraphPart.alias,
        verb="POST",
        path="/v1/graph/aliases",
        tag="graph",
        role="write",
        example={"name": "Annie", "same_as": "Ann", **ANN},
    ),
    Operation(
        id="graph.unalias",
        call=GraphPart.unalias,
        verb="DELETE",
        path="/v1/graph/aliases",
        tag="graph",
        role="write",
    ),
    Operation(id="graph.aliases", call=GraphPart.aliases, verb="GET", path="/v1/graph/aliases", tag="graph"),
)
