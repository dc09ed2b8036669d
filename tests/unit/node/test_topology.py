"""Partitions in answers to clients agree with the image's own rules."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.support.cluster_image import add_topic, directory, three_brokers

from spindle.model import metadata_records as r
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED
from spindle.node.topology import Listening, controller_for_clients


@pytest.mark.parametrize("seed", range(20))
def test_offline_replicas_are_those_that_the_image_calls_offline(seed: int) -> None:
    rng = random.Random(seed)
    image = three_brokers()
    image.apply(r.BrokerRegistrationChange(broker_id=3, broker_epoch=30, fenced=1))
    image.apply(replace(image.brokers[rng.choice((1, 2))], log_dirs=()))
    id = add_topic(image, "t", *[(1, 2, 3, 4)] * 30)
    seen = Listening(image, "PLAINTEXT")
    for index, partition in image.topics[id].partitions.items():
        kinds = [LOST, MIGRATING, UNASSIGNED]
        changed = replace(
            partition,
            directories=tuple(
                rng.choice([*kinds, directory(b, 0), directory(b, 9)]) for b in partition.replicas
            )
            if index
            else (),
        )
        assert seen.offline_replicas(changed) == tuple(
            b for b in changed.replicas if not image.replica_is_online(changed, b)
        )


def test_the_broker_that_answers_is_the_controller_if_it_serves() -> None:
    """Of another one it may not have heard yet that it is dead: clients would wait for that one."""
    image = three_brokers()
    assert [controller_for_clients(image, here) for here in (1, 2, 3)] == [1, 2, 3]
    image.apply(r.BrokerRegistrationChange(broker_id=1, broker_epoch=10, fenced=1))
    assert [controller_for_clients(image, here) for here in (1, 2, 3)] == [2, 2, 3]
