"""Brokers to plan for: by hand, by hypothesis, by seed; and a plan's run, step by step."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from spindle.planning.load import Band, BrokerPlan, DirectoryLoad, ReplicaLoad

Broker = tuple[list[DirectoryLoad], list[ReplicaLoad]]


def by_hand(
    capacity: int, *contents: Sequence[int], closed: str = "", drain: str = "", pinned: str = ""
) -> Broker:
    """Directories /a, /b, ... of one capacity, each with replicas of these sizes.

    `closed`, `drain`: last characters of directories; `pinned`: of directories whose replicas
    are on the move.
    """
    directories, replicas = [], []
    for letter, sizes in zip("abcdefghij", contents, strict=False):
        path = f"/{letter}"
        directories.append(DirectoryLoad(path, capacity, letter not in closed, letter in drain))
        replicas += [
            ReplicaLoad(letter, number, path, size, letter in pinned)
            for number, size in enumerate(sizes)
        ]
    return directories, replicas


@st.composite
def brokers(draw: st.DrawFn) -> Broker:
    """Small brokers of every kind: tight ones, with giants, closed and drained directories."""
    count = draw(st.integers(1, 6))
    directories = [
        DirectoryLoad(
            f"/{number}",
            draw(st.integers(50, 1000)),
            draw(st.sampled_from((True, True, True, False))),
            draw(st.sampled_from((False, False, False, True))),
        )
        for number in range(count)
    ]
    size = st.one_of(st.integers(0, 20), st.integers(0, 300))
    replicas = [
        ReplicaLoad(
            f"t{number % 3}",
            number,
            f"/{draw(st.integers(0, count - 1))}",
            draw(size),
            draw(st.sampled_from((False,) * 9 + (True,))),
        )
        for number in range(draw(st.integers(0, 24)))
    ]
    return directories, replicas


@st.composite
def bands(draw: st.DrawFn) -> Band:
    """Bands from hard to easy."""
    return Band(
        draw(st.sampled_from((0.0, 0.01, 0.05, 0.2))), draw(st.sampled_from((0.7, 0.9, 1.0)))
    )


def by_seed(seed: int, directories: int = 12, replicas: int = 400) -> Broker:
    """A broker of the usual kind: many replicas, few of them large, and one new, empty disk."""
    rng = random.Random(seed)
    capacity = 4_000_000_000_000
    raw = [rng.lognormvariate(0, 1.5) for _ in range(replicas)]
    scale = 0.5 * directories * capacity / sum(raw)
    return (
        [DirectoryLoad(f"/d{n:02}", capacity) for n in range(directories)],
        [
            ReplicaLoad(f"t{n % 20}", n // 20, f"/d{rng.randrange(directories - 1):02}",
                        int(min(one * scale, 0.4 * capacity)))
            for n, one in enumerate(raw)
        ],
    )  # fmt: skip


def after(replicas: Sequence[ReplicaLoad], plan: BrokerPlan) -> list[ReplicaLoad]:
    """Where everything is when a plan is done."""
    target = {(m.topic, m.partition): m.target for m in plan.moves}
    return [r._replace(directory=target.get((r.topic, r.partition), r.directory)) for r in replicas]


def waves(plan: BrokerPlan) -> list[list[tuple[str, int, str, str, int]]]:
    """A plan's moves by wave: (topic, partition, source, target, size)."""
    moves = iter(plan.moves)
    return [[next(moves)[1:6] for _ in range(length)] for length in plan.waves]


def run(broker: Broker, plan: BrokerPlan, high_mark: float) -> dict[str, int]:
    """Carry a plan out with both copies of what moves; the sizes at the end.

    Fails where a directory takes something and is above its mark then, where a replica is not
    where its move begins, or where a wave holds two moves of one replica.
    """
    directories, replicas = broker
    mark = {d.path: d.capacity * high_mark for d in directories}
    sizes = {d.path: 0 for d in directories}
    place = {(r.topic, r.partition): r.directory for r in replicas}
    for replica in replicas:
        sizes[replica.directory] += replica.size
    for wave in waves(plan):
        assert len({move[:2] for move in wave}) == len(wave), "a replica moves twice at once"
        for topic, partition, source, target, size in wave:
            assert place[topic, partition] == source
            sizes[target] += size
            assert size == 0 or sizes[target] <= mark[target], f"{target} is above its mark"
        for topic, partition, source, target, size in wave:
            sizes[source] -= size
            place[topic, partition] = target
    return sizes
