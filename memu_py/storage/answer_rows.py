"""Answers of chat models by content, a partition's own."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from memu_py.records.scope import Scope
from memu_py.storage.plain import clean_text
from memu_py.storage.schema import answers
from memu_py.storage.scoping import partition_values, within
from memu_py.storage.unit import Unit


def load_answer(connection: Connection, scope: Scope, key: bytes) -> str | None:
    """Return the text of an answer, if it is known."""
    statement = select(answers.c.text).where(within(answers, scope), answers.c.key == key)
    return connection.scalar(statement)


def save_answer(unit: Unit, key: bytes, text: str) -> None:
    """Keep an answer; a key that is known gets the new one."""
    unit.connection.execute(delete(answers).where(within(answers, unit.scope), answers.c.key == key))
    row = {**partition_values(unit.scope), "key": key, "text": clean_text(text), "at": unit.now}
    unit.connection.execute(insert(answers).values(row))


def has_older(connection: Connection, before: datetime) -> bool:
    """Return whether any partition has an answer from before a moment."""
    return connection.scalar(select(answers.c.at).where(answers.c.at < before).limit(1)) is not None


def prune_answers(connection: Connection, before: datetime) -> int:
    """Remove answers of all partitions from before a moment. Returns how many went."""
    return connection.execute(delete(answers).where(answers.c.at < before)).rowcount
