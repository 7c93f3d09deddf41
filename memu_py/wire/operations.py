"""Every operation of the server, as data: the server makes its routes of them, and the client its requests."""

from collections.abc import Mapping
from typing import Any

from memu_py.service.emotions import Emotions
from memu_py.service.jobs import Jobs
from memu_py.service.service import MemoryService
from memu_py.wire.grant_operations import GRANTS
from memu_py.wire.graph_operations import GRAPH
from memu_py.wire.operation import ANN, Operation, Verb
from memu_py.wire.person_operations import PERSON
from memu_py.wire.talk_operations import TALK
from memu_py.wire.workflow_list import list_workflows

__all__ = ["OPERATIONS", "WAIT_S", "Operation"]

WAIT_S = 60.0
"""How long one request waits for a job at most."""


def _crud(kind: str, plural: str, changes: Mapping[str, Any]) -> tuple[Operation, ...]:
    """Return what all kinds of records have: read one, list, change, delete."""
    path, one = f"/v1/{plural}", f"/v1/{plural}/{{{kind}_id}}"

    def operation(verb: Verb, name: str, where: str, **more: Any) -> Operation:
        call = getattr(MemoryService, name)
        return Operation(id=name, call=call, verb=verb, path=where, tag=plural, **more)

    return (
        operation("GET", f"list_{plural}", path),
        operation("GET", f"get_{kind}", one),
        operation("PATCH", f"update_{kind}", one, role="write", example={"changes": changes, **ANN}),
        operation("DELETE", f"delete_{kind}", one, role="write", status=204),
    )


_ITEM = {"text": "Ann likes black coffee.", "type": "preference", "metadata": {"topic": "food"}}

