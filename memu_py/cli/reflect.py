"""`memu reflect`: what is seen when memories are looked at together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memu_py.cli.console import err, print_json, print_text
from memu_py.cli.options import Config, Json, User
from memu_py.cli.run import scope_of, settings_of, with_service
from memu_py.records.plain import plain

if TYPE_CHECKING:
    from memu_py.records.insight import Reflected
    from memu_py.service.service import MemoryService


def reflect(config: Config = None, user: User = None, json_: Json = False) -> None:
    """Look at memories together that were not looked at yet, and keep what is seen as insights."""

    async def work(service: MemoryService) -> Reflected:
        return await service.reflect()

    settings = settings_of(config)
    done = with_service(settings, scope_of(settings, user), work)
    if json_:
        print_json(plain(done))
        return
    for item in done.insights:
        print_text(item.text)
    err.print(
        f"{done.looked_at} memories looked at: {len(done.insights)} new insights,"
        f" {len(done.confirmed)} seen again.",
        soft_wrap=True,
    )
