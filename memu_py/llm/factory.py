"""From the configuration to chat models.

A chat model of a plug-in is a function or class that takes the settings and a profile's name and returns a
`ChatBackend`::

    def register(registry: Registry) -> None:
        registry.add("chat", "mine", MyBackend)    # `llm: {default: {backend: mine, model: …}}`
"""

import os
from collections.abc import Callable, Mapping

from memu_py.config.settings import Settings
from memu_py.errors import ConfigError
from memu_py.llm.backend import ChatBackend
from memu_py.llm.endpoint import Endpoint, credentials, profile_access
from memu_py.llm.flights import Flights
from memu_py.nearest import unknown
from memu_py.workflow.registry import Registry

KIND = "chat"
"""The registry's word for chat models."""

OPENAI = "openai"
DEFAULT = "default"

ChatFactory = Callable[[Settings, str], ChatBackend]


def register_chat_models(registry: Registry) -> None:
    """Register the built-in chat models: `openai`, which serves any compatible server."""
    registry.add(KIND, OPENAI, build_openai)


class ChatBackends:
    """The configured models. Each is made when it is first used: a provider's client takes a second to import.

    Args:
        settings: the configuration.
        registry: the chat models there are, those of plug-ins included.

    Attributes:
        flights: questions to them that are under way.

    Raises:
        ConfigError: a profile names a backend that there is not.
    """

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self.flights = Flights()
        self._settings = settings
        self._made: dict[str, ChatBackend] = {}
        self._factories: dict[str, ChatFactory] = {
            name: registry.chosen(
                KIND,
                profile.backend,
                where=f"{settings.mark(('llm', name, 'backend'))}: llm.{name}.backend",
                word="chat model",
            )
            for name, profile in settings.llm.items()
        }

    def get(self, name: str) -> ChatBackend:
        """Return the model of a profile.

        Raises:
            ConfigError: there is no such profile, or its settings do not fit; says what to configure.
        """
        if name not in self._settings.llm:
            raise missing_profile(name, self._settings)
        if name not in self._made:
            self._made[name] = self._factories[name](self._settings, name)
        return self._made[name]

    async def close(self) -> None:
        """Close those that were made."""
        made, self._made = self._made, {}
        for backend in made.values():
            await backend.close()


def missing_profile(name: str, settings: Settings) -> ConfigError:
    """Return the error for a profile that is not configured.

    Args:
        name: of the profile.
        settings: the configuration.
    """
    if not settings.llm:
        msg = f"this needs a chat model, and {settings.file} has none"
    else:
        msg = unknown("model profile", name, settings.llm)
    hint = (
        f"set `llm.{name}.model`, and `llm.{name}.provider` or `llm.{name}.base_url`; or name another profile"
    )
    return ConfigError(msg, hint=hint)


def build_openai(settings: Settings, name: str, env: Mapping[str, str] = os.environ) -> ChatBackend:
    """Build a chat model over HTTP.

    Args:
        settings: the configuration.
        name: of the profile.
        env: the environment, for the provider's usual variable.

    Raises:
        ConfigError: the provider is unknown, and no address is given.
    """
    from memu_py.llm.dialect import Dialect  # noqa: PLC0415 - only with a model
    from memu_py.llm.openai_chat import OpenAIChat  # noqa: PLC0415 - its client takes a second to import
    from memu_py.llm.openai_client import OpenAIClient  # noqa: PLC0415 - the same

    profile = settings.llm[name]
    return OpenAIChat(
        OpenAIClient(chat_endpoint(settings, name, env)),
        model=profile.model,
        dialect=Dialect(profile.structured),
        stream=profile.stream,
        extra=profile.extra,
    )


def chat_endpoint(settings: Settings, name: str, env: Mapping[str, str]) -> Endpoint:
    """Return where a profile's model is called.

    The key is the profile's; else that of `llm.default` where the provider (and the address, if one is given) is the
    same; else the provider's usual variable.

    Args:
        settings: the configuration.
        name: of the profile.
        env: the environment.

    Raises:
        ConfigError: the provider is unknown, and no address is given.
    """
    profile, default = settings.llm[name], settings.llm.get(DEFAULT)
    where = str(settings.mark(("llm", name, "provider")))
    other = profile_access(DEFAULT, default) if default is not None and name != DEFAULT else None
    found = credentials(profile_access(name, profile, where=where), env, other=other)
    return Endpoint(
        provider=profile.provider,
        base_url=found.base_url,
        key=found.key,
        key_place=found.key_place,
        timeout_s=profile.timeout_s,
        max_retries=profile.max_retries,
        concurrency=profile.concurrency,
        requests_per_minute=profile.requests_per_minute,
    )
