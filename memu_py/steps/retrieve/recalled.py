"""What every recall step gives: candidates, and the names of the sources that were asked."""

from typing import NamedTuple

from memu_py.records.candidate import Candidate
from memu_py.records.request import RetrieveRequest


class Recalled(NamedTuple):
    """The output of a recall.

    Attributes:
        candidates: what it proposes.
        sources: its name when it was asked, also when it found nothing; so that a score does not depend on whether
            another row matched.
    """

    candidates: list[Candidate]
    sources: list[str]


def wanted(source: str, request: RetrieveRequest) -> bool:
    """Tell whether a request asks for this recall."""
    return request.recall is None or source in request.recall


def depth(k: int, request: RetrieveRequest) -> int:
    """Return how many candidates a recall proposes: as configured, or twice as many as are wanted at last."""
    return max(k, 2 * request.top_k)
