"""Which of several servers is asked, and when."""

from __future__ import annotations

import asyncio

import pytest

from spindle.client.failures import AuthenticationFailed, OutOfTime, Refused, Unreachable
from spindle.client.race import Race, first_answer
from spindle.model.errors import Error

pytestmark = pytest.mark.usefixtures("only_idle_time")


def test_the_next_is_asked_where_the_first_keeps_silent() -> None:
    race = Race("abc", patience=2)
    assert race.due(10) == "a"
    assert race.wake_at == 12
    assert race.due(11.9) is None
    assert race.due(12) == "b"
    assert race.silent(12) == ["a"], "b has only been asked"
    assert race.due(14) == "c"
    assert race.wake_at is None, "there is no other"
    assert race.due(100) is None
    assert not race.is_lost


def test_the_next_is_asked_at_once_where_one_fails() -> None:
    race = Race("abc", patience=2)
    assert race.due(0) == "a"
    race.ended("a")
    assert race.due(0) == "b"
    assert race.due(0) is None
    race.ended("b")
    assert race.due(0) == "c"
    assert not race.is_lost
    race.ended("c")
    assert race.is_lost


class Servers:
    """Answers by name: a value, a failure, or silence."""

    def __init__(self, **says: str | Exception | None) -> None:
        self._says = says
        self.asked: list[str] = []
        self.left: list[str] = []
        self.late: list[str] = []

    async def ask(self, name: str) -> str:
        self.asked.append(name)
        said = self._says[name]
        try:
            if said is None:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.left.append(name)
            raise
        if isinstance(said, Exception):
            raise said
        assert said is not None
        return said

    def run(self, patience: float = 0.01) -> str:
        race = Race(self._says, patience)
        return asyncio.run(first_answer(race, self.ask, self.late.append))


def test_the_first_answer_wins_and_the_silent_one_is_left() -> None:
    servers = Servers(a=None, b="well")
    assert servers.run() == "well"
    assert servers.asked == ["a", "b"]
    assert servers.left == servers.late == ["a"]


def test_a_server_that_answers_is_the_only_one_that_is_asked() -> None:
    servers = Servers(a="well", b="too")
    assert servers.run(patience=60) == "well"
    assert servers.asked == ["a"]
    assert not servers.late


@pytest.mark.parametrize(
    "answer",
    [Refused(Error.INVALID_REQUEST, "Metadata", "a"), AuthenticationFailed("a: a wrong password")],
)
def test_a_refusal_is_an_answer(answer: Exception) -> None:
    servers = Servers(a=answer, b="well")
    with pytest.raises(type(answer)):
        servers.run()
    assert servers.asked == ["a"]


def test_where_all_fail_each_reason_is_given_once() -> None:
    assert Servers(a=Unreachable("a: refused"), b="well").run(patience=60) == "well"
    with pytest.raises(OutOfTime, match=r"^a$"):
        Servers(a=OutOfTime("a")).run()
    servers = Servers(a=OutOfTime("a"), b=Unreachable("b"), c=Unreachable("b"))
    with pytest.raises(Unreachable, match=r"^a; b$"):
        servers.run()
