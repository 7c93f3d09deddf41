"""The names that a partition's items carry: found in a question, and the items that carry them."""

import dataclasses
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from memu_py import _core
from memu_py.index.signals import Scores
from memu_py.records.batch import Vector
from memu_py.records.entity import entity_key

LONGEST = 12
"""Characters of the longest Chinese name that is looked for in a question."""

MOST_ITEMS = 1000
"""Of a name that more items carry, only the newest are proposed; such a name tells little."""

ANCHOR = "name"
"""A content word. Beside it, stop words are told from others; without any other word they pass for content."""

NAME_BYTES = 700
"""What one name costs beside its vector and its items, about."""

LINK_BYTES = 120
"""What one item of a name costs, about."""

_HAN_RUN = re.compile(r"[\w·]*[\u3400-\u9fff][\w·]*")
_HAN = re.compile(r"[\u3400-\u9fff]")

Link = tuple[str, str]
Span = tuple[int, int, str]


@dataclasses.dataclass(slots=True, eq=False)
class _Name:
    """One name.

    Attributes:
        tokens: its index tokens in order.
        common: it has stop words only, such as Will.
        items: the items that carry it, as keys, in the order in which they came.
        vector: (d,); empty where the store has none, None until it is learned.
    """

    tokens: tuple[str, ...]
    common: bool
    items: dict[str, None] = dataclasses.field(default_factory=dict)
    vector: Vector | None = None


