"""Bits that flip in a whole cluster with clients at work: one replica pays, and is well again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.amounts import beyond
from tests.support.simulation import TOPIC, Scene

from spindle.model.log_values import LogKey
from spindle.node.logdirs.placement_registry import Stage
from spindle.sim.faults import Appetite
from spindle.sim.seed_run import simulate
from spindle.sim.sim_cluster import Shape, SimNode
from spindle.sim.swarm import draw


def flip(scene: Scene, member: SimNode, number: int = 0, at: int = 100) -> None:
    """Change a bit in a segment of the member's replica."""
    path = f"{scene.here(member)}/{TOPIC}-0"
    segments = [n for n in member.disk.names(path) if n.endswith(".log")]
    member.disk.rot(f"{path}/{segments[number]}", at, 0x20)
    scene.promises.on_damaged(member, LogKey(TOPIC, 0))


@pytest.mark.spec("K589-02", "K589-04", "B-28")
@pytest.mark.parametrize("leads", [True, False])
def test_damage_that_no_client_reads_is_found_and_healed(leads: bool) -> None:
    scene = Scene(Shape(3, 2), 3, min_insync_replicas="2")
    member = scene.leader if leads else scene.follower
    flip(scene, member)
    scene.until(lambda: member.node_id not in scene.state.isr, 10, "it is out of the ISR")
    assert scene.state.leader not in (-1, member.node_id)
    assert scene.broker(member).logs.offline == set()
    scene.flow()
    scene.until(lambda: len(scene.state.isr) == 3, 30, "it is back")
    assert scene.place(member).stage is Stage.READY
    assert scene.place(member).healing.heals == 1
    assert scene.broker(member).logs.repairs.bad_copies.bytes_in(scene.here(member)) > 0
    scene.finish()


@pytest.mark.spec("K589-04", "B-28")
@pytest.mark.parametrize("seed", [*range(1, 5), *beyond(range(5, 40))])
def test_after_many_flips_kills_and_hiccups_every_replica_is_whole(seed: int) -> None:
    appetite = Appetite({"flip": 3.0, "kill": 0.3, "hiccup": 0.2}, 0.5, 0.5)
    outcome = simulate(seed, replace(draw(seed), appetite=appetite))
    assert outcome.error is None, outcome.error
