"""A share partition at random, from its members to the log of its coordinator: answers get lost,
locks and sessions end, records are given up, taken back, aborted or deleted; its leader and its
coordinator move, and it is set to begin elsewhere.

A record that is over, as was answered, is not handed out again; none is with two members of a
leader; none is delivered too often, nor are too many in flight; none is passed over that no member
has ended and that was not delivered as often as it may be.
"""

from __future__ import annotations

import random

import pytest
from tests.support.share_leaders import ShareScene

from spindle.core.share.share_values import AcknowledgeType

pytestmark = pytest.mark.spec("C-04")
STEPS = 400
TYPES = tuple(int(type_) for type_ in AcknowledgeType)


def disturb(scene: ShareScene, rng: random.Random) -> None:
    """One of the things that happen, or a step of one member."""
    event, member = rng.random(), rng.choice("abc")
    leader = scene.leader if rng.random() < 0.8 else rng.choice(scene.leaders)
    if event < 0.01:
        scene.move_leader()
    elif event < 0.02:
        scene.world.move()
    elif event < 0.025:
        scene.reset(rng.randrange(scene.log.start, scene.log.end + 1))
    elif event < 0.03 and scene.log.end:
        scene.log.start = rng.randrange(scene.log.start, scene.log.end + 1)
    elif event < 0.06:
        scene.world.wait(rng.choice((0.5, 3.0, 11.0)))
    elif event < 0.08:
        leader.release(member)
    elif event < 0.16:
        scene.log.append(rng)
    elif event < 0.5:
        scene.go_on(loses=0.05, gives_up=0.1, fails=rng.random() < 0.05)
    elif event < 0.75:
        leader.fetch(member, rng)
    else:
        leader.acknowledge(member, rng.choices(TYPES, (1, 6, 3, 1, 1), k=rng.randrange(1, 6)))


@pytest.mark.parametrize("seed", range(40))
def test_no_record_is_lost_nor_comes_after_it_is_over(seed: int) -> None:
    rng = random.Random(seed)
    scene = ShareScene(rng)
    for _ in range(STEPS):
        disturb(scene, rng)
        scene.check_runs()
    scene.settle(rng)
