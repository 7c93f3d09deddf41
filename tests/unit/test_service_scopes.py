"""How a call's arguments become a scope."""

import pytest

from memu_py.errors import InvalidScope, ScopeRequired
from memu_py.records.scope import Scope
from memu_py.service.scopes import ScopeMaker


def test_nothing_named_bound_or_configured_is_an_error_never_everyone() -> None:
    with pytest.raises(ScopeRequired, match="name a user"):
        ScopeMaker().make()


def test_a_mapping_with_an_id_and_the_id_itself_name_the_same_user() -> None:
    maker = ScopeMaker()
    assert maker.make(user={"id": "user-456"}) == maker.make(user="user-456") == Scope(user="user-456")


def test_the_default_fills_in_only_for_a_call_that_names_nobody() -> None:
    maker = ScopeMaker(default=Scope(user="local"))
    assert maker.make() == Scope(user="local")
    assert maker.make(agent="helper") == Scope(agent="helper")


def test_an_undeclared_custom_key_is_refused_with_the_nearest_name() -> None:
    maker = ScopeMaker(keys=("tenant",))
    assert maker.make(user="a", custom={"tenant": "x"}).attributes == {"tenant": "x"}
    with pytest.raises(InvalidScope, match="did you mean `tenant`"):
        maker.make(user="a", custom={"tenent": "x"})


def test_a_bound_scope_can_be_narrowed_but_not_left() -> None:
    bound = ScopeMaker(keys=("tenant",)).bind(Scope(user="ann"))
    assert bound.bound == Scope(user="ann")
    assert bound.make() == bound.make(user="ann") == Scope(user="ann")
    assert bound.make(session="s1") == Scope(user="ann", session="s1")
    with pytest.raises(InvalidScope, match="bound to user 'ann'"):
        bound.make(user="bob")


def test_a_service_bound_to_an_agent_cannot_reach_a_users_memory() -> None:
    bound = ScopeMaker().bind(Scope(agent="helper"))
    with pytest.raises(InvalidScope, match="cannot leave"):
        bound.make(user="ann")


def test_a_bound_session_and_custom_key_stay_bound() -> None:
    bound = ScopeMaker(keys=("tenant",)).bind(Scope(user="ann", session="s1", custom=(("tenant", "x"),)))
    assert bound.make(custom={"tenant": "x"}).custom == (("tenant", "x"),)
    assert bound.make(agent="helper") == Scope(
        user="ann", agent="helper", session="s1", custom=(("tenant", "x"),)
    )
    with pytest.raises(InvalidScope, match="bound to session"):
        bound.make(session="s2")
    with pytest.raises(InvalidScope, match="bound to tenant"):
        bound.make(custom={"tenant": "y"})


def test_custom_keys_narrow_the_default_too() -> None:
    maker = ScopeMaker(keys=("tenant",), default=Scope(user="local"))
    assert maker.make(custom={"tenant": "x"}) == Scope(user="local", custom=(("tenant", "x"),))
