"""Operations on what is known of a person."""

from memu_py.service.kv import KeyValues
from memu_py.service.profile import Profiles
from memu_py.service.service import MemoryService
from memu_py.service.timeline import Timelines
from memu_py.wire.operation import ANN, Operation

PERSON = (
    Operation(
        id="correct",
        call=MemoryService.correct,
        verb="POST",
        path="/v1/correct",
        tag="person",
        role="write",
        example={"words": "That is wrong, it was 2021.", "item_id": "0197-…", **ANN},
    ),
    Operation(id="timeline.items", call=Timelines.items, verb="GET", path="/v1/timeline", tag="person"),
    Operation(
        id="timeline.counts", call=Timelines.counts, verb="GET", path="/v1/timeline/counts", tag="person"
    ),
    Operation(
        id="timeline.about",
        call=Timelines.about,
        verb="POST",
        path="/v1/timeline/about",
        tag="person",
        example={"question": "What happened in May?", **ANN},
    ),
    Operation(id="profile.get", call=Profiles.get, verb="GET", path="/v1/profile", tag="person"),
    Operation(
        id="profile.set",
        call=Profiles.set,
        verb="POST",
        path="/v1/profile",
        tag="person",
        role="write",
        example={"facet": "home", "value": "Porto", **ANN},
    ),
    Operation(
        id="profile.end",
        call=Profiles.end,
        verb="POST",
        path="/v1/profile/end",
        tag="person",
        role="write",
        example={"facet": "home", "value": "Porto", **ANN},
    ),
    Operation(
        id="profile.history",
        call=Profiles.history,
        verb="GET",
        path="/v1/profile/{facet}/history",
        tag="person",
    ),
    Operation(
        id="kv.list",
        call=KeyValues.list,
        verb="GET",
        path="/v1/kv",
        tag="person",
        example={"namespace": "settings", "prefix": "ui."},
    ),
    Operation(
        id="kv.get",
        call=KeyValues.get,
        verb="GET",
        path="/v1/kv/{key}",
        tag="person",
        example={"namespace": "settings"},
    ),
    Operation(
        id="kv.set",
        call=KeyValues.set,
        verb="POST",
        path="/v1/kv/{key}",
        tag="person",
        role="write",
        example={"namespace": "settings", "value": {"theme": "dark"}, **ANN},
    ),
    Operation(
        id="kv.delete",
        call=KeyValues.delete,
        verb="DELETE",
        path="/v1/kv/{key}",
        tag="person",
        role="write",
        example={"namespace": "settings"},
    ),
)
"""Profile, timeline, corrections, values by name."""
