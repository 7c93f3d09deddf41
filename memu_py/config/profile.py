"""`profile`: what is known of a person."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from memu_py.config.section import Section

Cardinality = Literal["one", "many"]

FACETS: Mapping[str, Cardinality] = {
    "name": "one",
    "nickname": "one",
    "age": "one",
    "birthday": "one",
    "origin": "one",
    "home": "one",
    "timezone": "one",
    "occupation": "one",
    "employer": "one",
    "family": "many",
    "pets": "many",
    "languages": "many",
    "skills": "many",
    "interests": "many",
    "likes": "many",
    "dislikes": "many",
    "diet": "many",
    "allergies": "many",
    "goals": "many",
}


class ProfileSettings(Section):
    """What is known of a person."""

    facets: dict[str, Cardinality] = Field(
        default_factory=lambda: dict(FACETS),
        description="facets by name, in order; `one` has a single value at a time, `many` has several",
    )
