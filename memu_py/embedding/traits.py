"""What is known of embedding models by their names: prefixes, and how their cosines lie.

A cosine means different things in different models: unrelated texts have .7 in E5 and .0 in MiniLM. The figures of
`minilm` are measured on the pairs that the bundled embedder's are (the English ones); the others are estimates from
where the cosines of these families usually lie, and can be overridden by `embedding.calibration`.
"""

import dataclasses
import hashlib
import re

from memu_py.config.embedding import EmbeddingSettings
from memu_py.embedding.embedder import Calibration, TextKind


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Traits:
    """How a model wants to be used.

    Attributes:
        calibration: how its cosines are read.
        query_prefix: put before questions.
        passage_prefix: put before what is searched.
    """

    calibration: Calibration
    query_prefix: str = ""
    passage_prefix: str = ""

    def prefixed(self, text: str, kind: TextKind) -> str:
        """Return a text as the model wants it."""
        return (self.query_prefix if kind == "query" else self.passage_prefix) + text

    @property
    def tag(self) -> str:
        """A short text for the embedder's id: other prefixes make other vectors. Empty without any."""
        if not self.query_prefix and not self.passage_prefix:
            return ""
        both = f"{self.query_prefix}\0{self.passage_prefix}"
        return "+" + hashlib.blake2b(both.encode(), digest_size=4).hexdigest()


_BGE_QUERY = "Represent this sentence for searching relevant passages: "

_KNOWN: tuple[tuple[str, Traits], ...] = (
    (
        r"\be5\b",
        Traits(
            calibration=Calibration(low=0.72, high=0.93, same=0.93, topic=0.79),
            query_prefix="query: ",
            passage_prefix="passage: ",
        ),
    ),
    (
        r"nomic-embed-text",
        Traits(
            calibration=Calibration(low=0.4, high=0.88, same=0.86, topic=0.52),
            query_prefix="search_query: ",
            passage_prefix="search_document: ",
        ),
    ),
    (
        r"\bbge-\w+-en\b|\bmxbai-embed\b",
        Traits(calibration=Calibration(low=0.4, high=0.88, same=0.86, topic=0.52), query_prefix=_BGE_QUERY),
    ),
    (r"\bbge-", Traits(calibration=Calibration(low=0.35, high=0.88, same=0.86, topic=0.48))),
    (r"text-embedding-ada-002", Traits(calibration=Calibration(low=0.71, high=0.93, same=0.92, topic=0.77))),
    (r"text-embedding-3-", Traits(calibration=Calibration(low=0.1, high=0.8, same=0.78, topic=0.24))),
    (r"minilm|\bmpnet", Traits(calibration=Calibration(low=0.06, high=0.85, same=0.78, topic=0.2))),
)
_OTHERS = Traits(calibration=Calibration(low=0.15, high=0.85, same=0.82, topic=0.3))


def traits_of(model: str, settings: EmbeddingSettings) -> Traits:
    """Return what is known of a model, with what the configuration says instead.

    Args:
        model: its name, in any spelling.
        settings: prefixes and calibration that are set win.
    """
    name = model.lower().replace("_", "-")
    known = next((traits for pattern, traits in _KNOWN if re.search(pattern, name)), _OTHERS)
    prefixes = {"query_prefix": settings.query_prefix, "passage_prefix": settings.passage_prefix}
    changed = {name: prefix for name, prefix in prefixes.items() if prefix is not None}
    return dataclasses.replace(known, calibration=calibrated(known.calibration, settings), **changed)


def calibrated(calibration: Calibration, settings: EmbeddingSettings) -> Calibration:
    """Return a calibration with the figures that the configuration says instead.

    Args:
        calibration: the embedder's own.
        settings: the configuration.
    """
    changed = settings.calibration.model_dump(exclude_none=True)
    return dataclasses.replace(calibration, **changed)
