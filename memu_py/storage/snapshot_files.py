"""Files beside a database in which indexes are kept from one process to the next."""

from pathlib import Path

from memu_py.errors import StoreError
from memu_py.records.scope import Scope

SUFFIX = ".index"
"""What the folder is called after the database file's name; and each file, after the hash of its partition."""


class SnapshotFiles:
    """One file for each partition; they hold what the database holds, and go with it.

    Args:
        database: the database file; None for one that leaves nothing behind.
    """

    def __init__(self, database: Path | None) -> None:
        self._folder = database and database.with_name(database.name + SUFFIX)

    def path(self, scope: Scope) -> Path | None:
        """Return the file of a partition."""
        return self._folder and self._folder / f"{scope.partition_hash.hex()}{SUFFIX}"

    def erase(self, scope: Scope) -> None:
        """Remove what there is of a partition, files that somebody is still writing included.

        Raises:
            StoreError: a file cannot be removed.
        """
        path = self.path(scope)
        for one in path.parent.glob(f"{path.stem}*") if path else ():
            try:
                one.unlink(missing_ok=True)
            except OSError as error:
                msg = f"the rows are gone, but the index of them in {one} cannot be removed: {error.strerror}"
                raise StoreError(msg, hint="remove the file, or clear again") from error
