"""What befalls the cluster: faults of nodes, disks and the network; orders that go on meanwhile.

No fault takes a file, so none may cost an acknowledged record, however many come together.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from spindle.client.admin import AdminClient
from spindle.client.results import Replica
from spindle.model.errors import Failure, Refusal, Unusable
from spindle.model.ids import LogDir, TopicPartition
from spindle.testing import BrokerInstance, ClusterInstance, NodeInstance
from spindle.testing.node_instance import DiskInstance
from tests.soak.topics import COPY, INPUT, PARTITIONS

PAUSE_S: Final = (0.5, 3.0)
LENGTHS_S: Final = (0.5, 2.0, 5.0, 10.0)
ORDERS_SHARE, CONTROLLERS_SHARE = 0.25, 0.2
ORDER_S: Final = 10.0
REPLICAS: Final = 3
OF_A_NODE: Final = ("kill", "stop", "freeze", "cut off")
OF_A_DISK: Final = ("fail", "read-only", "full", "hang", "hang in sync", "slow")


class _Trouble(NamedTuple):
    undo: Callable[[], None]
    until: float


class Troubles:
    """Faults of one or two brokers and one controller at a time, and what operators order."""

    def __init__(self, cluster: ClusterInstance, seed: int, say: Callable[[str], None]) -> None:
        """`say`: receives each fault, its end, and each order, in words."""
        self._cluster, self._rng, self._say = cluster, random.Random(f"{seed} troubles"), say
        self._open: dict[NodeInstance, _Trouble] = {}
        self.counts: Counter[str] = Counter()

    def run(self, seconds: float) -> None:
        """Trouble for so long; then all of it ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self._rng.uniform(*PAUSE_S))
            self._end_some(time.monotonic())
            if self._rng.random() < ORDERS_SHARE:
                asyncio.run(self._order())
            else:
                self._strike()
        self._end_some(float("inf"))

    def _end_some(self, now: float) -> None:
        for node, trouble in [*self._open.items()]:
            if trouble.until <= now:
                self._say(f"{node.name} is well")
                del self._open[node]
                trouble.undo()

    def _strike(self) -> None:
        controllers, brokers = self._cluster.controllers, self._cluster.brokers
        hits_controllers = self._rng.random() < CONTROLLERS_SHARE
        among: tuple[NodeInstance, ...] = controllers if hits_controllers else brokers
        most = 1 if hits_controllers else self._rng.choice([1, 1, 2])
        node = self._rng.choice(among)
        if node in self._open or len(self._open.keys() & set(among)) >= most:
            return
        kinds = OF_A_NODE if hits_controllers else OF_A_NODE + OF_A_DISK
        kind = self._rng.choice(kinds)
        self._say(f"{node.name}: {kind}")
        self.counts[kind] += 1
        if isinstance(node, BrokerInstance) and kind in OF_A_DISK:
            undo = self._hurt(self._rng.choice(node.disks), kind)
        else:
            undo = _stun(node, kind)
        until = time.monotonic() + self._rng.choice(LENGTHS_S)
        self._open[node] = _Trouble(undo, until)

    def _hurt(self, disk: DiskInstance, kind: str) -> Callable[[], None]:
        match kind:
            case "fail":
                disk.fail()
            case "read-only":
                disk.fail("EROFS")
            case "full":
                disk.fill(self._rng.choice([0, 50_000]))
            case "hang":
                disk.hang()
            case "hang in sync":
                disk.hang(["sync"])
            case _:
                disk.slow(0.2)
        return disk.heal

    async def _order(self) -> None:
        """Something of what operators do, in the middle of it all; a refusal is an answer, too."""
        kind = self._rng.choice(["move", "move", "reassign", "cancel", "elect"])
        which = TopicPartition(self._rng.choice([INPUT, COPY]), self._rng.randrange(PARTITIONS))
        broker = self._rng.choice(self._cluster.brokers)
        path = LogDir(str(self._rng.choice(broker.disks).path))
        everywhere = [one.node_id for one in self._cluster.brokers]
        target = self._rng.sample(everywhere, REPLICAS)
        self.counts[kind] += 1
        self._say(f"{kind} {which}")
        try:
            async with AdminClient(self._cluster.bootstrap_servers) as admin:
                if kind == "move":
                    replica = Replica(which.topic, which.partition, broker.node_id)
                    await admin.alter_replica_log_dirs({replica: path}, timeout=ORDER_S).all()
                elif kind == "elect":
                    await admin.elect_leaders([which], timeout=ORDER_S).all()
                else:
                    targets = {which: target if kind == "reassign" else None}
                    await admin.alter_partition_reassignments(targets, timeout=ORDER_S).all()
        except (Refusal, Unusable, Failure) as refused:
            self._say(f"  refused: {refused}")


def _stun(node: NodeInstance, kind: str) -> Callable[[], None]:
    match kind:
        case "kill":
            node.kill()
        case "stop":
            node.stop()
        case "freeze":
            node.freeze()
            return node.thaw
        case _:
            node.cut_off()
            return node.reconnect
    return lambda: node.start(wait=False)
