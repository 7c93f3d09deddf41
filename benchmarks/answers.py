"""Answers to the questions of long conversations, marked by a model: the second half of `benchmarks/locomo.py`.

A question is answered by one model from the block that `retrieve` makes, and marked CORRECT or WRONG by another, after
the protocol of Mem0's paper (Chhikara et al., 2025), in our words. As there, adversarial questions are not shown to the
judge and are outside of the whole. As LoCoMo has it, they are right where the answer says that nothing is known; their
F1 says how often.

What came of every question is a line of `answers.jsonl`, written as soon as it is known. A run that is begun again with
the same models takes what is there, and asks again what failed. Its memory lies beside it.
"""

import asyncio
import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from benchmarks.asking import Models, prompt
from benchmarks.dialogues import ADVERSARIAL, CATEGORIES, Dialogue, Question
from benchmarks.record import table
from benchmarks.sample import in_turn
from benchmarks.wording import f1
from memu_py import MemoryService
from memu_py.errors import ModelError
from memu_py.records.request import Method

RAW = "answers.jsonl"
DAY = "%A, %-d %B %Y"
TITLES = {**CATEGORIES, ADVERSARIAL: "adversarial"}


class Verdict(BaseModel):
    """What a judge says."""

    reason: str
    label: Literal["CORRECT", "WRONG"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One line of the raw file.

    Attributes:
        id: conversation and number of the question.
        by: who answered, who marked, and how memory was read.
        category: of the question.
        question: as asked.
        expected: the right answer; of an adversarial question the tempting one.
        context: what the answer was made from.
        answer: as it came; None where the model failed.
        f1: of its words.
        label: the judge's mark; None where there is none.
        reason: the judge's.
        error: what failed.
        tokens: of answer and mark, sent and received.
    """

    id: str
    by: str
    category: str
    question: str
    expected: str
    context: str = ""
    answer: str | None = None
    f1: float = 0.0
    label: Literal["CORRECT", "WRONG"] | None = None
    reason: str | None = None
    error: str | None = None
    tokens: int = 0


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Exam:
    """Who answers, who marks, and how.

    Attributes:
        models: the profiles.
        answer: the profile that answers.
        judge: the profile that marks; None leaves marks out.
        method: of `retrieve`.
    """

    models: Models
    answer: str
    judge: str | None = None
    method: Method = "rag"

    @property
    def by(self) -> str:
        """Who answered and who marked, so that a run that is begun again knows its own lines."""
        judge = self.models.name(self.judge) if self.judge else "nobody"
        return f"{self.models.name(self.answer)}, marked by {judge}, {self.method}"

    async def reply(self, service: MemoryService, dialogue: Dialogue, id_: str, question: Question) -> Reply:
        """Retrieve, answer and mark; what a model fails in is kept as an error."""
        found = await service.retrieve(question.text, user=dialogue.id, now=dialogue.ends, method=self.method)
        reply = Reply(
            id=id_,
            by=self.by,
            category=question.category,
            question=question.text,
            expected=question.answer,
            context=found.context,
        )
        try:
            reply = await self._answered(reply, dialogue)
            return await self._marked(reply)
        except ModelError as error:
            return dataclasses.replace(reply, error=str(error))

    async def _answered(self, reply: Reply, dialogue: Dialogue) -> Reply:
        data = {
            "now": dialogue.ends.strftime(DAY),
            "memories": reply.context or "(nothing was found)",
            "question": reply.question,
        }
        said = await self.models.chat(self.answer).chat(prompt("answer").messages(data))
        return dataclasses.replace(
            reply,
            answer=said.text.strip(),
            f1=f1(said.text, reply.expected, reply.category),
            tokens=reply.tokens + said.prompt_tokens + said.completion_tokens,
        )

    async def _marked(self, reply: Reply) -> Reply:
        if self.judge is None or reply.category == ADVERSARIAL or reply.answer is None:
            return reply
        data = {"question": reply.question, "expected": reply.expected, "answer": reply.answer}
        said = await self.models.chat(self.judge).chat(prompt("judge").messages(data), Verdict)
        return dataclasses.replace(
            reply,
            label=said.value.label,
            reason=said.value.reason,
            tokens=reply.tokens + said.prompt_tokens + said.completion_tokens,
        )


class RawFile:
    """The lines of a run.

    Args:
        folder: where it is; made when there is none.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / RAW

    def known(self, by: str) -> dict[str, Reply]:
        """Return what is there of these models and went well, by id."""
        if not self._path.exists():
            return {}
        lines = self._path.read_text(encoding="utf-8").splitlines()
        replies = [Reply(**json.loads(line)) for line in lines if line.endswith("}")]
        return {one.id: one for one in replies if one.by == by and one.error is None}

    def add(self, reply: Reply) -> None:
        """Write a line."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(reply), ensure_ascii=False) + "\n")


def chosen(dialogues: Sequence[Dialogue], limit: int | None) -> dict[str, list[tuple[str, Question]]]:
    """Return the questions by conversation, each with its id: all, or as many, of each category in turn."""
    listed = [
        (dialogue.id, f"{dialogue.id}/{number}", question)
        for dialogue in dialogues
        for number, question in enumerate(dialogue.everything)
    ]
    found: dict[str, list[tuple[str, Question]]] = {}
    for name, id_, question in in_turn(listed, lambda one: one[2].category, list(TITLES), limit):
        found.setdefault(name, []).append((id_, question))
    return found


async def examine(
    dialogues: Sequence[Dialogue],
    service: MemoryService,
    exam: Exam,
    raw: RawFile,
    *,
    limit: int | None = None,
    done: Callable[[Dialogue], None] = lambda dialogue: None,
) -> list[Reply]:
    """Memorize the conversations that are asked about, and ask.

    Args:
        dialogues: the conversations.
        service: remembers them.
        exam: who answers and who marks.
        raw: keeps the lines.
        limit: how many questions.
        done: called after each conversation.
    """
    known = raw.known(exam.by)
    replies: list[Reply] = []
    wanted = chosen(dialogues, limit)
    for dialogue in dialogues:
        asked = wanted.get(dialogue.id, [])
        replies += [known[id_] for id_, _ in asked if id_ in known]
        missing = [one for one in asked if one[0] not in known]
        if missing:
            await remember(service, dialogue)
        for task in asyncio.as_completed(
            [exam.reply(service, dialogue, id_, question) for id_, question in missing]
        ):
            replies.append(await task)
            raw.add(replies[-1])
        done(dialogue)
    return replies


async def remember(service: MemoryService, dialogue: Dialogue) -> None:
    """Memorize a conversation as the configuration has it, and tell what of it could not be read."""
    result = await service.memorize(
        resource_url=f"conversation://{dialogue.id}", messages=dialogue.messages, user=dialogue.id
    )
    failed = sum(one.status == "failed" for one in result.outcomes)
    if failed:
        print(f"{dialogue.id}: {failed} of {len(result.outcomes)} turns could not be read", file=sys.stderr)


def figures(replies: Iterable[Reply]) -> dict[str, dict[str, float]]:
    """Return the figures by category, and of all but the adversarial ones as `all`.

    `judge` is the share of marked answers that are CORRECT, `f1` the mean over answered questions, both from 0 to 1;
    `failed` counts what a model failed in.
    """
    known = list(replies)
    groups = {
        category: found
        for category in TITLES
        if (found := [one for one in known if one.category == category])
    }
    whole = [one for one in known if one.category != ADVERSARIAL]
    return {name: _figures(found) for name, found in {**groups, "all": whole}.items()}


def _figures(replies: Sequence[Reply]) -> dict[str, float]:
    marked = [one.label == "CORRECT" for one in replies if one.label]
    answered = [one.f1 for one in replies if one.answer is not None]
    return {
        "questions": len(replies),
        "marked": len(marked),
        "judge": sum(marked) / len(marked) if marked else 0.0,
        "f1": sum(answered) / len(answered) if answered else 0.0,
        "failed": sum(one.error is not None for one in replies),
        "tokens": sum(one.tokens for one in replies),
    }


def answers_table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the figures as a table."""
    rows = []
    for name, one in found.items():
        title = f"{name} {TITLES[name]}" if name in TITLES else "1 to 4"
        judge = f"{100 * one['judge']:.1f}" if one["marked"] else "-"
        rows.append([title, f"{one['questions']}", judge, f"{100 * one['f1']:.1f}", f"{one['failed']}"])
    return table(["category", "questions", "judge, %", "F1, %", "failed"], rows)
