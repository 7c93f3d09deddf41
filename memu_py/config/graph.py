"""`graph`: relations between names."""

from typing import Literal

from pydantic import Field

from memu_py.config.section import Section
from memu_py.records.predicate import Predicate, Predicates


class PredicateSettings(Section):
    """A predicate of your own, or another form of a built-in one."""

    holds: Literal["one", "many"] = Field(
        default="many", description="objects at a time; with `one` the next one ends the last"
    )
    synonyms: tuple[str, ...] = Field(default=(), description="other names that are stored as this one")
    inverse: tuple[str, ...] = Field(
        default=(), description="names of it seen from the object, such as `employs` of `works_at`"
    )
    words: tuple[str, ...] = Field(default=(), description="words of a question that ask for it")


class GraphSettings(Section):
    """Relations."""

    rules: bool = Field(default=True, description="find relations by rule in what is stored without a model")
    predicates: dict[str, PredicateSettings] = Field(
        default_factory=dict, description="predicates by name, beside the built-in ones or in their place"
    )

    def known(self) -> Predicates:
        """Return all predicates."""
        return Predicates(
            Predicate(
                name=name,
                single=one.holds == "one",
                synonyms=one.synonyms,
                inverse=one.inverse,
                words=one.words,
            )
            for name, one in self.predicates.items()
        )
