"""Clients over their quotas, in virtual time: they wait, nothing is lost, and all goes on after."""

from __future__ import annotations

import pytest
from tests.support.quota_cases import altered
from tests.support.simulation import Scene

from spindle.model.client_quotas import quota_entity
from spindle.model.errors import Error, PeerFailed
from spindle.node.broker import Broker
from spindle.sim.sim_cluster import Shape
from spindle.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse

ALL = quota_entity([("user", None)])


def brokers_of(scene: Scene) -> list[Broker]:
    """All brokers that run."""
    return [m.broker for m in scene.cluster.members.values() if m.broker is not None]


def limit(scene: Scene, rate: float | None) -> None:
    """Set the quota of all users, and wait until every node knows it."""
    answers: list[AlterClientQuotasResponse] = []

    def ask() -> None:
        scene.admin.ask(
            None, altered(({"user": None}, {"producer_byte_rate": rate})), answered, version=1
        )

    def answered(answer: AlterClientQuotasResponse | PeerFailed) -> None:
        if isinstance(answer, PeerFailed) or answer.entries[0].error_code != Error.NONE:
            ask()
        else:
            answers.append(answer)

    scene.world.feed(scene.world.hosts["admin"], ask)
    scene.until(lambda: bool(answers), 10, "the quota is changed")
    there = {} if rate is None else {ALL: {"producer_byte_rate": rate}}

    def known() -> bool:
        return all(broker.image.quotas.entities == there for broker in brokers_of(scene))

    scene.until(known, 10, "every broker knows it")


@pytest.mark.spec("S-07")
def test_a_producer_is_held_to_its_rate_and_loses_nothing() -> None:
    scene = Scene(Shape(3, 2), 3)
    limit(scene, 20.0)
    scene.pass_time(30)
    before, began = scene.acknowledged(), scene.world.time.now
    scene.pass_time(60)
    slow = (scene.acknowledged() - before) / (scene.world.time.now - began)
    limit(scene, None)
    scene.flow()
    before, began = scene.acknowledged(), scene.world.time.now
    scene.pass_time(5)
    fast = (scene.acknowledged() - before) / (scene.world.time.now - began)
    assert 0 <= slow < fast / 4
    scene.finish()


@pytest.mark.spec("S-07")
def test_a_quota_lives_through_the_death_of_every_node() -> None:
    scene = Scene(Shape(3, 2), 3)
    limit(scene, 1e9)
    for member in list(scene.cluster.members.values()):
        scene.kill(member)
        scene.flow(seconds=60)

    def known() -> bool:
        return all(ALL in broker.image.quotas.entities for broker in brokers_of(scene))

    scene.until(known, 60, "every broker knows it again")
    scene.finish()
