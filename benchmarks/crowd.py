"""Clients of a server: what they keep, how long each call took, what went wrong."""

import asyncio
import collections
import dataclasses
import random
import time
from collections.abc import Mapping, Sequence

from benchmarks.foundation import DAYS, NAMES, PLACES, THINGS, VERBS
from memu_py import AsyncMemoryClient
from memu_py.errors import MemuError
from memu_py.records.insight import INSIGHT

CLIENTS_OF_ONE = 5
"""Clients that share a user, and so write to one partition."""
MEMORIZE, RETRIEVE = "memorize", "retrieve"
SHARES = {MEMORIZE: 0.4, RETRIEVE: 0.6}
PAGE = 500


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """A memory of a client: whose, what it says, and the word that no other has."""

    user: str
    text: str
    mark: str


class Tally:
    """What came of all calls.

    Attributes:
        seconds: of the calls that were answered, by name.
        errors: by call and class of the error.
        kept: memories that the server acknowledged.
        unsure: memories whose answer never came.
        missed: questions in whose answer the memory asked for was not among the first five.
        took_s: until the last call was answered.
        begun: set when the first memory is acknowledged.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {name: [] for name in SHARES}
        self.errors: collections.Counter[str] = collections.Counter()
        self.kept: list[Kept] = []
        self.unsure: list[Kept] = []
        self.missed = 0
        self.took_s = 0.0
        self.begun = asyncio.Event()

    def failed(self, call: str, error: MemuError) -> None:
        """Note an error."""
        self.errors[f"{call}: {type(error).__name__}: {error.args[0] if error.args else ''}"] += 1


def memory_of(client: int, number: int, rng: random.Random) -> Kept:
    """Return something to memorize that is like nothing else."""
    mark = f"k{client}x{number}"
    words = (rng.choice(NAMES), rng.choice(VERBS), rng.choice(THINGS), rng.choice(PLACES), rng.choice(DAYS))
    text = "{} {} the {} {mark} in {} on a {}.".format(*words, mark=mark)
    return Kept(user=f"user-{client // CLIENTS_OF_ONE}", text=text, mark=mark)


async def one_client(
    client: AsyncMemoryClient,
    number: int,
    tally: Tally,
    until: float,
    *,
    shares: Mapping[str, float] = SHARES,
) -> None:
    """Call without a pause until a moment.

    Args:
        client: with connections of its own; it is closed.
        number: of the client.
        tally: takes what comes of it.
        until: on the monotonic clock.
        shares: how often which call.
    """
    rng, own, count = random.Random(number), list[Kept](), 0
    async with client:
        while time.monotonic() < until:
            if rng.random() < shares[RETRIEVE]:
                await _ask(client, rng.choice(own or [memory_of(number, 0, rng)]), tally, known=bool(own))
                continue
            count += 1
            kept = memory_of(number, count, rng)
            if await _keep(client, kept, tally):
                own.append(kept)


async def _keep(client: AsyncMemoryClient, kept: Kept, tally: Tally) -> bool:
    began = time.monotonic()
    try:
        await client.memorize(text=kept.text, user=kept.user)
    except MemuError as error:
        tally.failed(MEMORIZE, error)
        tally.unsure.append(kept)
        return False
    tally.seconds[MEMORIZE].append(time.monotonic() - began)
    tally.kept.append(kept)
    tally.begun.set()
    return True


async def _ask(client: AsyncMemoryClient, kept: Kept, tally: Tally, *, known: bool) -> None:
    began = time.monotonic()
    try:
        found = await client.retrieve(kept.text, user=kept.user, top_k=5)
    except MemuError as error:
        tally.failed(RETRIEVE, error)
        return
    tally.seconds[RETRIEVE].append(time.monotonic() - began)
    tally.missed += known and all(kept.mark not in hit.record.text for hit in found.items)


async def crowd(
    url: str,
    clients: int,
    seconds: float,
    *,
    retries: int = 0,
    shares: Mapping[str, float] = SHARES,
    tally: Tally | None = None,
) -> Tally:
    """Have many clients call at the same time, and return what came of it.

    Args:
        url: of the server.
        clients: how many.
        seconds: after which none begins another call.
        retries: of each call.
        shares: how often which call.
        tally: takes what comes of it, as it comes; a new one when left out.
    """
    # Each reads the certificates of the system, which takes longer than many calls.
    ready = [AsyncMemoryClient(url, retries=retries) for _ in range(clients)]
    tally, began = tally or Tally(), time.monotonic()
    until = began + seconds
    calls = (one_client(one, number, tally, until, shares=shares) for number, one in enumerate(ready))
    await asyncio.gather(*calls)
    tally.took_s = time.monotonic() - began
    return tally


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What is in the store afterwards.

    Attributes:
        lost: acknowledged memories that are not there.
        doubled: memories that are there more than once, or count as said more than once.
        unasked: memories that nobody sent.
        unsure: memories that are there though their answer never came; they may be.
    """

    lost: int
    doubled: int
    unasked: int
    unsure: int


async def look(url: str, kept: Sequence[Kept], unsure: Sequence[Kept] = ()) -> Found:
    """Compare what is in the store with what was sent.

    Args:
        url: of the server.
        kept: what was acknowledged.
        unsure: what may be there.
    """
    stored: collections.Counter[str] = collections.Counter()
    async with AsyncMemoryClient(url, retries=5) as client:
        for user in sorted({one.user for one in (*kept, *unsure)}):
            cursor = None
            while True:
                page = await client.list_items(user=user, limit=PAGE, cursor=cursor)
                # What the server thought of by itself was not sent.
                for item in (one for one in page.records if one.type != INSIGHT):
                    stored[item.text] += item.mentions
                cursor = page.next_cursor
                if cursor is None:
                    break
    sent = {one.text for one in kept}
    maybe = {one.text for one in unsure}
    return Found(
        lost=sum(stored[text] == 0 for text in sent),
        doubled=sum(count > 1 for count in stored.values()),
        unasked=len(stored.keys() - sent - maybe),
        unsure=sum(stored[text] > 0 for text in maybe),
    )
