"""Which brokers count as dead, by every order of what may happen to them and to the network."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.controller.broker_suspicions import (
    ROUNDS,
    Address,
    BrokerSuspicions,
    Suspicion,
)
from spindle.model.outbox import Knocked

BROKER, EPOCH = 1, 40
ONE, TWO = ("one", 9092), ("two", 9093)

pytestmark = pytest.mark.spec("B-29")


def serving(*reached: Address) -> BrokerSuspicions:
    suspicions = BrokerSuspicions()
    assert suspicions.on_serving(BROKER, EPOCH)
    for address in reached:
        suspicions.on_reached(BROKER, EPOCH, address)
    return suspicions


def refuse(suspicions: BrokerSuspicions, *addresses: Address) -> list[Suspicion]:
    return [suspicions.on_knock(BROKER, EPOCH, a, Knocked.REFUSED) for a in addresses]


def test_a_broker_is_dead_once_all_its_addresses_have_refused_twice() -> None:
    suspicions = serving(ONE, TWO)
    assert suspicions.suspect(BROKER, EPOCH) == [ONE, TWO]
    assert refuse(suspicions, ONE, TWO) == [Suspicion.NONE, Suspicion.AGAIN]
    assert suspicions.again(BROKER, EPOCH) == [ONE, TWO]
    assert refuse(suspicions, TWO, ONE) == [Suspicion.NONE, Suspicion.DEAD]


@pytest.mark.parametrize("outcome", [Knocked.OPENED, Knocked.SILENT])
def test_a_round_in_which_one_does_not_refuse_is_no_proof(outcome: Knocked) -> None:
    suspicions = serving(ONE, TWO)
    suspicions.suspect(BROKER, EPOCH)
    refuse(suspicions, ONE, TWO)
    suspicions.again(BROKER, EPOCH)
    assert suspicions.on_knock(BROKER, EPOCH, ONE, outcome) is Suspicion.NONE
    assert refuse(suspicions, TWO) == [Suspicion.AGAIN]
    suspicions.again(BROKER, EPOCH)
    assert refuse(suspicions, ONE, TWO)[-1] is Suspicion.AGAIN, "the proofs begin from the start"
    suspicions.again(BROKER, EPOCH)
    assert refuse(suspicions, ONE, TWO)[-1] is Suspicion.DEAD


def test_a_suspect_that_goes_on_to_open_is_trusted_in_the_end() -> None:
    suspicions = serving(ONE)
    suspicions.suspect(BROKER, EPOCH)
    for _ in range(ROUNDS - 1):
        assert suspicions.suspect(BROKER, EPOCH) == (), "it is suspected already"
        assert suspicions.on_knock(BROKER, EPOCH, ONE, Knocked.OPENED) is Suspicion.AGAIN
        assert suspicions.again(BROKER, EPOCH) == [ONE]
    assert suspicions.on_knock(BROKER, EPOCH, ONE, Knocked.OPENED) is Suspicion.NONE
    assert suspicions.again(BROKER, EPOCH) == ()


def test_a_heartbeat_in_between_clears_it() -> None:
    suspicions = serving(ONE)
    suspicions.suspect(BROKER, EPOCH)
    assert refuse(suspicions, ONE) == [Suspicion.AGAIN]
    suspicions.on_heard(BROKER)
    assert suspicions.again(BROKER, EPOCH) == ()
    suspicions.suspect(BROKER, EPOCH)
    assert refuse(suspicions, ONE) == [Suspicion.AGAIN], "it counts from the start"


def test_a_refusal_where_no_connection_was_ever_accepted_proves_nothing() -> None:
    assert serving().suspect(BROKER, EPOCH) == ()
    assert serving(TWO).suspect(BROKER, EPOCH) == [TWO]


def test_what_was_of_another_epoch_counts_for_nothing() -> None:
    suspicions = serving(ONE)
    suspicions.suspect(BROKER, EPOCH)
    assert not suspicions.on_serving(BROKER, EPOCH)
    assert suspicions.on_serving(BROKER, EPOCH + 1)
    assert refuse(suspicions, ONE) == [Suspicion.NONE]
    assert suspicions.suspect(BROKER, EPOCH) == ()
    assert suspicions.suspect(BROKER, EPOCH + 1) == (), "its next process was not reached yet"
    suspicions.on_reached(BROKER, EPOCH, ONE)
    assert suspicions.suspect(BROKER, EPOCH + 1) == ()
    assert suspicions.is_serving(BROKER, EPOCH + 1)
    assert not suspicions.is_serving(BROKER, EPOCH)
    suspicions.forget(BROKER)
    assert not suspicions.is_serving(BROKER, EPOCH + 1)
    assert suspicions.serving == []


@dataclass
class Scene:
    """A broker's process, the network to it, and a controller that follows the table."""

    suspicions: BrokerSuspicions = field(default_factory=lambda: serving(ONE, TWO))
    alive: bool = True
    stopped: bool = False
    cut: bool = False
    knocks: list[Address] = field(default_factory=list)
    rest: bool = False
    dead: bool = False

    def happen(self, event: str) -> None:
        if event in ("alive", "stopped", "cut"):
            if event != "alive" or self.alive:  # No process comes back to life.
                setattr(self, event, not getattr(self, event))
        elif event == "lost":
            self.knocks += self.suspicions.suspect(BROKER, EPOCH)
        elif event == "beat" and self.alive and not self.stopped and not self.cut:
            self.suspicions.on_heard(BROKER)
        elif event == "rested" and self.rest:
            self.rest = False
            self.knocks += self.suspicions.again(BROKER, EPOCH)
        elif event in ("first", "last") and self.knocks:
            self.knocked(self.knocks.pop(0 if event == "first" else -1))

    def knocked(self, address: Address) -> None:
        refused = Knocked.SILENT if self.cut else Knocked.REFUSED
        outcome = Knocked.OPENED if self.alive and not self.cut else refused
        suspicion = self.suspicions.on_knock(BROKER, EPOCH, address, outcome)
        self.rest = self.rest or suspicion is Suspicion.AGAIN
        self.dead = self.dead or suspicion is Suspicion.DEAD


EVENTS = ("alive", "stopped", "cut", "lost", "beat", "rested", "first", "last")


@given(st.lists(st.sampled_from(EVENTS), max_size=60))
def test_no_broker_that_lives_counts_as_dead_however_slow_or_cut_off(events: list[str]) -> None:
    scene = Scene()
    for event in events:
        scene.happen(event)
        assert not (scene.dead and scene.alive)


@given(st.lists(st.sampled_from([e for e in EVENTS if e != "alive"]), max_size=30))
def test_one_that_is_killed_counts_as_dead_soon(before: list[str]) -> None:
    scene = Scene()
    for event in before:
        scene.happen(event)
    scene.cut = False
    for event in ("alive", *("first", "rested") * 9, "lost", *("first", "rested") * 9):
        scene.happen(event)
    assert scene.dead
