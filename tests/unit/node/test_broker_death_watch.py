"""The watch over brokers' processes, with an Outbox in the test's hand."""

from __future__ import annotations

import random
import uuid

import pytest

from spindle.model import metadata_records as r
from spindle.model.ids import Endpoint
from spindle.model.image import ClusterImage
from spindle.model.outbox import KnockAsked, Knocked, Outbox
from spindle.node.broker_death_watch import TRIES, BrokerDeathWatch

pytestmark = pytest.mark.spec("B-29")
BROKER, EPOCH, LINK = 1, 40, 7


class Scene:
    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.image = ClusterImage()
        self.dead: list[tuple[int, int]] = []
        self.watch = BrokerDeathWatch(self.out, lambda: self.image, self._on_dead)
        self.register()

    def _on_dead(self, broker: int, epoch: int) -> None:
        self.dead.append((broker, epoch))

    def register(self, fenced: bool = False) -> None:
        self.image.apply(
            r.RegisterBroker(
                broker_id=BROKER,
                incarnation_id=uuid.UUID(int=9),
                broker_epoch=EPOCH,
                endpoints=(Endpoint("PLAINTEXT", "host", 9092),),
                fenced=fenced,
            )
        )
        self.watch.on_metadata(self.image.take_delta())

    def knocks(self) -> list[KnockAsked]:
        """Those that are asked for by now, once the next timer has run."""
        if (at := self.out.wake_at) is not None:
            self.out.now = max(self.out.now, at)
            self.out.tick()
        ready = self.out.take()
        return [] if ready is None else ready.knocks

    def answer(self, outcome: Knocked) -> int:
        """Answer all knocks that are asked for; how many."""
        asked = self.knocks()
        for one in asked:
            self.out.done(one.ticket, outcome)
        return len(asked)


def test_a_broker_that_does_not_listen_yet_is_tried_again_and_not_for_ever() -> None:
    scene = Scene()
    counts = [scene.answer(Knocked.REFUSED) for _ in range(TRIES + 2)]
    assert counts == [1] * (TRIES + 1) + [0]
    assert 60 < scene.out.now < 70
    other = Scene()
    assert [other.answer(o) for o in (Knocked.REFUSED, Knocked.OPENED)] == [1, 1]
    assert other.knocks() == []
    fenced = Scene()
    fenced.answer(Knocked.REFUSED)
    fenced.register(fenced=True)
    assert fenced.knocks() == []


def test_only_a_leader_suspects_and_only_by_the_connection_of_the_latest_heartbeat() -> None:
    scene = Scene()
    scene.answer(Knocked.OPENED)
    scene.watch.on_heartbeat(BROKER, LINK)
    scene.watch.on_disconnected(LINK)
    assert scene.knocks() == []
    scene.watch.begin()
    assert scene.answer(Knocked.OPENED) == 1, "every broker is suspected at an election"
    scene.watch.on_heartbeat(BROKER, LINK)
    scene.watch.on_heartbeat(BROKER, LINK + 1)
    scene.watch.on_disconnected(LINK)
    assert scene.knocks() == []
    scene.watch.on_disconnected(LINK + 1)
    assert [scene.answer(Knocked.REFUSED) for _ in range(2)] == [1, 1]
    assert scene.dead == [(BROKER, EPOCH)]


def test_one_that_leads_no_longer_buries_no_broker() -> None:
    scene = Scene()
    scene.answer(Knocked.OPENED)
    scene.watch.begin()
    scene.answer(Knocked.REFUSED)
    scene.watch.end()
    scene.answer(Knocked.REFUSED)
    assert scene.dead == []
