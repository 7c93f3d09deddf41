"""Long texts in pieces that a model can take: cut before, averaged after."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memu_py.embedding.embedder import Matrix
from memu_py.local.text import valid

NEAR_END = 0.8
"""A piece is cut at the last white space in its last fifth, if there is one."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Pieces:
    """Texts cut into pieces. A text with nothing but white space has none.

    Attributes:
        texts: all pieces, in the order of the texts.
        owners: for each piece, the text that it belongs to.
        count: how many texts there were.
    """

    texts: tuple[str, ...]
    owners: tuple[int, ...]
    count: int

    def joined(self, matrix: Matrix) -> Matrix:
        """Return one vector a text: the mean of its pieces by their lengths, of length 1; zero without a piece.

        Args:
            matrix: (pieces, d), rows of length 1.

        Returns:
            (count, d).
        """
        weights = np.array([len(piece) for piece in self.texts], dtype=np.float32)
        out = np.zeros((self.count, matrix.shape[1]), dtype=np.float32)
        np.add.at(out, np.array(self.owners, dtype=np.int64), matrix * weights[:, None])
        return unit_rows(out)


def pieces_of(texts: Sequence[str], *, max_chars: int) -> Pieces:
    """Cut texts into pieces.

    Args:
        texts: any texts; what is no valid Unicode is replaced by U+FFFD.
        max_chars: length of a piece at most.
    """
    cut = [_cut(valid(text), max_chars) for text in texts]
    return Pieces(
        texts=tuple(piece for pieces in cut for piece in pieces),
        owners=tuple(owner for owner, pieces in enumerate(cut) for _ in pieces),
        count=len(texts),
    )


def unit_rows(matrix: NDArray[np.float32]) -> Matrix:
    """Return the rows scaled to length 1; rows of zeros stay. (n, d) -> (n, d)."""
    # float64, because the squares of float32 values run over beyond 1.8e19.
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
    scaled = np.divide(matrix, lengths, out=np.zeros_like(matrix, dtype=np.float64), where=lengths > 0)
    return np.ascontiguousarray(scaled, dtype=np.float32)


def _cut(text: str, max_chars: int) -> list[str]:
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = _end(text, start, max_chars)
        if not text[start:end].isspace():
            pieces.append(text[start:end])
        start = end
    return pieces


def _end(text: str, start: int, max_chars: int) -> int:
    end = start + max_chars
    if end >= len(text):
        return len(text)
    for place in range(end - 1, start + int(max_chars * NEAR_END) - 1, -1):
        if text[place].isspace():
            return place + 1
    return end
