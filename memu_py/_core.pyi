"""Typed border of the Rust extension: arrays in, arrays out, the GIL released while it works.

Shapes: n rows, d dimensions, k results. Row numbers are `uint32` positions in the arrays given. Results are best first;
equal scores order by row number. Arrays must be C-contiguous; a wrong shape, a NaN weight or a negative k is a ValueError.
"""

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
Mask = NDArray[np.bool_]

__version__: str

TOKENIZER_ID: str
"""Changes whenever the same text would give other tokens."""

# Vectors

def normalize(matrix: F32) -> F32:
    """Rows scaled to length 1; a row of zeros, or with a value that is not finite, becomes zeros. (n, d) -> (n, d)."""

def cosine_top_k(matrix: F32, query: F32, k: int, mask: Mask | None = None) -> tuple[U32, F32]:
    """The k rows with the largest dot product, exactly. Rows and query are of length 1.

    Args:
        matrix: (n, d).
        query: (d,).
        k: how many; fewer come back when fewer rows are allowed.
        mask: (n,), true for rows that may be returned.
    """

def cosine_scores(matrix: F32, rows: U32, query: F32) -> F32:
    """Dot products of some rows with the query. (m,) in the order of `rows`."""

# Scoring: score = relevance x product over factors f of (1 - w_f + w_f * f), each f in [0, 1]

def decay(ages_days: F64, arousal: F32, half_life_days: float) -> F32:
    """exp(-ln2 * age / (half_life * (1 + 0.5 * arousal))); a negative age counts as 0. (n,)"""

def rank_top_k(
    relevance: F32,
    ages_days: F64,
    importance: F32,
    arousal: F32,
    mentions: U32,
    accesses: U32,
    *,
    weights: tuple[float, float, float, float],
    half_life_days: float,
    mentions_cap: int,
    k: int,
    mask: Mask | None = None,
) -> tuple[U32, F32, F32]:
    """Score rows by a profile and return the best k, in one pass.

    The factors, each in [0, 1]: recency (`decay`), importance ((i - 1) / 9, 0.5 where NaN), reinforcement
    (ln(1 + mentions) / ln(1 + mentions_cap), at most 1), access (the same over accesses + 1).

    Args:
        relevance: (n,), in [0, 1].
        ages_days: (n,).
        importance: (n,), 1 to 10 or NaN.
        arousal: (n,), 0 to 1.
        mentions: (n,), at least 1.
        accesses: (n,).
        weights: of recency, importance, reinforcement and access, each in [0, 1].
        half_life_days: above 0.
        mentions_cap: count at which reinforcement is full, at least 1.
        k: how many.
        mask: (n,), true for rows that may be returned.

    Returns:
        Rows (m,), scores (m,), and factors (m, 4) in the order of `weights`.
    """

def cosine_rank_top_k(
    matrix: F32,
    query: F32,
    ages_days: F64,
    importance: F32,
    arousal: F32,
    mentions: U32,
    accesses: U32,
    *,
    calibration: tuple[float, float],
    weights: tuple[float, float, float, float],
    half_life_days: float,
    mentions_cap: int,
    k: int,
    mask: Mask | None = None,
) -> tuple[U32, F32, F32]:
    """`rank_top_k` with relevance = clip((cosine - low) / (high - low), 0, 1), fused into the same pass.

    Args:
        matrix: (n, d).
        query: (d,).
        ages_days: (n,).
        importance: (n,).
        arousal: (n,).
        mentions: (n,).
        accesses: (n,).
        calibration: low and high.
        weights: as in `rank_top_k`.
        half_life_days: as in `rank_top_k`.
        mentions_cap: as in `rank_top_k`.
        k: how many.
        mask: (n,).

    Returns:
        Rows (m,), scores (m,), cosines (m,).
    """

# Fusion

def fuse_rrf(rankings: Sequence[U32], weights: Sequence[float], constant: float) -> tuple[U32, F64]:
    """Reciprocal rank fusion: sum of w / (constant + rank), rank from 1 (Cormack et al., SIGIR 2009).

    Returns:
        All ids that occur, best first, with their sums.
    """

def fuse_weighted(rows: Sequence[U32], scores: Sequence[F32], weights: Sequence[float]) -> tuple[U32, F64]:
    """Weighted mean of scores, a row absent from a source counting 0 there: sum(w * s) / sum(w).

    Returns:
        All rows that occur, best first, with their means.
    """

# Text

def tokenize(texts: Sequence[str]) -> list[list[str]]:
    """Index tokens of each text, in order, repeats kept.

    NFKC and case folding; Unicode words, Snowball-stemmed for English; Chinese by jieba (search mode) ; kana and hangul
    as bigrams; identifiers such as `gpt-4`, `C++`, `node.js`, `ABC-123`, `a.b@c.org`, `v2.1.0`, `E0308` whole and also in parts.
    """

def content_words(texts: Sequence[str]) -> list[list[str]]:
    """`tokenize` without stop words and question words (English, Chinese)."""

def normalize_text(text: str) -> str:
    """NFKC, case folded, runs of white space as one space, trimmed, closing sentence punctuation dropped."""

def content_hash(text: str) -> str:
    """BLAKE3 of `normalize_text(text)`, hex."""

def bytes_hash(data: bytes) -> str:
    """BLAKE3 of the bytes, hex."""

# Keyword index

@final
class KeywordIndex:
    """An inverted index of one partition: BM25 with the index's own statistics; rows can come and go.

    Rows are numbers chosen by the caller. Neighbouring rows (the turns before and after) lend their terms at query time:
    the term frequency that BM25 sees is the row's own plus `spread[i - 1]` times that of the i-th neighbour on each side.
    """

    def __new__(cls, *, k1: float = 0.9, b: float = 0.4) -> KeywordIndex: ...
    def add(
        self,
        rows: U32,
        tokens: Sequence[Sequence[str]],
        groups: I64,
        ordinals: I64,
    ) -> None:
        """Add or replace rows.

        Args:
            rows: (m,), the row numbers.
            tokens: index tokens of each.
            groups: (m,), the sequence (resource) each belongs to; -1 for none.
            ordinals: (m,), its place in the sequence; neighbours are the nearest present ordinals.
        """

    def remove(self, rows: U32) -> None:
        """Remove rows; unknown ones are ignored."""

    def search(
        self,
        tokens: Sequence[str],
        k: int,
        mask: Mask | None = None,
        spread: Sequence[float] = ...,
    ) -> tuple[U32, F32]:
        """The k best rows by BM25 divided by the sum of the query terms' idf, which puts it on a fixed scale.

        Args:
            tokens: index tokens of the question; repeats and unknown ones count in the sum once.
            k: how many.
            mask: indexed by row number; rows beyond its end may not be returned.
            spread: weights of the neighbours at distance 1, 2 …; empty for none.

        Returns:
            Rows and scores, best first; only rows that share a term (own or lent).
        """

    def scores(self, tokens: Sequence[str], rows: U32, spread: Sequence[float] = ...) -> F32:
        """The same scores for given rows; 0 where nothing is shared."""

    def nbytes(self) -> int:
        """Bytes held, about."""

    def __len__(self) -> int: ...
