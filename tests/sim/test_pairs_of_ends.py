"""All pairs of what can end or disturb a move, both at once, in a whole cluster with clients.

One strikes at a stage of the move, the other in the same instant or soon after: in one order here,
in both in `make explore`. Each end is the first of half of its pairs.
Whatever the pair: once all is healed, every replica is in one place, which the metadata names,
nothing of a move is left over, and all that was acknowledged is there once (`sim.checks`).
`SPINDLE_CRASH_POINTS=all` tries every pair at every stage, for leaders and for followers.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import permutations, product
from typing import Any, Final, NamedTuple

import pytest
from tests.support.amounts import beyond
from tests.support.simulation import TOPIC, Scene

from spindle.model.cleaning_jobs import AdoptCleaned
from spindle.model.copying_jobs import AdoptCopied, CopyBytes, PlanCopy
from spindle.model.jobs import CreateLog, Discard, Flush, Promote
from spindle.sim.producer import ProducerPace
from spindle.sim.sim_cluster import Shape, SimNode

ALL = os.environ.get("SPINDLE_CRASH_POINTS") == "all"
STAGES: Final = (CreateLog, PlanCopy, CopyBytes, AdoptCopied, Flush, Discard, Promote)
DELAYS: Final = (0.0, 0.002, 0.05)
ISOLATED: Final = 4.0
"""Seconds after which another broker leads."""
SETTINGS: Final = {"log.cleaner.backoff.ms": "300"}
COMPACT: Final = {
    "cleanup_policy": "compact",
    "min_cleanable_dirty_ratio": "0.01",
    "segment_bytes": "1000",
}


class Case(NamedTuple):
    """Two ends, what the second waits, the stage at which they strike, and whose move it is."""

    first: str
    second: str
    delay: float
    stage: int
    leads: bool


class Struck:
    """A move in a scene, and what can be done to it."""

    def __init__(self, case: Case) -> None:
        configs: dict[str, Any] = COMPACT if "compaction" in case[:2] else {}
        self.scene = scene = Scene(
            Shape(3, 3, settings=SETTINGS),
            2,
            topics=2,
            pace=ProducerPace(pause=0.05),
            **configs,
        )
        self.member: SimNode = scene.leader if case.leads else scene.follower
        self.home = scene.here(self.member)
        self.target, self.third = (p for p in self.member.log_dirs if p != self.home)
        self.others = [m for m in scene.cluster.brokers if m is not self.member]
        self.peer = scene.follower if case.leads else scene.leader
        self.stranger = next(m for m in self.others if m is not self.peer)

    def _ask(self, then: Callable[[], None]) -> None:
        self.scene.world.feed(self.scene.world.hosts["admin"], then)

    def done(self) -> None:
        """The move comes to its end."""

    def compaction(self) -> None:
        """The cleaner is at work all the while."""

    def cancelled(self) -> None:
        """The operator wants it to stay."""
        self.scene.move(self.member, self.home)

    def redirected(self) -> None:
        """Or to go elsewhere."""
        self.scene.move(self.member, self.third)

    def source_dead(self) -> None:
        """The disk that it comes from fails."""
        self.scene.hurt(self.member)
        self.member.disk.fail(f"{self.home}/", errno.EIO)

    def destination_dead(self) -> None:
        """The disk that it goes to fails."""
        self.scene.hurt(self.member)
        self.member.disk.fail(f"{self.target}/", errno.EIO)

    def destination_full(self) -> None:
        """It has no more room."""
        disk = self.member.disk
        disk.capacity[self.target] = disk.used(self.target) + 100

    def topic_deleted(self) -> None:
        """The topic is not wanted any more."""
        admin = self.scene.admin
        view = next((t for t in admin.topics.values() if t.name == TOPIC), None)
        if view is not None:
            self._ask(lambda: admin.delete(view))

    def reassigned_away(self) -> None:
        """The replica is to be on another broker."""
        self.scene.reassign(self.peer.node_id, self.stranger.node_id)

    def leader_changed(self) -> None:
        """The leader is killed: the other replica leads, if it is in sync."""
        scene = self.scene
        if TOPIC in scene.cluster.newest.topic_ids and scene.state.leader >= 0:
            scene.kill(scene.leader, 1.0)

    def truncated(self) -> None:
        """The moved replica takes writes that no other gets to see, until another one leads."""
        scene, name = self.scene, self.member.host.name
        scene.checks.network_hurt = True
        nodes = [m.host.name for m in scene.cluster.members.values() if m is not self.member]
        cuts = [pair for other in nodes for pair in ((name, other), (other, name))]
        scene.world.net.cuts.update(dict.fromkeys(cuts))

        def undo() -> None:
            for cut in cuts:
                scene.world.net.cuts.pop(cut, None)
            scene.world.net.reset_swallowed()

        scene.world.time.after(ISOLATED, undo)

    def trimmed(self) -> None:
        """What was copied, or all but, is not to be kept any longer."""
        scene = self.scene
        id = next((i for i in scene.history.acknowledged if i == scene.first), None)
        if id is not None and TOPIC in scene.cluster.newest.topic_ids:
            self._ask(lambda: scene.admin.trim(TOPIC, 0, max(scene.history.acknowledged[id])))

    def stopped(self) -> None:
        """The broker stops in an orderly way, and starts again."""
        if self.member.node is not None:
            self.scene.cluster.stop(self.member)
            self.scene.cluster.start_later(self.member, 3.0)

    def killed(self) -> None:
        """The broker is killed, and starts again."""
        self.scene.kill(self.member)


ENDS: Final = (
    "done", "cancelled", "redirected", "source_dead", "destination_dead", "destination_full",
    "topic_deleted", "reassigned_away", "leader_changed", "truncated", "trimmed", "compaction",
    "stopped", "killed",
)  # fmt: skip


def cases() -> list[Case]:
    """All ordered pairs; the rest of the case goes round, or takes every value."""
    pairs: list[tuple[str, str]] = list(permutations(ENDS, 2))
    if ALL:
        rest = list(product(DELAYS, range(len(STAGES)), (False, True)))
        return [Case(*pair, d, s, leads) for pair in pairs for d, s, leads in rest]
    both = [
        Case(*pair, DELAYS[n % 3], n % len(STAGES), bool(n // len(ENDS) % 2))
        for n, pair in enumerate(pairs)
    ]
    return [*filter(is_first, both), *beyond(case for case in both if not is_first(case))]


def is_first(case: Case) -> bool:
    """Whether a case has the one order of its two ends: round in a circle, each before the next."""
    first, second = ENDS.index(case.first), ENDS.index(case.second)
    ahead, half = (second - first) % len(ENDS), len(ENDS) // 2
    return ahead < half or (ahead == half and first < second)


def play(case: Case) -> tuple[str, int, int]:
    """What was broken ("": nothing); how many logs were promoted; and cleaned on the way."""
    stage = Promote if "done" in case[:2] else STAGES[case.stage]
    struck = Struck(case)
    scene = struck.scene
    cleaned = scene.counted(AdoptCleaned, struck.member)

    def strike() -> None:
        world = scene.world
        world.time.after(0.0, getattr(struck, case.first))
        world.time.after(case.delay, getattr(struck, case.second))

    try:
        there = scene.after(stage, struck.member, strike)
        scene.move(struck.member, struck.target)
        scene.until(lambda: bool(there), 10, f"{stage.__name__} is done")
        scene.pass_time(ISOLATED + 0.5 if "truncated" in case[:2] else 1.5)
        scene.finish()
    except Exception as broken:
        said = [f"{at:.3f} {host} {s.event} {s.fields}" for at, host, s in scene.world.said][-25:]
        return "\n".join([f"{case}: {type(broken).__name__}: {broken}", *said]), 0, 0
    return "", scene.checks.moved, len(cleaned)


@pytest.mark.timeout(3600 if ALL else 300)
@pytest.mark.spec("K113-08", "K113-09", "K113-12", "K113-13", "K113-14", "K113-19", "B-02", "B-20")
def test_no_pair_of_ends_costs_a_record_or_leaves_anything_behind(
    record_property: Callable[[str, object], None],
) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        outcomes = list(pool.map(play, cases(), chunksize=8))
    failed = [error for error, _, _ in outcomes if error]
    assert not failed, f"{len(failed)} of {len(outcomes)}:\n" + "\n\n".join(failed[:5])
    assert sum(moved for _, moved, _ in outcomes) > len(outcomes) // 2
    assert sum(cleaned for _, _, cleaned in outcomes) > 0
    record_property("crash points", f"pairs of ends of a move: {len(outcomes)} cases")
