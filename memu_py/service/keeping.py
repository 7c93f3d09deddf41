"""What binds kept conversations to the memory that is made of them.

In one database the transaction that memorizes messages marks them. Two databases share none, and the order keeps what
is promised: messages are written before a memorize is asked for, memory before its messages are marked, and messages go
before the memory that is made of them. Whoever dies in between leaves work that is done again: a message that is not
marked is read once more, and known again by its id.
"""

from datetime import timedelta

from memu_py.config.settings import Settings
from memu_py.records.conversation import SCHEME, Conversation, Kept
from memu_py.records.ids import new_id
from memu_py.records.job import Job
from memu_py.records.request import MemorizeRequest
from memu_py.records.resource import Resource, unread_ids
from memu_py.records.scope import Scope
from memu_py.service.granting import to_write
from memu_py.service.runtime import Runtime
from memu_py.service.stored_request import conversation_job
from memu_py.steps.memorize.kept import conversation_id, kept_of
from memu_py.steps.originals import drop_blobs

DELETED = "its conversation was deleted; what was found in it is kept"


async def is_kept(runtime: Runtime, scope: Scope, url: str) -> bool:
    """Tell whether there is a conversation of the scope's agent at an address, begun in whatever session."""
    return await runtime.conversations.get(scope.writer, conversation_id(url)) is not None


async def whose(runtime: Runtime, request: MemorizeRequest, scope: Scope) -> Scope:
    """Return the scope in which a request is memorized: of a kept conversation its own, in the session that is named.

    One of another agent is none here, unless that agent's memory may be written.
    """
    url = request.resource_url or ""
    given = (request.text, request.messages, request.data) != (None, None, None)
    if given or not url.startswith(SCHEME):
        return scope
    wide = await to_write(runtime, scope)
    kept = await runtime.conversations.get(wide.writer, conversation_id(url))
    if kept is None:
        return scope
    return kept.scope.evolve(session=scope.session or kept.scope.session)


async def note_memorized(runtime: Runtime, scope: Scope, kept: Kept | None, resource: Resource) -> None:
    """Mark the messages of a run that its transaction did not mark: those of another database, or known before.

    Args:
        runtime: what the service runs on.
        scope: of the run.
        kept: the conversation that was read; None for anything else.
        resource: what became of it.
    """
    if kept is None:
        return
    found = await runtime.conversations.get(scope.owner, kept.id)
    if found is not None and found.key == kept.key and not found.unread:
        return
    left = unread_ids(await runtime.store.segments(scope.owner, resource.id))
    if not await runtime.conversations.mark(scope.owner, kept, left):
        # Deleted while it was read: what was found in it must not keep its words.
        await forget_source(runtime, scope.owner, resource)


async def mark_again(runtime: Runtime, scope: Scope, url: str | None) -> None:
    """Mark what a run has memorized whose process died before it could; of one database there is nothing to do."""
    if runtime.talks is None or not (url or "").startswith(SCHEME):
        return
    owner, name = scope.owner, conversation_id(url or "")
    whole = await runtime.conversations.read_whole(owner, name)
    if whole is None:
        return
    resource = await runtime.store.find_resource(whole.conversation.scope, url=url)
    if resource is None:
        return
    known = await runtime.store.segments(owner, resource.id)
    told = {str(one.metadata.get("id")) for one in known} - set(unread_ids(known))
    left = [message.id for message in whole.messages if message.id not in told]
    await runtime.conversations.mark(owner, kept_of(whole.conversation), left)


async def forget_source(runtime: Runtime, scope: Scope, resource: Resource) -> None:
    """Drop what a conversation said from the memory: its original and its segments; the items stay."""
    name = conversation_id(resource.url or "")
    async with runtime.originals.of(scope):
        unused = await runtime.store.forget_source(scope, resource.id, title=name, reason=DELETED)
        await drop_blobs(unused, blobs=runtime.blobs)


def is_due(runtime: Runtime, conversation: Conversation) -> bool:
    """Tell whether enough waits in a conversation; what is idle is found by `enqueue_idle`."""
    wanted = runtime.settings.conversations.auto_memorize
    if wanted.by == "never" or not conversation.waiting:
        return False
    if conversation.closed_at is not None or wanted.by == "message":
        return True
    return wanted.by == "count" and conversation.waiting >= wanted.count


async def enqueue(runtime: Runtime, conversation: Conversation) -> Job:
    """Write down a memorize of all that a conversation holds: once for each version of it, whoever asks."""
    kept = kept_of(conversation)
    job = conversation_job(
        conversation.url,
        conversation.scope,
        f"conversation {kept.key} {kept.version}",
        settings=runtime.settings.jobs,
        now=runtime.clock(),
        job_id=new_id(),
    )
    stored = await runtime.store.jobs.enqueue(conversation.scope.owner, job)
    await runtime.conversations.ask(conversation.scope.owner, kept)
    runtime.workers.start()
    return stored


async def enqueue_idle(runtime: Runtime) -> int:
    """Write down a memorize of every conversation, of everybody, in which nobody has said anything for a while.

    Returns:
        How many there are.
    """
    wanted = runtime.settings.conversations.auto_memorize
    if wanted.by not in ("message", "count", "idle"):
        return 0
    found = await runtime.conversations.waiting(runtime.clock() - timedelta(seconds=wanted.idle_s))
    for scope, name in found:
        conversation = await runtime.conversations.get(scope, name)
        if conversation is not None:
            await enqueue(runtime, conversation)
    return len(found)


def looked_for_every(settings: Settings) -> float:
    """Return how often to look for idle conversations, in seconds; 0 for never.

    As often as an idle worker looks for jobs of others, but no more than it must.
    """
    wanted = settings.conversations.auto_memorize
    if wanted.by in ("close", "never"):
        return 0.0
    return max(settings.jobs.poll_s, min(wanted.idle_s / 10, 60.0))
