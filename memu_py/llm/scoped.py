"""The chat models of one run: layered, and bound to a scope."""

from collections.abc import Sequence

from memu_py.config.settings import Settings
from memu_py.llm.ask import Chat
from memu_py.llm.backend import Answerer
from memu_py.llm.cached import AnswerCache, CachedChat
from memu_py.llm.factory import DEFAULT, ChatBackends
from memu_py.llm.intercepted import InterceptedChat
from memu_py.llm.meter import Meter
from memu_py.llm.metered import MeteredBackend
from memu_py.llm.structured import StructuredChat
from memu_py.workflow.interceptor import Interceptor


class ScopedChats:
    """Makes the models that a run may ask.

    Args:
        settings: the configuration, for its profiles.
        backends: the models.
        cache: of answers, bound to the scope.
        meter: of the run.
        interceptors: around every question, outermost first.
    """

    def __init__(
        self,
        settings: Settings,
        backends: ChatBackends,
        *,
        cache: AnswerCache,
        meter: Meter,
        interceptors: Sequence[Interceptor] = (),
    ) -> None:
        self._settings = settings
        self._backends = backends
        self._cache = cache
        self._interceptors = tuple(interceptors)
        self.meter = meter

    def has(self, profile: str = DEFAULT) -> bool:
        """Return whether a profile is configured."""
        return profile in self._settings.llm

    def chat(self, profile: str = DEFAULT, *, purpose: str) -> Chat:
        """Return a model.

        Args:
            profile: its name under `llm`.
            purpose: who asks, such as the name of a step; usage is counted by it.

        Raises:
            ConfigError: there is no such profile; says what to configure.
        """
        backend = self._backends.get(profile)
        settings = self._settings.llm[profile]
        metered = MeteredBackend(backend, self.meter, profile=profile, purpose=purpose)
        layers: Answerer = StructuredChat(metered)
        if settings.cache:
            layers = CachedChat(
                layers,
                self._cache,
                self.meter,
                self._backends.flights,
                model=backend.id,
                profile=profile,
                purpose=purpose,
            )
        labels = {"purpose": purpose, "model": backend.id}
        layers = InterceptedChat(layers, self._interceptors, name=profile, labels=labels)
        return Chat(layers, temperature=settings.temperature, max_tokens=settings.max_tokens)
