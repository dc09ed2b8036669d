"""Two brokers that follow each other, and the metadata log that each learns from in its own time.

A leadership that moves leaves a broker behind that does not know of it until it learns. Belongs to
`transacting`, which decides what happens next.
"""

from __future__ import annotations

from spindle.model import metadata_records as r
from spindle.model.ids import NodeId, PartitionId
from spindle.model.image import ClusterImage
from spindle.sim.exhaustive.side import Ids, StandingBroker


class BrokerPair:
    """The brokers 1 and 2. `image`: what the log says, whether or not they have learned of it."""

    def __init__(self, records: list[r.MetadataRecord], now: float) -> None:
        self.log: list[list[r.MetadataRecord]] = []
        self.image = ClusterImage()
        self._append(records)
        ids = Ids()
        self.sides = {n: StandingBroker(n, now, ids) for n in (1, 2)}
        for side in self.sides.values():
            self.learn(side)

    def leader(self, id: PartitionId) -> NodeId:
        """The leader, whether or not all have learned of it."""
        state = self.image.partition(id)
        assert state is not None
        return state.leader

    def leading(self, id: PartitionId) -> StandingBroker:
        """The broker that leads."""
        return self.sides[self.leader(id)]

    def following(self, id: PartitionId) -> StandingBroker:
        """The other one."""
        return self.sides[3 - self.leader(id)]

    def move(self, *ids: PartitionId) -> None:
        """The other broker leads, alone in the ISR; brokers learn of it one by one."""
        changes: list[r.MetadataRecord] = []
        for id in ids:
            other = 3 - self.leader(id)
            changes.append(
                r.PartitionChange(
                    partition_id=id.partition, topic_id=id.topic_id, leader=other, isr=(other,)
                )
            )
        self._append(changes)

    def _append(self, records: list[r.MetadataRecord]) -> None:
        for record in records:
            self.image.apply(record)
        self.log.append(records)

    def can_learn(self, side: StandingBroker) -> bool:
        """Whether a broker has not read all of the log."""
        return side.learned < len(self.log)

    def learn(self, side: StandingBroker) -> None:
        """A broker reads the next batch of the log."""
        side.learn(self.log[side.learned])

    def can_copy(self, id: PartitionId) -> bool:
        """Whether the follower is in sync with a leader that it knows, and lacks something."""
        state = self.image.partition(id)
        assert state is not None
        follower = self.following(id)
        its = self.leading(id).replicas.partitions.hosted[id].partition
        mine = follower.replicas.partitions.hosted[id].partition
        agree = its.leads and not mine.leads and its.leader_epoch == mine.leader_epoch
        news = mine.log.end < its.log.end or its.log.high_watermark < its.log.end
        return follower.id in state.isr and agree and its.log.end == its.log.next and news

    def copy(self, *ids: PartitionId) -> bool:
        """Have followers copy what they can; whether there was anything."""
        copied = False
        for id in ids:
            if self.can_copy(id):
                self.following(id).copy(id, self.leading(id))
                copied = True
        return copied
