"""Where items were found, for several at once."""

from collections.abc import Sequence

from memu_py.records.item import Item, Source
from memu_py.records.locator import Locator
from memu_py.records.place import Place
from memu_py.records.scope import Scope
from memu_py.storage.store import Store


async def places_of(store: Store, scope: Scope, items: Sequence[Item]) -> dict[str, list[Place]]:
    """Return the places of items of a scope by id, in the order of their sources; those of resources that are gone too.

    Args:
        store: where they are.
        scope: whose.
        items: any number.
    """
    named = dict.fromkeys(source.resource_id for item in items for source in item.sources)
    resources = await store.resources.get(scope, list(named))
    texts = {
        (resource_id, one.ordinal): one.text
        for resource_id in resources
        for one in await store.segments(scope, resource_id)
    }

    def place(source: Source) -> Place:
        return Place(
            resource=resources[source.resource_id],
            locator=Locator.of(source.metadata),
            ordinal=source.ordinal,
            text=texts.get((source.resource_id, source.ordinal), ""),
        )

    return {
        item.id: [place(source) for source in item.sources if source.resource_id in resources]
        for item in items
    }
