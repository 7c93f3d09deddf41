"""Typed border of the Rust extension: arrays in, arrays out, the GIL released while it works.

Shapes: n rows, d dimensions, k results. Row numbers are `uint32` positions in the arrays given. Results are best
first; equal scores order by row number. Arrays must be C-contiguous; a wrong shape, a NaN weight or a negative k is a
ValueError, an array of another dtype a TypeError.

A row whose score is not a number is never returned. Arrays must not be written to while a function reads them.
Large inputs are shared among `RAYON_NUM_THREADS` threads (all cores by default); a forked child works on one thread.
"""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

_F32 = NDArray[np.float32]
_F64 = NDArray[np.float64]
_I8 = NDArray[np.int8]
_I32 = NDArray[np.int32]
_I64 = NDArray[np.int64]
_U32 = NDArray[np.uint32]
_Mask = NDArray[np.bool_]

__all__ = [
    "TOKENIZER_ID",
    "KeywordIndex",
    "RowIds",
    "__version__",
    "activation",
    "bytes_hash",
    "content_hash",
    "content_words",
    "cosine_rank_top_k",
    "cosine_scores",
    "cosine_top_k",
    "decay",
    "fuse_rrf",
    "fuse_weighted",
    "joined_top_k",
    "normalize",
    "normalize_text",
    "quantize",
    "rank_top_k",
    "tokenize",
]

__version__: str

TOKENIZER_ID: str
"""Changes whenever the same text would give other tokens."""

# Vectors

def normalize(matrix: _F32) -> _F32:
    """Rows scaled to length 1; a row of zeros, or with a value that is not finite, becomes zeros. (n, d) -> (n, d)."""

def quantize(matrix: _F32) -> tuple[_I8, _F32, _F32]:
    """Vectors as one signed byte a component, symmetric, with a scale for each.

    Returns:
        Codes (n, d), what a byte of each row is worth (n,), and the length of what its bytes leave out (n,).
    """

def joined_top_k(
    matrix: _F32,
    codes: _I8,
    scales: _F32,
    errors: _F32,
    query: _F32,
    k: int,
    mask: _Mask,
    norms: _F32,
    weights: Sequence[float] = ...,
    sides: Sequence[_I32] = ...,
) -> tuple[_U32, _F32]:
    """The k rows with the largest similarity of a row joined with its neighbours, exactly.

    That of row i is `(s_i + sum over distances of w * (s_before + s_after)) / norm_i`, s being the products of the
    rows with the query. A first pass over the codes finds all rows that may be among the best, a second one scores
    these in full.

    Args:
        matrix: (n, d), rows of length 1 at most.
        codes: (n, d), as `quantize` gives them.
        scales: (n,), likewise.
        errors: (n,), likewise.
        query: (d,), finite.
        k: how many.
        mask: (n,), true for rows that may be returned.
        norms: (n,), lengths of the joined vectors; 1 for a row alone.
        weights: of the neighbours at distance 1, 2 …; none compares the rows alone.
        sides: two arrays (n,) for each weight, rows before and after each row; negative, or n and above, for none.
    """

def cosine_top_k(matrix: _F32, query: _F32, k: int, mask: _Mask | None = None) -> tuple[_U32, _F32]:
    """The k rows with the largest dot product, exactly. Rows and query are of length 1.

    Args:
        matrix: (n, d).
        query: (d,), finite.
        k: how many; fewer come back when fewer rows are allowed.
        mask: (n,), true for rows that may be returned.
    """

def cosine_scores(matrix: _F32, rows: _U32, query: _F32) -> _F32:
    """Dot products of some rows with the query. (m,) in the order of `rows`; one outside the matrix is a ValueError."""

# Scoring: score = relevance x product over factors f of (1 - w_f + w_f * f), each f in [0, 1]

def decay(ages_days: _F64, arousal: _F32, half_life_days: float) -> _F32:
    """exp(-ln2 * age / (half_life * (1 + 0.5 * arousal))), shape (n,); a negative age counts as 0.

    An age of NaN is unknown and gives 0.5; arousal is cut to [0, 1], NaN counts as 0.
    """

def activation(ages_days: _F64, counts: _U32, first_days: _F64, *, decay: float) -> _F32:
    """Base-level activation, ln of the sum of age ** -decay over all presentations, shape (n,); ACT-R's equation.

    Those older than the known ones are taken as spread evenly back to the first (Petrov, ICCM 2006). An age counts as a
    minute at least. Nothing presented is minus infinity.

    Args:
        ages_days: (n, k), ages of the newest presentations, newest first; the first NaN of a row ends it.
        counts: (n,), presentations in all; known ones beyond it are not looked at.
        first_days: (n,), the age of the first.
        decay: between 0 and 1, neither included.
    """

