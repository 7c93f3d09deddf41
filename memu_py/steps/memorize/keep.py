"""Keep a conversation without memorizing it yet."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memu_py.modality.conversation import CONVERSATION
from memu_py.modality.messages import dump_messages, plain_messages
from memu_py.modality.raw import Raw
from memu_py.records.batch import Batch, Supersession
from memu_py.records.ids import new_id
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Resource
from memu_py.records.scope import Scope
from memu_py.steps.memorize.intake import Intaker
from memu_py.steps.originals import drop_blobs
from memu_py.steps.resources import MemoryResources

ACTOR = "conversations"
NOT_YET = "not memorized yet"


async def keep_conversation(
    url: str,
    messages: Sequence[Mapping[str, Any] | str],
    scope: Scope,
    resources: MemoryResources,
    clock: Callable[[], datetime],
) -> Resource:
    """Add messages to the conversation at an address, its turns pending.

    Args:
        url: the address.
        messages: those that it has already are not doubled.
        scope: whose it is.
        resources: what the run works with.
        clock: gives the present moment.

    Raises:
        InvalidInput: the messages are not usable.
        Conflict: somebody else added to it meanwhile.
    """
    entries = resources.masker.data(plain_messages(messages))
    raw = Raw(data=dump_messages(entries), url=url, messages=entries)
    intaker = Intaker(
        scope=scope,
        request=MemorizeRequest(resource_url=url),
        resources=resources,
        now=clock(),
    )
    intake, segments = await intaker.take_in(raw, CONVERSATION)
    if intake.unchanged:
        return intake.resource
    async with resources.originals.of(scope):
        blob = await resources.blobs.put(scope.partition_hash, intake.content)
        batch = Batch(
            run_id=new_id(),
            actor=ACTOR,
            read_seq=intake.read_seq,
            resource=intake.resource.evolve(blob=blob, status="partial", reason=NOT_YET),
            segments=tuple(segments),
            moves=intake.moves,
            # What an edited message said holds no longer, though what it says now is still to be memorized.
            supersessions=tuple(Supersession(item_id=item_id, at=intaker.now) for item_id in intake.ended),
        )
        committed = await resources.store.commit(scope, batch)
        if committed.freed:
            await drop_blobs(committed.freed, blobs=resources.blobs)
    return committed.resource or intake.resource
