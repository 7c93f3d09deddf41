"""The methods of both clients."""

from memu_py.client.call import Call
from memu_py.client.memorizing import MemorizeCall
from memu_py.service.blocks import Blocks
from memu_py.service.conversations import Conversations
from memu_py.service.emotions import Emotions
from memu_py.service.grants import Grants
from memu_py.service.graph import GraphPart
from memu_py.service.jobs import Jobs
from memu_py.service.kv import KeyValues
from memu_py.service.profile import Profiles
from memu_py.service.service import MemoryService
from memu_py.service.timeline import Timelines
from memu_py.wire.workflow_list import list_workflows


class Methods:
    """What the service does, at a distance."""

    memorize = MemorizeCall()
    retry = Call(MemoryService.retry)
    retrieve = Call(MemoryService.retrieve)
    recall = Call(MemoryService.recall)
    search = Call(MemoryService.search)
    history = Call(MemoryService.history)
    changes = Call(MemoryService.changes)
    rollback = Call(MemoryService.rollback)
    forget_user = Call(MemoryService.forget_user)
    download_user = Call(MemoryService.download_user)
    upload_user = Call(MemoryService.upload_user)
    audit = Call(MemoryService.audit)
    maintain = Call(MemoryService.maintain)
    reflect = Call(MemoryService.reflect)
    restore = Call(MemoryService.restore)
    tools = Call(MemoryService.tools)
    feedback = Call(MemoryService.feedback)
    correct = Call(MemoryService.correct)
    clear = Call(MemoryService.clear)
    create_item = Call(MemoryService.create_item)
    create_items = Call(MemoryService.create_items)
    count_items = Call(MemoryService.count_items)
    list_items = Call(MemoryService.list_items)
    get_item = Call(MemoryService.get_item)
    update_item = Call(MemoryService.update_item)
    delete_item = Call(MemoryService.delete_item)
    create_category = Call(MemoryService.create_category)
    list_categories = Call(MemoryService.list_categories)
    get_category = Call(MemoryService.get_category)
    update_category = Call(MemoryService.update_category)
    delete_category = Call(MemoryService.delete_category)
    list_resources = Call(MemoryService.list_resources)
    get_resource = Call(MemoryService.get_resource)
    read_resource = Call(MemoryService.read_resource)
    locate = Call(MemoryService.locate)
    list_segments = Call(MemoryService.list_segments)
    update_resource = Call(MemoryService.update_resource)
    delete_resource = Call(MemoryService.delete_resource)
    link = Call(MemoryService.link)
    unlink = Call(MemoryService.unlink)
    list_links = Call(MemoryService.list_links)
    predict_intent = Call(MemoryService.predict_intent)
    match_event = Call(MemoryService.match_event)
    scan = Call(MemoryService.scan)
    due = Call(MemoryService.due)
    usage = Call(MemoryService.usage)
    stats = Call(MemoryService.stats)
    list_workflows = Call(list_workflows)


class JobMethods:
    """What can be done with jobs."""

    get = Call(Jobs.get, "jobs.get")
    list = Call(Jobs.list, "jobs.list")
    wait = Call(Jobs.wait, "jobs.wait")
    cancel = Call(Jobs.cancel, "jobs.cancel")
    retry = Call(Jobs.retry, "jobs.retry")


class ConversationMethods:
    """What can be done with conversations that are kept before they are memorized."""

    add = Call(Conversations.add, "conversations.add")
    add_message = Call(Conversations.add_message, "conversations.add_message")
    get = Call(Conversations.get, "conversations.get")
    list = Call(Conversations.list, "conversations.list")
    sessions = Call(Conversations.sessions, "conversations.sessions")
    context = Call(Conversations.context, "conversations.context")
    close = Call(Conversations.close, "conversations.close")
    delete = Call(Conversations.delete, "conversations.delete")


class BlockMethods:
    """What can be done with blocks."""

    get = Call(Blocks.get, "blocks.get")
    list = Call(Blocks.list, "blocks.list")
    set = Call(Blocks.set, "blocks.set")
    append = Call(Blocks.append, "blocks.append")
    replace = Call(Blocks.replace, "blocks.replace")
    delete = Call(Blocks.delete, "blocks.delete")


class EmotionMethods:
    """How users feel, and what about."""

    state = Call(Emotions.state, "emotions.state")
    profile = Call(Emotions.profile, "emotions.profile")
    timeline = Call(Emotions.timeline, "emotions.timeline")


class GrantMethods:
    """What can be done with grants."""

    give = Call(Grants.give, "grants.give")
    revoke = Call(Grants.revoke, "grants.revoke")
    list = Call(Grants.list, "grants.list")


class GraphMethods:
    """What can be done with relations between names."""

    relations = Call(GraphPart.relations, "graph.relations")
    neighbors = Call(GraphPart.neighbors, "graph.neighbors")
    paths = Call(GraphPart.paths, "graph.paths")
    add = Call(GraphPart.add, "graph.add")
    end = Call(GraphPart.end, "graph.end")
    delete = Call(GraphPart.delete, "graph.delete")
    alias = Call(GraphPart.alias, "graph.alias")
    unalias = Call(GraphPart.unalias, "graph.unalias")
    aliases = Call(GraphPart.aliases, "graph.aliases")


class KeyValueMethods:
    """What can be done with values by name."""

    get = Call(KeyValues.get, "kv.get")
    set = Call(KeyValues.set, "kv.set")
    list = Call(KeyValues.list, "kv.list")
    delete = Call(KeyValues.delete, "kv.delete")


class ProfileMethods:
    """What can be done with a person's profile."""

    get = Call(Profiles.get, "profile.get")
    history = Call(Profiles.history, "profile.history")
    set = Call(Profiles.set, "profile.set")
    end = Call(Profiles.end, "profile.end")


class TimelineMethods:
    """What can be asked of time."""

    items = Call(Timelines.items, "timeline.items")
    counts = Call(Timelines.counts, "timeline.counts")
    about = Call(Timelines.about, "timeline.about")
