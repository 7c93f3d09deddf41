"""Chat models of a configuration, asked by a benchmark."""

import os
from pathlib import Path

from memu_py.config.settings import Settings
from memu_py.llm.ask import Chat
from memu_py.llm.factory import ChatBackends
from memu_py.llm.structured import StructuredChat
from memu_py.prompts.prompt import Prompt
from memu_py.workflow.plugins import load_plugins
from memu_py.workflow.registry import Registry

PROMPTS = Path(__file__).parent / "prompts"


class Models:
    """The profiles of a configuration, without a cache: a benchmark keeps its answers itself.

    Args:
        settings: the configuration.

    Raises:
        ConfigError: a profile or a plug-in is wrong.
    """

    def __init__(self, settings: Settings) -> None:
        registry = Registry()
        load_plugins(registry, settings.plugins, os.environ)
        self._settings = settings
        self._backends = ChatBackends(settings, registry)

    def name(self, profile: str) -> str:
        """Return the provider and the model of a profile."""
        return self._backends.get(profile).id

    def chat(self, profile: str) -> Chat:
        """Return the model of a profile.

        Raises:
            ConfigError: there is no such profile.
        """
        backend, settings = self._backends.get(profile), self._settings.llm[profile]
        return Chat(
            StructuredChat(backend), temperature=settings.temperature or 0.0, max_tokens=settings.max_tokens
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._backends.close()


def prompt(task: str) -> Prompt:
    """Return the prompt of a task of the benchmarks."""
    path = PROMPTS / f"{task}.md"
    return Prompt.parse(task, path.read_text(encoding="utf-8"), where=str(path))
