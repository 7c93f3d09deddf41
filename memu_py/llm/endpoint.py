"""Where a model is called, and with which key.

A key only goes to the address that it belongs to: an inherited key to the address of the profile it comes from, the
key in a provider's usual variable to the provider's own address.
"""

import dataclasses
from collections.abc import Mapping
from urllib.parse import urlsplit

from memu_py.config.llm import ModelProfile
from memu_py.config.secret import Secret
from memu_py.errors import ConfigError
from memu_py.llm.provider import PROVIDERS, Provider
from memu_py.nearest import unknown

NO_KEY = "none"
"""What the client sends to servers that need no key; it takes no empty one."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """One address of a provider, and how to treat it.

    Attributes:
        provider: its name, for messages.
        base_url: where the API is, path included.
        key: the key; None where none is needed.
        key_place: where the key is configured, for messages.
        timeout_s: how long one call may take.
        max_retries: how often a failed call is repeated.
        concurrency: calls under way at the same time.
        requests_per_minute: calls begun within a minute; None for any number.
    """

    provider: str
    base_url: str
    key: Secret | None
    key_place: str
    timeout_s: float
    max_retries: int
    concurrency: int
    requests_per_minute: int | None = None

    def reveal_key(self) -> str:
        """Return the key.

        Raises:
            MissingKey: it waits for a variable; names it.
        """
        return self.key.reveal(self.key_place) if self.key else NO_KEY


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """What a section of the configuration says about its provider.

    Attributes:
        place: of the section, such as `llm.default`.
        where: the section's file and line.
        provider: the provider's name.
        base_url: as configured.
        api_key: as configured.
    """

    place: str
    where: str
    provider: str
    base_url: str | None
    api_key: Secret | None


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """The outcome of looking for an address and a key.

    Attributes:
        base_url: the address.
        key: the key; None where none is needed.
        key_place: where the key is configured.
    """

    base_url: str
    key: Secret | None
    key_place: str


def credentials(access: Access, env: Mapping[str, str], *, other: Access | None = None) -> Credentials:
    """Find the address and the key of a section.

    Args:
        access: what the section says.
        env: the environment, for the provider's usual variable.
        other: a section whose address and key serve too where the provider is the same.

    Raises:
        ConfigError: the provider is unknown, and no address is given.
    """
    if other is not None and other.provider == access.provider:
        inherited = _inherited(access, credentials(other, env))
        if inherited is not None:
            return inherited
    known = PROVIDERS.get(access.provider)
    base_url = access.base_url or (known.base_url if known else None)
    if base_url is None:
        msg = f"{access.where}: {access.place}.provider: {unknown('provider', access.provider, PROVIDERS)}"
        raise ConfigError(msg, hint="another provider needs `base_url`")
    key = access.api_key or _usual_key(known, base_url, env)
    return Credentials(base_url=base_url, key=key, key_place=f"{access.place}.api_key")


def profile_access(name: str, profile: ModelProfile, *, where: str = "") -> Access:
    """Return what a model profile says.

    Args:
        name: of the profile.
        profile: the profile.
        where: its file and line.
    """
    return Access(
        place=f"llm.{name}",
        where=where,
        provider=profile.provider,
        base_url=profile.base_url,
        api_key=profile.api_key,
    )


def _inherited(access: Access, theirs: Credentials) -> Credentials | None:
    if access.api_key:
        return None
    if access.base_url is None:
        return theirs
    if _origin(access.base_url) != _origin(theirs.base_url):
        return None
    return dataclasses.replace(theirs, base_url=access.base_url)


def _usual_key(known: Provider | None, base_url: str, env: Mapping[str, str]) -> Secret | None:
    if known is None or known.key_variable is None or _origin(base_url) != _origin(known.base_url):
        return None
    value = env.get(known.key_variable)
    return Secret(value) if value else Secret.missing(known.key_variable)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