_ALL = (
    Operation(
        id="memorize",
        call=MemoryService.memorize,
        verb="POST",
        path="/v1/memorize",
        tag="memory",
        role="write",
        example={"messages": [{"role": "user", "content": "I moved to Lisbon in May 2023."}], **ANN},
    ),
    Operation(
        id="retry",
        call=MemoryService.retry,
        verb="POST",
        path="/v1/retry",
        tag="memory",
        role="write",
        example=ANN,
    ),
    Operation(
        id="retrieve",
        call=MemoryService.retrieve,
        verb="POST",
        path="/v1/retrieve",
        tag="memory",
        example={"query": "Where does Ann live?", "method": "rag", "top_k": 5, **ANN},
    ),
    Operation(
        id="recall",
        call=MemoryService.recall,
        verb="POST",
        path="/v1/recall",
        tag="memory",
        example={"query": "Who leads the project that uses Python?", **ANN},
    ),
    Operation(
        id="search",
        call=MemoryService.search,
        verb="POST",
        path="/v1/search",
        tag="memory",
        example={"query": "coffee", "where": {"type": "preference"}, **ANN},
    ),
    Operation(
        id="history",
        call=MemoryService.history,
        verb="GET",
        path="/v1/history/{record_id}",
        tag="memory",
    ),
    Operation(id="changes", call=MemoryService.changes, verb="GET", path="/v1/changes", tag="memory"),
    Operation(
        id="rollback",
        call=MemoryService.rollback,
        verb="POST",
        path="/v1/rollback",
        tag="memory",
        role="write",
        example={"to": "2026-03-01T18:30:00Z", "dry_run": True, **ANN},
    ),
    Operation(
        id="forget_user",
        call=MemoryService.forget_user,
        verb="POST",
        path="/v1/forget",
        tag="rights",
        role="admin",
        example=ANN,
    ),
    Operation(
        id="download_user",
        call=MemoryService.download_user,
        verb="GET",
        path="/v1/export",
        tag="rights",
        role="admin",
    ),
    Operation(
        id="upload_user",
        call=MemoryService.upload_user,
        verb="POST",
        path="/v1/import",
        tag="rights",
        role="admin",
        example={"data": "UEsDBBQAAAAIAA==", **ANN},
    ),
    Operation(
        id="audit",
        call=MemoryService.audit,
        verb="GET",
        path="/v1/audit",
        tag="rights",
        role="admin",
        whole=True,
    ),
    Operation(
        id="maintain",
        call=MemoryService.maintain,
        verb="POST",
        path="/v1/maintain",
        tag="memory",
        role="write",
        example={"dry_run": True, **ANN},
    ),
    Operation(
        id="reflect",
        call=MemoryService.reflect,
        verb="POST",
        path="/v1/reflect",
        tag="memory",
        role="write",
        example=ANN,
    ),
    Operation(
        id="restore",
        call=MemoryService.restore,
        verb="POST",
        path="/v1/items/{item_id}/restore",
        tag="items",
        role="write",
        example=ANN,
    ),
    Operation(id="tools", call=MemoryService.tools, verb="GET", path="/v1/tools", tag="memory"),
    Operation(
        id="feedback",
        call=MemoryService.feedback,
        verb="POST",
        path="/v1/feedback",
        tag="memory",
        role="write",
        example={"item": "0197-…", "used": True, **ANN},
    ),
    Operation(
        id="clear",
        call=MemoryService.clear,
        verb="POST",
        path="/v1/clear",
        tag="memory",
        role="admin",
        status=204,
        example=ANN,
    ),
    Operation(
        id="create_item",
        call=MemoryService.create_item,
        verb="POST",
        path="/v1/items",
        tag="items",
        role="write",
        status=201,
        example={"item": _ITEM, **ANN},
    ),
    Operation(
        id="create_items",
        call=MemoryService.create_items,
        verb="POST",
        path="/v1/items/batch",
        tag="items",
        role="write",
        status=201,
        example={"items": ["Ann likes tea.", _ITEM], **ANN},
    ),
    Operation(
        id="count_items", call=MemoryService.count_items, verb="GET", path="/v1/items:count", tag="items"
    ),
    *_crud("item", "items", {"importance": 8}),
    Operation(
        id="create_category",
        call=MemoryService.create_category,
        verb="POST",
        path="/v1/categories",
        tag="categories",
        role="write",
        status=201,
        example={"name": "food", "description": "what Ann eats and drinks", **ANN},
    ),
    *_crud("category", "categories", {"description": "meals and drinks"}),
    Operation(
        id="read_resource",
        call=MemoryService.read_resource,
        verb="GET",
        path="/v1/resources/{resource_id}/content",
        tag="resources",
    ),
    Operation(
        id="locate",
        call=MemoryService.locate,
        verb="GET",
        path="/v1/items/{item_id}/places",
        tag="items",
    ),
    Operation(
        id="list_segments",
        call=MemoryService.list_segments,
        verb="GET",
        path="/v1/resources/{resource_id}/segments",
        tag="resources",
    ),
    *_crud("resource", "resources", {"title": "a chat about moving"}),
    Operation(
        id="link",
        call=MemoryService.link,
        verb="POST",
        path="/v1/links",
        tag="links",
        role="write",
        status=204,
        example={"source_id": "0197-…", "target_id": "0198-…", **ANN},
    ),
    Operation(
        id="unlink",
        call=MemoryService.unlink,
        verb="DELETE",
        path="/v1/links",
        tag="links",
        role="write",
        status=204,
    ),
    Operation(id="list_links", call=MemoryService.list_links, verb="GET", path="/v1/links", tag="links"),
    *TALK,
    *(
        Operation(
            id=f"emotions.{name}",
            call=getattr(Emotions, name),
            verb="GET",
            path=f"/v1/emotions/{name}",
            tag="emotions",
        )
        for name in ("state", "profile", "timeline")
    ),
    Operation(
        id="predict_intent",
        call=MemoryService.predict_intent,
        verb="POST",
        path="/v1/intent",
        tag="proactive",
        example={"context": {"messages": ["Lunch?"], "place": "office"}, **ANN},
    ),
    Operation(
        id="match_event",
        call=MemoryService.match_event,
        verb="POST",
        path="/v1/events/match",
        tag="proactive",
        whole=True,
        narrowed="users",
        example={"event": "The tram to Belém is out of service.", "users": ["ann"]},
    ),
    Operation(
        id="scan",
        call=MemoryService.scan,
        verb="POST",
        path="/v1/due/scan",
        tag="proactive",
        role="write",
        example=ANN,
    ),
    Operation(
        id="due",
        call=MemoryService.due,
        verb="POST",
        path="/v1/due",
        tag="proactive",
        stricter={"take": "write"},
        example={"within_days": 7, **ANN},
    ),
    *GRANTS,
    *GRAPH,
    *PERSON,
    Operation(id="jobs.list", call=Jobs.list, verb="GET", path="/v1/jobs", tag="jobs"),
    Operation(id="jobs.wait", call=Jobs.wait, verb="GET", path="/v1/jobs/{job_id}/wait", tag="jobs"),
    Operation(id="jobs.get", call=Jobs.get, verb="GET", path="/v1/jobs/{job_id}", tag="jobs"),
    Operation(
        id="jobs.cancel",
        call=Jobs.cancel,
        verb="POST",
        path="/v1/jobs/{job_id}/cancel",
        tag="jobs",
        role="write",
        example=ANN,
    ),
    Operation(
        id="jobs.retry",
        call=Jobs.retry,
        verb="POST",
        path="/v1/jobs/{job_id}/retry",
        tag="jobs",
        role="write",
        example=ANN,
    ),
    Operation(id="usage", call=MemoryService.usage, verb="GET", path="/v1/usage", tag="operation"),
    Operation(
        id="stats",
        call=MemoryService.stats,
        verb="GET",
        path="/v1/stats",
        tag="operation",
        role="admin",
        whole=True,
    ),
    Operation(
        id="list_workflows",
        call=list_workflows,
        verb="GET",
        path="/v1/workflows",
        tag="operation",
        role="admin",
        whole=True,
    ),
)

OPERATIONS: Mapping[str, Operation] = {one.id: one for one in _ALL}
"""By id; one whose path is special stands before one that would take it for an id."""

__all__ = ["OPERATIONS", "WAIT_S", "Operation", "Verb"]
"""One operation stands in a module beside this one."""