class Entities:
    """Names by key, with the items that carry them. A name that no item carries any more is forgotten.

    It is read and written on the event loop only, so that it needs no lock.
    """

    def __init__(self, links: Iterable[Link] = ()) -> None:
        """Make one from pairs of an item and a name's key."""
        self._names: dict[str, _Name] = {}
        self._starts: defaultdict[str, list[str]] = defaultdict(list)
        self._of: dict[str, tuple[str, ...]] = {}
        self._matrix: tuple[list[str], Scores] | None = None
        self._links = 0
        self._unlearned: set[str] = set()
        self.update((), links)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def nbytes(self) -> int:
        """Bytes held, about."""
        dimension = next((one.vector.nbytes for one in self._names.values() if one.vector is not None), 0)
        return (NAME_BYTES + dimension) * len(self._names) + LINK_BYTES * self._links

    # Writing

    def update(self, changed: Iterable[str], links: Iterable[Link]) -> None:
        """Forget what items carry, and write what they carry now.

        Args:
            changed: the items, also those that are gone.
            links: pairs of an item and a name's key.
        """
        carried: defaultdict[str, list[str]] = defaultdict(list)
        for item_id, key in links:
            carried[item_id].append(key)
        for item_id in {*changed, *carried}:
            self._remove(item_id)
        self._add_names({key for keys in carried.values() for key in keys} - self._names.keys())
        for item_id, keys in carried.items():
            self._of[item_id] = tuple(keys)
            self._links += len(keys)
            for key in keys:
                self._names[key].items[item_id] = None

    def _add_names(self, fresh: Collection[str]) -> None:
        (anchor,) = _core.tokenize([ANCHOR])
        content = _core.content_words([f"{key} {ANCHOR}" for key in fresh])
        for key, tokens, words in zip(fresh, _core.tokenize(list(fresh)), content, strict=True):
            self._names[key] = _Name(tuple(tokens), words == anchor)
            self._unlearned.add(key)
            self._starts[tokens[0] if tokens else ""].append(key)

    def _remove(self, item_id: str) -> None:
        keys = self._of.pop(item_id, ())
        self._links -= len(keys)
        for key in keys:
            name = self._names[key]
            del name.items[item_id]
            if not name.items:
                self._forget(key)

    def _forget(self, key: str) -> None:
        tokens = self._names.pop(key).tokens
        self._unlearned.discard(key)
        start = tokens[0] if tokens else ""
        self._starts[start].remove(key)
        if not self._starts[start]:
            del self._starts[start]
        self._matrix = None

    def unlearned(self) -> list[str]:
        """Return the keys of the names whose vectors are not here yet."""
        return list(self._unlearned)

    def learn(self, vectors: Mapping[str, Vector | None]) -> None:
        """Take over vectors of names by key, (d,) each; None where the store has none. Unknown keys are passed over."""
        nothing = np.zeros(0, dtype=np.float32)
        for key, vector in vectors.items():
            if key in self._names:
                self._names[key].vector = nothing if vector is None else vector
                self._unlearned.discard(key)
                self._matrix = None

    # Finding names

    def named(self, text: str, names: Iterable[str] = ()) -> list[str]:
        """Return the keys of the names that a question says; of two that overlap the longer one.

        A name is said when its index tokens follow one another in the question, unless all of them are stop words (Will
        is not in "what will"); or, when it is written in Chinese, its characters do; or when it is one of `names`.

        Args:
            text: the question.
            names: what is known to be a name in it, as written.
        """
        (tokens,) = _core.tokenize([text])
        words = _longest(self._spans(tokens))
        characters = _longest(span for span in _chinese_spans(entity_key(text)) if span[2] in self._names)
        said = (key for key in map(entity_key, names) if key in self._names)
        return list(dict.fromkeys([*words, *characters, *said]))

    def _spans(self, tokens: Sequence[str]) -> Iterator[Span]:
        for start, token in enumerate(tokens):
            for key in self._starts.get(token, ()):
                name = self._names[key]
                end = start + len(name.tokens)
                if tuple(tokens[start:end]) == name.tokens and not name.common:
                    yield start, end, key

    def near(self, vector: Vector, threshold: float, most: int) -> dict[str, float]:
        """Return the keys of the names that are nearest in meaning, with their cosines, best first.

        Args:
            vector: (d,), of length 1.
            threshold: the least cosine.
            most: how many.
        """
        keys, matrix = self._vectors()
        if matrix.shape[1] != vector.size:
            return {}
        # Not by BLAS, whose threads wait for one another by spinning.
        rows, cosines = _core.cosine_top_k(matrix, vector, most)
        best = zip(rows.tolist(), cosines.tolist(), strict=True)
        return {keys[row]: cosine for row, cosine in best if cosine >= threshold}

    def _vectors(self) -> tuple[list[str], Scores]:
        if self._matrix is None:
            known = {
                key: one.vector
                for key, one in self._names.items()
                if one.vector is not None and one.vector.size
            }
            matrix = np.stack(list(known.values())) if known else np.zeros((0, 0), dtype=np.float32)
            # The names look into the matrix, so that each vector is held once.
            for key, row in zip(known, matrix, strict=True):
                self._names[key].vector = row
            self._matrix = list(known), matrix
        return self._matrix

    # Finding items

    def count(self, key: str) -> int:
        """Return how many items carry a name."""
        name = self._names.get(key)
        return len(name.items) if name else 0

    def scores(self, ids: Collection[str], weights: Mapping[str, float]) -> Scores:
        """Return what names say for items, (n,) in [0, 1]: `1 - product of (1 - weight)` over those an item carries.

        Args:
            ids: the items.
            weights: of names, by key, in [0, 1].
        """
        left = np.ones(len(ids), dtype=np.float32)
        for items, weight in self._carried(weights):
            carries = np.fromiter((item_id in items for item_id in ids), dtype=np.bool_, count=len(ids))
            left[carries] *= 1 - weight
        return 1 - left

    def carriers(self, weights: Mapping[str, float]) -> list[tuple[str, float]]:
        """Return the items that carry any of the names, with their scores, best first, of equal ones the newest first.

        Of a name only the newest `MOST_ITEMS` are looked at; it adds nothing to the score of others.

        Args:
            weights: as in `scores`.
        """
        left: dict[str, float] = {}
        for items, weight in self._carried(weights):
            for item_id in islice(reversed(items), MOST_ITEMS):
                left[item_id] = left.get(item_id, 1.0) * (1 - weight)
        # Ids sort by the time of creation.
        ordered = sorted(((1 - rest, item_id) for item_id, rest in left.items()), reverse=True)
        return [(item_id, score) for score, item_id in ordered]

    def _carried(self, weights: Mapping[str, float]) -> list[tuple[dict[str, None], float]]:
        """Return the items of each of the names that are known, with its weight."""
        return [(self._names[key].items, weight) for key, weight in weights.items() if key in self._names]


def _longest(spans: Iterable[Span]) -> list[str]:
    """Return the keys of the longest spans that do not overlap; of several at the same place, all."""
    taken: set[tuple[int, int]] = set()
    kept: list[str] = []
    for start, end, key in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if (start, end) in taken or all(end <= left or right <= start for left, right in taken):
            taken.add((start, end))
            kept.append(key)
    return kept


def chinese_parts(text: str) -> list[str]:
    """Return what may be a name written in Chinese in a question, given as `entity_key` gives it; no part twice."""
    return list(dict.fromkeys(key for _, _, key in _chinese_spans(text)))


def _chinese_spans(text: str) -> Iterator[Span]:
    # Where a dictionary would cut a sentence depends on what stands around a name, so words are no help.
    for run in _HAN_RUN.finditer(text):
        for start in range(run.start(), run.end()):
            for end in range(start + 2, min(start + LONGEST, run.end()) + 1):
                if _HAN.search(text[start:end]):
                    yield start, end, text[start:end]
