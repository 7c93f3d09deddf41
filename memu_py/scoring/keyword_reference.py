"""The keyword index in plain Python: BM25 over a list of rows, with terms lent by neighbours.

BM25 is that of Robertson & Zaragoza, "The Probabilistic Relevance Framework" (2009), with the idf of Lucene, which is
never negative.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from memu_py.records.record import Record
from memu_py.scoring.reference import Ranked, best_first

MAX_COUNT = 255
"""A term counts at most so often in one row."""

NO_GROUP = -1
"""The group of rows that stand alone."""


def idf_of(texts: int, holding: int) -> float:
    """Return the weight of a term that so many of all texts hold."""
    return math.log1p((texts - holding + 0.5) / (holding + 0.5))


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class KeywordRow(Record):
    """One row.

    Attributes:
        tokens: its index tokens.
        group: the sequence it belongs to, or `NO_GROUP`.
        ordinal: its place in the sequence.
    """

    tokens: tuple[str, ...]
    group: int = NO_GROUP
    ordinal: int = 0

    def count(self, term: str) -> int:
        """Return how often it has a term."""
        return min(self.tokens.count(term), MAX_COUNT)


class ReferenceKeywordIndex:
    """A mapping from row numbers to rows, searched by reading all of them."""

    def __init__(self, *, k1: float = 0.9, b: float = 0.4) -> None:
        self.k1 = k1
        self.b = b
        self.rows: dict[int, KeywordRow] = {}
        self._census: tuple[int, Mapping[str, int]] | None = None

    def assume(self, texts: int, holding: Mapping[str, int]) -> None:
        """Weigh terms as a larger collection does, of which the rows are only a part."""
        self._census = texts, holding

    def search(
        self,
        tokens: Sequence[str],
        k: int,
        mask: Sequence[bool] | None = None,
        spread: Sequence[float] = (),
    ) -> Ranked:
        """Return the k best rows that share a term, own or lent."""
        allowed = [row for row in self.rows if mask is None or (row < len(mask) and mask[row])]
        scores = dict(zip(allowed, self.scores(tokens, allowed, spread), strict=True))
        return best_first({row: score for row, score in scores.items() if score > 0}, k)

    def scores(self, tokens: Sequence[str], rows: Sequence[int], spread: Sequence[float] = ()) -> list[float]:
        """Return BM25 divided by the most that any row could reach; 0 for an unknown row."""
        idf = {term: self._idf(term) for term in set(tokens)}
        average = self._average_length(spread)
        return [self._score(row, idf, average, spread) for row in rows]

    def group_scores(self, tokens: Sequence[str], rows: Sequence[int]) -> list[float]:
        """Return the scores of the sequences that rows belong to, each read as one text; 0 for an unknown row."""
        texts: dict[Hashable, Counter[str]] = {}
        for row, one in self.rows.items():
            texts.setdefault(self._group(row), Counter()).update(
                {term: one.count(term) for term in set(one.tokens)}
            )
        lengths = dict.fromkeys(texts, 0)
        for row, one in self.rows.items():
            lengths[self._group(row)] += len(one.tokens)
        average = sum(lengths.values()) / max(len(lengths), 1)
        idf = {
            term: self._weight(term, len(texts), sum(text[term] > 0 for text in texts.values()))
            for term in set(tokens)
        }
        scores = {}
        for group, text in texts.items():
            norm = self.k1 * (1 - self.b + self.b * lengths[group] / average) if average else 0.0
            parts = [idf[term] * text[term] / (text[term] + norm) for term in idf if text[term]]
            scores[group] = sum(parts) / sum(idf.values()) if parts else 0.0
        return [scores[self._group(row)] if row in self.rows else 0.0 for row in rows]

    def _group(self, row: int) -> Hashable:
        group = self.rows[row].group
        return ("row", row) if group == NO_GROUP else group

    def _score(self, row: int, idf: Mapping[str, float], average: float, spread: Sequence[float]) -> float:
        frequencies = {term: self._lent(row, spread, term) for term in idf} if row in self.rows else {}
        shared = {term: frequency for term, frequency in frequencies.items() if frequency > 0}
        if not shared:
            return 0.0
        norm = self.k1 * (1 - self.b + self.b * self._length(row, spread) / average)
        parts = [idf[term] * (self.k1 + 1) * f / (f + norm) for term, f in shared.items()]
        return sum(parts) / (sum(idf.values()) * (self.k1 + 1))

    def _idf(self, term: str) -> float:
        return self._weight(term, len(self.rows), sum(term in row.tokens for row in self.rows.values()))

    def _weight(self, term: str, texts: int, here: int) -> float:
        if self._census is None:
            return idf_of(texts, here)
        whole, known = self._census
        holding = max(known.get(term, 0), here)
        return idf_of(max(whole, holding), holding)

    def _lent(self, row: int, spread: Sequence[float], term: str) -> float:
        """How often a row has a term, with what its neighbours lend."""
        lent = [sum(other.count(term) for other in near) for near in self._around(row, len(spread))]
        weighted = sum(weight * count for weight, count in zip(spread, lent, strict=True))
        return self.rows[row].count(term) + weighted

    def _length(self, row: int, spread: Sequence[float]) -> float:
        lent = [sum(len(other.tokens) for other in near) for near in self._around(row, len(spread))]
        weighted = sum(weight * length for weight, length in zip(spread, lent, strict=True))
        return len(self.rows[row].tokens) + weighted

    def _average_length(self, spread: Sequence[float]) -> float:
        return sum(self._length(row, spread) for row in self.rows) / max(len(self.rows), 1)

    def _around(self, row: int, reach: int) -> list[list[KeywordRow]]:
        """The rows at the i-th present ordinal before and after, for i from 1 to the reach."""
        own = self.rows[row]
        places: dict[int, list[KeywordRow]] = {}
        for other in self.rows.values():
            if other.group == own.group != NO_GROUP:
                places.setdefault(other.ordinal, []).append(other)
        ordinals = sorted(places)
        at = ordinals.index(own.ordinal) if ordinals else 0
        return [
            [
                other
                for place in (at - distance, at + distance)
                if 0 <= place < len(ordinals)
                for other in places[ordinals[place]]
            ]
            for distance in range(1, reach + 1)
        ]
