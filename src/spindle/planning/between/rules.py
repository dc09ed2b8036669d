"""Which broker may have which replica: no two of a partition on one, racks not fewer than before.

Where a replica must leave and no open broker stands in a rack of its own for it, it may share one.
Of each partition one replica at a time goes to another broker, and none while another is on its
way: so every state between is as good as the rules ask. Called by the planner between brokers.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from spindle.planning.search_state import SearchState


class PlacementRules:
    """The rules of a cluster; `touched`: partition -> its replica that goes to another broker."""

    def __init__(self, field: SearchState) -> None:
        cluster = field.cluster
        self._field, self._owner = field, cluster.owner
        self._partition: list[int] = field.partition.tolist()
        self._copies: list[int] = np.argsort(field.partition, kind="stable").tolist()
        count = len(cluster.partitions.number)
        ends = np.cumsum(np.bincount(field.partition, minlength=count))
        self._ends: list[int] = [0, *ends.tolist()]
        # A broker that does not tell its rack is one by itself.
        self.racks: list[Hashable] = [
            b.rack if b.rack is not None else n for n, b in enumerate(cluster.brokers)
        ]
        self.takes = [
            b.open and not b.drain and any(field.targets[d] for d in cluster.of_broker(n))
            for n, b in enumerate(cluster.brokers)
        ]
        taking = zip(self.racks, self.takes, strict=True)
        self._open_racks = list(dict.fromkeys(rack for rack, takes in taking if takes))
        self._open_set = set(self._open_racks)
        self.touched: dict[int, int] = {}

    def others(self, rank: int) -> list[int]:
        """The brokers of a partition's other replicas."""
        partition = self._partition[rank]
        theirs = self._copies[self._ends[partition] : self._ends[partition + 1]]
        place, owner = self._field.place, self._owner
        return [owner[place[other]] for other in theirs if other != rank]

    def free(self, rank: int) -> bool:
        """Whether a replica may go to any other broker at all, for now."""
        partition = self._partition[rank]
        if partition in self._field.stays.frozen:
            return False
        return self.touched.get(partition, rank) == rank

    def allows(self, rank: int, target: int) -> bool:
        """Whether a replica may go to a broker."""
        if not self.takes[target] or not self.free(rank):
            return False
        others = self.others(rank)
        if target in others:
            return False
        racks = [self.racks[b] for b in others]
        if self.racks[target] not in racks:
            return True
        home = self._field.place[rank]
        if self.racks[self._owner[home]] in racks:
            return True
        return self.must(home) and all(rack in racks for rack in self._open_racks)

    def must(self, directory: int) -> bool:
        """Whether what is in a directory has to leave for another broker."""
        broker = self._owner[directory]
        if self._field.cluster.brokers[broker].drain:
            return True
        own = self._field.cluster.of_broker(broker)
        return self._field.cluster.directories[directory].drain and not any(
            self._field.targets[d] for d in own
        )

    def crowded(self, rank: int) -> bool:
        """Whether a replica shares its rack while a broker that takes replicas has none of them."""
        place, owner = self._field.place, self._owner
        racks = [self.racks[b] for b in self.others(rank)]
        return self.racks[owner[place[rank]]] in racks and not self._open_set <= set(racks)

    def uncrowds(self, rank: int, target: int) -> bool:
        """Whether a replica would share its rack with no other on this broker."""
        return self.racks[target] not in [self.racks[b] for b in self.others(rank)]

    def crowds(self) -> list[list[int]]:
        """The replicas of each partition with fewer racks than it could have that share one."""
        racks = np.unique([repr(rack) for rack in self.racks], return_inverse=True)[1]
        place = np.array(self._field.place, dtype=np.int64)
        rack = racks[np.array(self._owner, dtype=np.int64)[place]]
        copies = np.array(self._copies, dtype=np.int64)
        pairs = self._field.partition[copies] * (int(racks.max(initial=0)) + 1) + rack[copies]
        _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
        shared = np.unique(self._field.partition[copies[counts[inverse] > 1]]).tolist()
        found = []
        for partition in shared:
            theirs = self._copies[self._ends[partition] : self._ends[partition + 1]]
            crowd = [rank for rank in theirs if self.crowded(rank)]
            if crowd:
                found.append(crowd)
        return found

    def touch(self, rank: int, away: bool) -> None:
        """Take note that a replica is, or is not any more, to go to another broker."""
        if away:
            self.touched[self._partition[rank]] = rank
        else:
            self.touched.pop(self._partition[rank], None)
