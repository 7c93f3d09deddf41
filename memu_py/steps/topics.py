"""Categories as texts to embed."""

from memu_py.records.category import Category


def describe(category: Category) -> str:
    """Return the text by which a category is embedded: its name and what belongs in it."""
    return f"{category.name}: {category.description}" if category.description else category.name
