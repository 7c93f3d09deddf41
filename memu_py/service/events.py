"""What happens outside, and whom it concerns."""

import asyncio
from collections.abc import Sequence

from memu_py.errors import InvalidInput
from memu_py.records.concern import Concern
from memu_py.records.hit import Hit
from memu_py.records.scope import Scope, ScopeId
from memu_py.service.arguments import checks_arguments
from memu_py.service.base import ServiceBase
from memu_py.service.retrieve import MAX_TOP_K, score, whole
from memu_py.steps.proactive.event import Concerned, Event, Scored, least_score, texts_of

PAGE = 4000
"""Items that are read at once."""
SCOPES = 200
"""Users that are named in one question to the store."""
LIMIT = 1000


@checks_arguments
class EventsMixin(ServiceBase):
    """Match outside events with the memories of users."""

    async def match_event(
        self,
        event: Event,
        *,
        users: Sequence[ScopeId] | None = None,
        top_k: int = 3,
        limit: int = 100,
        min_score: float | None = None,
    ) -> list[Concern]:
        """Find whose memories an outside event concerns, such as a product update or a holiday.

        Called on the service itself it looks at **all users of the store**: it is a call for an operator, and no
        `scope.default` narrows it. On a view of `for_user` or `for_scope` it looks at what that view may see, and at
        nothing else. Memories that an agent or a session owns without a user are left out, but for the view that is
        bound to them. All live items are compared in one pass, and no index of anybody is loaded.

        Args:
            event: a text, or a mapping whose texts all count, such as `{"title": …, "text": …}`.
            users: only these; a view takes none but its own.
            top_k: items of a user at most.
            limit: users at most.
            min_score: relevance in [0, 1] from which an item counts; by default a third of the way from
                what is unrelated to what says the same, as the embedder is calibrated, and at least where a text may
                belong to a topic.

        Returns:
            The users whom it concerns, best first, each with items of their own only.

        Raises:
            InvalidInput: the event says nothing, or a number is out of range.
            InvalidScope: a view is asked for somebody else.
        """
        texts = texts_of(event)
        least = score(min_score)
        wanted = whole("top_k", top_k, MAX_TOP_K), whole("limit", limit, LIMIT)
        scopes = self._concerned_scopes(users)
        runtime = self._runtime
        await runtime.open()
        vectors = await runtime.embedder.embed(texts, kind="query")
        calibration = runtime.embedder.calibration
        found = Concerned(
            vectors,
            calibration,
            least=least_score(calibration) if least is None else least,
            top_k=wanted[0],
        )
        for part in _parts(scopes):
            await self._look(found, part, users_only=scopes is None)
        concerns = [await self._concern(owner, scored) for owner, scored in found.users(wanted[1])]
        return [one for one in concerns if one is not None]

    def _concerned_scopes(self, users: Sequence[ScopeId] | None) -> list[Scope] | None:
        """Return where to look; None for everybody."""
        if users is not None:
            if isinstance(users, str) or not users:
                msg = "`users` is a list of at least one user"
                raise InvalidInput(msg)
            return list(dict.fromkeys(self._scopes.make(user=user) for user in users))
        return None if self._scopes.bound is None else [self._scopes.bound]

    async def _look(self, found: Concerned, scopes: Sequence[Scope] | None, *, users_only: bool) -> None:
        after = None
        while True:
            page = await self._runtime.store.maintenance.scan_vectors(
                scopes, after, PAGE, users_only=users_only
            )
            await asyncio.to_thread(found.take, page)
            after = page.after
            if after is None:
                return

    async def _concern(self, owner: Scope, scored: Sequence[Scored]) -> Concern | None:
        """Read the items by the scope of their user; those that were deleted meanwhile are left out."""
        known = await self._runtime.store.items.get(owner, [item_id for _, item_id in scored])
        hits = tuple(
            Hit(record=known[item_id], score=value, scores={"dense": value})
            for value, item_id in scored
            if item_id in known
        )
        return Concern(scope=owner, score=hits[0].score, items=hits) if hits else None


def _parts(scopes: list[Scope] | None) -> Sequence[list[Scope] | None]:
    if scopes is None:
        return [None]
    return [scopes[start : start + SCOPES] for start in range(0, len(scopes), SCOPES)]
