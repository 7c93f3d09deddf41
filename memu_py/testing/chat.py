"""A chat model without a model, for tests of steps and of plug-ins."""

import collections
from collections.abc import Callable, Sequence

from memu_py.errors import ModelError
from memu_py.llm.ask import Chat
from memu_py.llm.backend import ChatRequest, Completion
from memu_py.llm.structured import StructuredChat

Script = str | Completion | Exception
"""What is said next: a text, a whole completion, or an error that is raised."""

Reply = Callable[[ChatRequest], Script]


class ScriptedBackend:
    """A `ChatBackend` that says what it is told to, in this process.

    Args:
        script: what it says, in order.
        reply: says what follows the script; without it, a call beyond the script fails.
        name: its id.

    Attributes:
        requests: what it was asked, in order.
    """

    def __init__(
        self, script: Sequence[Script] = (), *, reply: Reply | None = None, name: str = "scripted/model"
    ) -> None:
        self.requests: list[ChatRequest] = []
        self._script = collections.deque(script)
        self._reply = reply
        self._name = name

    @property
    def id(self) -> str:
        """Its name."""
        return self._name

    def say(self, *script: Script) -> None:
        """Say more, after what is still to be said."""
        self._script.extend(script)

    async def complete(self, request: ChatRequest) -> Completion:
        """Say what comes next.

        Raises:
            ModelError: nothing does.
        """
        self.requests.append(request)
        said = self._next(request)
        if isinstance(said, Exception):
            raise said
        completion = said if isinstance(said, Completion) else Completion(text=said)
        if request.on_text is not None:
            request.on_text(completion.text)
        return completion

    async def close(self) -> None:
        """Free nothing."""

    def _next(self, request: ChatRequest) -> Script:
        if self._script:
            return self._script.popleft()
        if self._reply is not None:
            return self._reply(request)
        msg = f"the script of {self._name} is at its end"
        return ModelError(msg, hint="say more, or give a `reply`")


class ScriptedChatModel(Chat):
    """A `ChatModel` that says what it is told to; answers are read, and repaired, as those of any other.

    ::

        model = ScriptedChatModel(['{"facts": []}'])
        answer = await model.chat(messages, Facts)
        assert model.requests[0].messages == tuple(messages)

    Args:
        script: what it says, in order.
        reply: says what follows the script.
    """

    def __init__(self, script: Sequence[Script] = (), *, reply: Reply | None = None) -> None:
        self.backend = ScriptedBackend(script, reply=reply)
        super().__init__(StructuredChat(self.backend))

    @property
    def requests(self) -> list[ChatRequest]:
        """What it was asked, in order, repairs included."""
        return self.backend.requests
