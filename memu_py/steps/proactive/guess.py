"""From the likeliest topics to an intent, in words, without a model."""

from collections.abc import Mapping, Sequence

from memu_py.language.tongue import language_of
from memu_py.records.category import Category
from memu_py.records.intent import Need
from memu_py.records.item import Item
from memu_py.steps.proactive.habit import Topic

EVIDENCE = 3
"""Items that a need rests on at most."""

SENTENCES = {"en": "Likely next: {text}", "zh": "接下来可能是：{text}"}
TOPICS = {"en": "{topic}: {text}", "zh": "{topic}：{text}"}


def needs_of(
    topics: Sequence[Topic],
    categories: Mapping[str, Category],
    items: Mapping[str, Item],
    *,
    top_k: int,
) -> tuple[Need, ...]:
    """Return a need for each of the likeliest topics, in the words of its strongest item.

    Args:
        topics: the likeliest first.
        categories: by id; a topic that is none of them is a single item.
        items: by id; a topic whose items are not there is passed over.
        top_k: needs at most.
    """
    found = []
    for topic in topics:
        known = [items[item_id] for item_id in topic.item_ids if item_id in items][:EVIDENCE]
        if known and topic.confidence > 0:
            ids = tuple(item.id for item in known)
            text = _text(categories.get(topic.id), known[0])
            found.append(Need(text=text, confidence=topic.confidence, item_ids=ids))
    return tuple(found[:top_k])


def _text(category: Category | None, item: Item) -> str:
    if category is None:
        return item.text
    return _in(TOPICS, item.text).format(topic=category.name, text=item.text)


def sentence_of(needs: Sequence[Need]) -> str:
    """Return the intent in a sentence, in the language of the likeliest need; nothing for none."""
    if not needs:
        return ""
    return _in(SENTENCES, needs[0].text).format(text=needs[0].text)


def _in(templates: Mapping[str, str], text: str) -> str:
    return templates.get(language_of(text), templates["en"])
