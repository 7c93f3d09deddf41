"""Blocks: small named texts that stand in every prompt, edited by people and agents."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, Unpack

from memu_py.errors import Conflict, InvalidInput, NotFound, OutsideScope
from memu_py.features.blocks import appended, check_size, replaced, seen_by
from memu_py.records.block import Block
from memu_py.records.ids import new_id
from memu_py.records.scope import Scope
from memu_py.service.arguments import checks_arguments
from memu_py.service.retrieve import whole
from memu_py.service.retry import settled
from memu_py.service.runtime import Runtime
from memu_py.service.scopes import ScopeKeys, ScopeMaker
from memu_py.storage.plain import clean_text

T = TypeVar("T")
Editor = Literal["agent", "person"]
NAME_CHARS = 64
_MARKS = frozenset("<>\n\r")


class _Edit(NamedTuple):
    """Who edits which block."""

    scope: Scope
    holder: Scope
    name: str
    by_agent: bool
    if_version: int | None

    @property
    def actor(self) -> str:
        return f"agent {self.holder.agent or self.holder.session}" if self.by_agent else "person"


@checks_arguments
class Blocks:
    """The blocks of a user, and of each agent of the user.

    A call that names an agent is about what this agent sees: its own blocks, those of the user, and those that other
    agents share with it; of one name the first of these. One that names none is about the blocks of the user.
    """

    def __init__(self, runtime: Runtime, scopes: ScopeMaker) -> None:
        self._runtime = runtime
        self._scopes = scopes

    async def get(self, name: str, **keys: Unpack[ScopeKeys]) -> Block:
        """Return a block.

        Raises:
            NotFound: there is none of this name to see.
        """
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        return _named(await self._seen(scope), name)

    async def list(self, **keys: Unpack[ScopeKeys]) -> tuple[Block, ...]:
        """Return the blocks that an agent sees, in order of name; without an agent, all that there are."""
        scope = self._scopes.make(**keys)
        await self._runtime.open()
        if _agent(scope) is not None:
            return tuple(await self._seen(scope))
        found = await self._runtime.store.blocks.all(scope)
        return tuple(sorted(found, key=lambda one: (one.name, one.agent or "")))

    async def set(
        self,
        name: str,
        text: str | None = None,
        *,
        description: str | None = None,
        max_chars: int | None = None,
        max_tokens: int | None = None,
        read_only: bool | None = None,
        shared_with: Sequence[str] | None = None,
        if_version: int | None = None,
        by: Editor | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Block:
        """Write a block, and make it where there is none; what is not given stays.

        Args:
            name: at most 64 characters of one line, without `<` and `>`.
            text: all of it.
            description: what the block is for.
            max_chars: how long it may be; `blocks.max_chars` by default.
            max_tokens: the same in tokens.
            read_only: agents cannot change it.
            shared_with: agents of the same user that see and edit a block of an agent; an empty list ends it.
            if_version: only if the block has this version, 0 for none of this name.
            by: who edits: `agent` where the call names one, else `person`. A person who edits a block of an agent says
                so; whoever is bound to an agent cannot.
            **keys: whose: `user`, `agent`.

        Raises:
            InvalidInput: the text is too long (says by how much), a name or number is not usable, or an agent may not.
            Conflict: the block has another version.
        """
        edit = self._edit(name, if_version, by, keys)
        given = {
            "text": None if text is None else self._runtime.masker.text(text),
            "description": self._runtime.masker.optional(description),
            "max_chars": None if max_chars is None else whole("max_chars", max_chars),
            "max_tokens": None if max_tokens is None else whole("max_tokens", max_tokens),
            "read_only": read_only,
            "shared_with": None if shared_with is None else _agents(shared_with),
        }
        changes = {name: value for name, value in given.items() if value is not None}

        def changed(block: Block) -> Block:
            rights = changes.keys() & {"read_only", "shared_with", "max_chars", "max_tokens"}
            if rights and edit.by_agent and block.scope != edit.holder:
                msg = f"block {name!r} is not this agent's own: it may change the text alone"
                raise InvalidInput(msg)
            if changes.get("shared_with") and block.agent is None:
                msg = f"block {name!r} is the user's, and every agent sees it already"
                raise InvalidInput(msg, hint="name the agent whose block it shall be")
            return block.evolve(**changes)

        return await self._change(edit, changed, make=True)

    async def append(
        self,
        name: str,
        text: str,
        *,
        if_version: int | None = None,
        by: Editor | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Block:
        """Add a line to a block.

        Args:
            name: of the block.
            text: the line.
            if_version: only if the block has this version.
            by: as in `set`.
            **keys: whose: `user`, `agent`.

        Raises:
            NotFound: there is none of this name to see.
            InvalidInput: it would be too long (says by how much), or an agent may not.
            Conflict: the block has another version.
        """
        edit = self._edit(name, if_version, by, keys)
        line = self._runtime.masker.text(text)
        return await self._change(edit, lambda block: block.evolve(text=appended(block, line)))

    async def replace(
        self,
        name: str,
        old: str,
        new: str,
        *,
        if_version: int | None = None,
        by: Editor | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> Block:
        """Replace a part of a block.

        Args:
            name: of the block.
            old: what stands in it once, word for word.
            new: what shall stand there; empty to remove it.
            if_version: only if the block has this version.
            by: as in `set`.
            **keys: whose: `user`, `agent`.

        Raises:
            NotFound: there is none of this name to see.
            InvalidInput: the part is not there once, it would be too long (says by how much), or an agent may not.
            Conflict: the block has another version.
        """
        edit = self._edit(name, if_version, by, keys)
        safe = self._runtime.masker.text(new)
        return await self._change(edit, lambda block: block.evolve(text=replaced(block, old, safe)))

    async def delete(
        self,
        name: str,
        *,
        if_version: int | None = None,
        by: Editor | None = None,
        **keys: Unpack[ScopeKeys],
    ) -> None:
        """Delete a block; its history stays.

        Args:
            name: of the block.
            if_version: only if the block has this version.
            by: as in `set`.
            **keys: whose: `user`, `agent`.

        Raises:
            NotFound: there is none of this name to see.
            InvalidInput: an agent may not: it is another's, or read-only.
            Conflict: the block has another version.
        """
        edit = self._edit(name, if_version, by, keys)
        await self._runtime.open()

        async def once() -> None:
            block = _named(await self._seen(edit.scope), name)
            _check(edit, block)
            if edit.by_agent and block.scope != edit.holder:
                msg = f"block {name!r} is not this agent's own: it cannot delete it"
                raise InvalidInput(msg)
            await self._runtime.store.blocks.delete(edit.scope, block, actor=edit.actor)

        await _once_or_again(once, edit)

    async def _change(self, edit: _Edit, change: Callable[[Block], Block], *, make: bool = False) -> Block:
        await self._runtime.open()

        async def once() -> Block:
            found = {block.name: block for block in await self._seen(edit.scope)}
            block = found.get(edit.name)
            if block is None:
                if not make:
                    raise _missing(edit.name)
                block = self._new(edit)
            _check(edit, block if edit.name in found else None)
            after = change(block)
            check_size(after)
            if after == block and edit.name in found:
                return block
            return await self._runtime.store.blocks.write(edit.scope, after, actor=edit.actor)

        return await _once_or_again(once, edit)

    async def _seen(self, scope: Scope) -> Sequence[Block]:
        return seen_by(await self._runtime.store.blocks.all(scope), _agent(scope))

    def _new(self, edit: _Edit) -> Block:
        now = self._runtime.clock()
        return Block(
            id=new_id(),
            scope=edit.holder,
            name=edit.name,
            text="",
            max_chars=self._runtime.settings.blocks.max_chars,
            created_at=now,
            updated_at=now,
        )

    def _edit(self, name: str, if_version: int | None, by: Editor | None, keys: ScopeKeys) -> _Edit:
        scope = self._scopes.make(**keys)
        if not name.strip() or len(name) > NAME_CHARS or _MARKS & set(name) or name != clean_text(name):
            msg = f"the name of a block is one line of at most {NAME_CHARS} characters without < and >, not {name!r}"
            raise InvalidInput(msg)
        bound = self._scopes.bound
        if by == "person" and bound is not None and bound.agent is not None:
            msg = f"this service is bound to agent {bound.agent!r}, and a person is to edit"
            raise OutsideScope(msg)
        holder = scope.owner if _agent(scope) is None else scope.owner.evolve(agent=scope.agent)
        named = scope.agent is not None
        return _Edit(scope, holder, name, named if by is None else by == "agent", if_version)


async def _once_or_again(work: Callable[[], Awaitable[T]], edit: _Edit) -> T:
    """Edit a block as it is now; again where somebody else was first, unless a version was named."""
    return await (work() if edit.if_version is not None else settled(work))


def _agent(scope: Scope) -> str | None:
    """Return the agent that a scope is narrowed to; None where the agent is the owner of all."""
    return scope.agent if scope.user is not None else None


def _agents(names: Sequence[str]) -> tuple[str, ...]:
    given: Any = names
    if isinstance(given, str) or not all(isinstance(one, str) and one for one in given):
        msg = "`shared_with` is a list of agents"
        raise InvalidInput(msg)
    return tuple(dict.fromkeys(names))


def _check(edit: _Edit, block: Block | None) -> None:
    version = 0 if block is None else block.version
    if edit.if_version is not None and edit.if_version != version:
        msg = f"block {edit.name!r} has version {version}, not {edit.if_version}"
        raise Conflict(msg, hint="read it again")
    if edit.by_agent and block is not None and block.read_only:
        msg = f"block {edit.name!r} is read-only for agents"
        raise InvalidInput(msg)


def _named(blocks: Sequence[Block], name: str) -> Block:
    for block in blocks:
        if block.name == name:
            return block
    raise _missing(name)


def _missing(name: str) -> NotFound:
    return NotFound(f"no block {name!r} in this scope")
