"""Threads on which models run, off the event loop: one for each kind of work, made when it is first needed."""

import asyncio
import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@functools.cache
def _thread(name: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)


# A child process has the executors of its parent, but not their threads.
os.register_at_fork(after_in_child=_thread.cache_clear)


async def on_thread(name: str, work: Callable[P, R], /, *args: P.args, **keywords: P.kwargs) -> R:
    """Do some work on a thread of the process; what comes to the same one waits in order.

    Args:
        name: of the thread.
        work: what to do.
        *args: what it is given.
        **keywords: the same, by name.
    """
    call = functools.partial(work, *args, **keywords)
    return await asyncio.get_running_loop().run_in_executor(_thread(name), call)