def rank_top_k(
    relevance: _F32,
    ages_days: _F64,
    importance: _F32,
    arousal: _F32,
    mentions: _U32,
    accesses: _U32,
    *,
    weights: tuple[float, float, float, float],
    half_life_days: float,
    mentions_cap: int,
    k: int,
    mask: _Mask | None = None,
) -> tuple[_U32, _F32, _F32]:
    """Score rows by a profile and return the best k, in one pass.

    The factors, each in [0, 1]: recency (`decay`), importance ((i - 1) / 9, 0.5 where NaN), reinforcement
    (ln(1 + mentions) / ln(1 + mentions_cap), at most 1), access (the same over accesses).

    Args:
        relevance: (n,), in [0, 1]; values outside are cut.
        ages_days: (n,).
        importance: (n,), 1 to 10 or NaN.
        arousal: (n,), 0 to 1.
        mentions: (n,), at least 1.
        accesses: (n,).
        weights: of recency, importance, reinforcement and access, each in [0, 1].
        half_life_days: finite and above 0.
        mentions_cap: count at which reinforcement is full, at least 1.
        k: how many.
        mask: (n,), true for rows that may be returned.

    Returns:
        Rows (m,), scores (m,), and factors (m, 4) in the order of `weights`.
    """

def cosine_rank_top_k(
    matrix: _F32,
    query: _F32,
    ages_days: _F64,
    importance: _F32,
    arousal: _F32,
    mentions: _U32,
    accesses: _U32,
    *,
    calibration: tuple[float, float],
    weights: tuple[float, float, float, float],
    half_life_days: float,
    mentions_cap: int,
    k: int,
    mask: _Mask | None = None,
    quantized: tuple[_I8, _F32, _F32] | None = None,
) -> tuple[_U32, _F32, _F32]:
    """`rank_top_k` with relevance = clip((cosine - low) / (high - low), 0, 1), fused into the same pass.

    Args:
        matrix: (n, d).
        query: (d,).
        ages_days: (n,).
        importance: (n,).
        arousal: (n,).
        mentions: (n,).
        accesses: (n,).
        calibration: low and high, low below high.
        weights: as in `rank_top_k`.
        half_life_days: as in `rank_top_k`.
        mentions_cap: as in `rank_top_k`.
        k: how many.
        mask: (n,).
        quantized: the matrix as `quantize` gives it; the answer is the same, and most rows are read as bytes only.

    Returns:
        Rows (m,), scores (m,), cosines (m,).
    """

# Fusion

def fuse_rrf(rankings: Sequence[_U32], weights: Sequence[float], constant: float) -> tuple[_U32, _F64]:
    """Reciprocal rank fusion: sum of w / (constant + rank), rank from 1 (Cormack et al., SIGIR 2009).

    Weights and constant are finite and at least 0; an id that a ranking repeats counts by its better rank.

    Returns:
        All ids that occur, best first, with their sums.
    """

def fuse_weighted(
    rows: Sequence[_U32], scores: Sequence[_F32], weights: Sequence[float]
) -> tuple[_U32, _F64]:
    """Weighted mean of scores, a row absent from a source counting 0 there: sum(w * s) / sum(w).

    Weights are finite and at least 0, not all 0; scores are finite; a row that a source repeats counts by its better
    score.

    Returns:
        All rows that occur, best first, with their means.
    """

# Text; a lone surrogate, which UTF-8 cannot hold, is read as U+FFFD

def tokenize(texts: Sequence[str]) -> list[list[str]]:
    """Index tokens of each text, in order, repeats kept, of at most 64 characters each.

    NFKC and case folding, Latin letters without accents; Unicode words, Snowball-stemmed where they are of ASCII
    letters; Chinese by jieba (search mode: words and the words inside them, what its dictionary does not know also
    by character; as bigrams where hiragana is about); kana, hangul, Thai, Lao, Khmer and Myanmar as bigrams;
    identifiers such as `gpt-4`, `node.js`, `ABC-123`, `a.b@c.org`, `v2.1.0`, `std::vec`, `.net` whole and also in
    parts; `C++`, `C#`, `E0308` whole; web addresses without their scheme; `1,000` as `1000` and `U.S.A.` as `usa`.
    """

def content_words(texts: Sequence[str]) -> list[list[str]]:
    """`tokenize` without stop words and question words (English, Chinese), or all of it where nothing else is there.

    The user (`user`, 用户) is a stop word: every question is about them. Negations are not. Pronouns, prepositions and
    auxiliaries are stop words, so equal content words do not make equal statements.
    """

def normalize_text(text: str) -> str:
    """NFKC, case folded, runs of white space as one space, trimmed, closing marks of a statement dropped.

    A question mark stays, since it changes what is said; a text of closing marks alone keeps them. Idempotent.
    """

def content_hash(text: str) -> str:
    """BLAKE3 of `normalize_text(text)`, hex."""

