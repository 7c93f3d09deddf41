"""The index of some items of a partition, which weighs words as one of all of them would."""

from collections.abc import Iterable

from memu_py.index.partition import PartitionIndex


class PartialIndex(PartitionIndex):
    """A `PartitionIndex` of what a database found."""

    def know_speakers(self, names: Iterable[str]) -> None:
        """Number speakers of whom no item is here yet."""
        with self._lock.writing():
            for name in names:
                self._table.speakers.number(name)

    def assume(self, texts: int, holding: dict[str, int]) -> None:
        """Weigh words as the whole partition does.

        Args:
            texts: items of the partition.
            holding: how many of them hold each index token that will be asked for.
        """
        self._keywords.assume(texts, holding)