def bytes_hash(data: bytes | NDArray[np.uint8]) -> str:
    """BLAKE3 of bytes, or of a one-dimensional array of them, hex."""

# Tables

@final
class RowIds:
    """The id of each row of a table, and the row of each id. A row without an id is free.

    The caller does the locking.
    """

    def __new__(cls) -> RowIds:
        """Make a table without rows."""

    @staticmethod
    def of_image(names: NDArray[np.uint8], ends: NDArray[np.uint64]) -> RowIds:
        """Make the table that had this image; ValueError for what cannot be one."""

    def image(self) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        """Return all ids in order of their rows, one after the other as UTF-8, and where each ends."""

    def rows(self, ids: Sequence[str]) -> _I64:
        """Return the row of each id, -1 where there is none."""

    def names(self, rows: _U32) -> list[str]:
        """Return the ids of rows; empty for a free one. ValueError for a row that is not there."""

    def put(self, rows: _U32, ids: Sequence[str]) -> None:
        """Give free rows, and those after the last, to ids that have none; ValueError where that is not so."""

    def free(self, ids: Sequence[str]) -> _U32:
        """Free the rows of ids, and return them; unknown ids are passed over."""

    def nbytes(self) -> int:
        """Bytes held, about."""

    def __len__(self) -> int:
        """Number of rows, free ones included."""

# Keyword index

@final
class KeywordIndex:
    """An inverted index of one partition: BM25 with the index's own statistics; rows can come and go.

    Rows are numbers chosen by the caller. Neighbouring rows (the turns before and after) lend their terms at query
    time: the term frequency that BM25 sees is the row's own plus `spread[i - 1]` times that of the i-th neighbour on
    each side, and its length likewise. Rows that share an ordinal are one neighbour together, and none of each other.

    Safe to use from several threads. A term counts at most 255 times in a row; an index holds at most 2**24 rows.
    """

    def __new__(cls, *, k1: float = 0.9, b: float = 0.4) -> KeywordIndex:
        """Make an empty index.

        Args:
            k1: how slowly repeats of a term level off, at least 0.
            b: how much the length of a row counts, 0 to 1.
        """

    def add(
        self,
        rows: _U32,
        tokens: Sequence[str],
        groups: _I64,
        ordinals: _I64,
    ) -> None:
        """Add or replace rows; of one that is named twice the last counts. A refused argument changes nothing.

        Args:
            rows: (m,), the row numbers.
            tokens: index tokens of each, one a line.
            groups: (m,), the sequence (resource) each belongs to; -1 for none.
            ordinals: (m,), its place in the sequence; neighbours are the nearest present ordinals.
        """

    @staticmethod
    def of_image(image: dict[str, NDArray[Any]], *, k1: float = 0.9, b: float = 0.4) -> KeywordIndex:
        """Make the index that had this image; ValueError where its parts do not fit one another.

        Args:
            image: what `image` gave.
            k1: as in the constructor.
            b: as in the constructor.
        """

    def image(self) -> dict[str, NDArray[Any]]:
        """Return the rows as one-dimensional arrays by name, to be kept in a file; removed rows are not in it."""

    def remove(self, rows: _U32) -> None:
        """Remove rows; unknown ones are ignored."""

    def assume(self, texts: int, holding: dict[str, int]) -> None:
        """Weigh terms as a larger collection does, of which the index holds only a part.

        Args:
            texts: how many texts the collection has.
            holding: how many of them hold each term; 0 for a term that is not named.
        """

    def search(
        self,
        tokens: Sequence[str],
        k: int,
        mask: _Mask | None = None,
        spread: Sequence[float] = ...,
    ) -> tuple[_U32, _F32]:
        """The k best rows by BM25 divided by the sum of the query terms' idf, which puts it on a fixed scale.

        Args:
            tokens: index tokens of the question; each counts once in the sum, unknown ones too.
            k: how many.
            mask: indexed by row number; rows beyond its end may not be returned.
            spread: weights of the neighbours at distance 1, 2 …; empty for none.

        Returns:
            Rows and scores in [0, 1], best first; only rows that share a term (own or lent).
        """

    def scores(self, tokens: Sequence[str], rows: _U32, spread: Sequence[float] = ...) -> _F32:
        """The same scores for given rows; 0 where nothing is shared."""

    def group_scores(self, tokens: Sequence[str], rows: _U32) -> _F32:
        """BM25 of the whole sequence that each row belongs to, read as one text, on the same scale.

        Args:
            tokens: index tokens of the question.
            rows: (m,); a row without a group is a sequence of its own.

        Returns:
            (m,) scores in [0, 1]; 0 for an unknown row, and where the sequence shares no term.
        """

    def nbytes(self) -> int:
        """Bytes held, about."""

    def __len__(self) -> int: ...
