"""A member of a share group (KIP-932): beats, works on what it is assigned, leaves, starts again.

Its answers get lost, it stops for longer than its session and its locks last, and it is started
again without a word. What it does with records is in `share_reader`. Part of the workload.
"""

from __future__ import annotations

from typing import Final

from spindle.core.groups.consumer_values import JOIN_EPOCH, LEAVE_EPOCH
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import ZERO_ID, PartitionId
from spindle.sim.script import BUSY, ELSEWHERE, GROUP, Steps
from spindle.sim.share_reader import PATIENCE, ShareReader
from spindle.sim.violation import Violation
from spindle.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

SESSION: Final = 3.0
BEAT: Final = 0.5
GROUP_RESOURCE: Final = 32
SETTINGS: Final = {
    "group.share.min.session.timeout.ms": str(int(SESSION * 1000)),
    "group.share.session.timeout.ms": str(int(SESSION * 1000)),
    "group.share.min.heartbeat.interval.ms": str(int(BEAT * 1000)),
    "group.share.heartbeat.interval.ms": str(int(BEAT * 1000)),
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.initialize.retry.interval.ms": "1000",
}
"""What brokers need for sessions and locks that are as short as those of this workload."""
JOIN_AGAIN: Final = frozenset(
    {Error.UNKNOWN_MEMBER_ID, Error.FENCED_MEMBER_EPOCH, Error.GROUP_ID_NOT_FOUND}
)


class ShareConsumer(ShareReader):
    """One member, and the processes that it is one after the other."""

    _epoch = JOIN_EPOCH
    _life = 0
    finished = False
    """It has drained, and every record of its group is settled or given up."""

    @property
    def waits_for(self) -> str:
        """What it has still to do before it has finished."""
        missing = {id: found for id in self._targets() if (found := self._missing(id))}
        if not missing:
            return "its last round"
        id, found = next(iter(missing.items()))
        return f"{self._job.group} to have {len(found)} records of {id}, from {found[0]} on"

    def begin(self) -> None:
        """Look for topics, then work."""
        self.refresh_often()
        self.run(self._work())

    def _work(self) -> Steps[None]:
        yield from self._start_early()
        while not (self.draining and not any(map(self._missing, self._targets()))):
            yield from self._beat()
            yield from self.round()
            if self.out.rng.random() < 0.2:
                yield from self._look_at_starts()
            pause = 0.1 if self.draining else self._job.pause
            yield self.pausing(self.between(0.5, 1.5) * pause)
            if not self.draining:
                yield from self._live(self.out.rng.random())
        yield from self._leave()
        self.finished = True

    def _live(self, chance: float) -> Steps[None]:
        """What may come between two rounds: it leaves, its process ends, or it stops for long."""
        job = self._job
        if chance < job.leaves:
            yield from self._leave()
        elif chance < job.leaves + job.restarts:
            self._forget_records()
            self._life += 1
            self._member_id = f"{self.name}/{self._life}"
            self._rejoin()
        elif chance < job.leaves + job.restarts + job.sleeps:
            yield self.pausing(self.between(0.3, 3.0) * SESSION)

    def _targets(self) -> list[PartitionId]:
        return [
            PartitionId(topic_id, index)
            for topic_id, topic in self.topics.items()
            for index in topic.leaders
            if topic_id not in self.history.deleted
        ]

    def _missing(self, id: PartitionId) -> list[int]:
        """Acknowledged records that the group has not got, or has not done with."""
        first = self.history.trimmed.get(id, 0)
        wanted = [o for o in self.history.acknowledged.get(id, ()) if o >= first]
        return self.history.groups.shares.missing((self._job.group, id), wanted)

    # --- membership -------------------------------------------------------------------------

    def _start_early(self) -> Steps[None]:
        """The group is to begin with the first records."""
        setting = AlterableConfig(
            name="share.auto.offset.reset", config_operation=0, value="earliest"
        )
        resource = AlterConfigsResource(
            resource_type=GROUP_RESOURCE, resource_name=self._job.group, configs=(setting,)
        )
        request = IncrementalAlterConfigsRequest(resources=(resource,))
        while True:
            answer = yield self.asking(None, request)
            if not isinstance(answer, PeerFailed) and not answer.responses[0].error_code:
                return
            yield self.retrying()

    def _rejoin(self) -> None:
        self._epoch, self._assigned = JOIN_EPOCH, {}

    def _beat(self) -> Steps[None]:
        """One heartbeat; without an answer it goes on as before."""
        topics = tuple(sorted({self.history.names[id.topic_id] for id in self._targets()}))
        if not topics and self._epoch == JOIN_EPOCH:
            return
        request = ShareGroupHeartbeatRequest(
            group_id=self._job.group,
            member_id=self._member_id,
            member_epoch=self._epoch,
            subscribed_topic_names=topics,
        )
        key = (GROUP, self._job.group)
        node = self._coordinators.get(key)
        if node is None:
            node = self._coordinators[key] = yield from self.find(*key)
        answer = yield self.asking(node, request, PATIENCE, 1)
        lost = isinstance(answer, PeerFailed) or self.out.rng.random() < self._job.loses
        if lost or answer.error_code in ELSEWHERE:
            self._coordinators.pop(key, None)
            return
        if answer.error_code in BUSY:
            return
        if answer.error_code in JOIN_AGAIN:
            self.history.count(f"sharing members: {Error(answer.error_code).name}")
            self._rejoin()
            return
        if answer.error_code:
            raise Violation(f"{self.name}: {Error(answer.error_code).name}: {answer.error_message}")
        self._epoch = answer.member_epoch
        if answer.assignment is not None:
            self._assigned = {
                PartitionId(topic.topic_id or ZERO_ID, number): None
                for topic in answer.assignment.topic_partitions
                for number in topic.partitions
            }
        self.history.count("heartbeats of sharing members")

    def _leave(self) -> Steps[None]:
        """End the sessions, and say so; an answer does not matter."""
        yield from self.end_sessions()
        if self._epoch != JOIN_EPOCH:
            request = ShareGroupHeartbeatRequest(
                group_id=self._job.group, member_id=self._member_id, member_epoch=LEAVE_EPOCH
            )
            node = self._coordinators.get((GROUP, self._job.group))
            if node is not None:
                yield self.asking(node, request, PATIENCE, 1)
        self._rejoin()

    # --- offsets ----------------------------------------------------------------------------

    def _look_at_starts(self) -> Steps[None]:
        """Ask where the share partitions begin: that never goes back."""
        node = self._coordinators.get((GROUP, self._job.group))
        if node is None:
            return
        group = DescribeShareGroupOffsetsRequestGroup(group_id=self._job.group, topics=None)
        request = DescribeShareGroupOffsetsRequest(groups=(group,))
        began = self.out.now
        answer = yield self.asking(node, request, PATIENCE, 1)
        if isinstance(answer, PeerFailed) or answer.groups[0].error_code:
            return
        for topic in answer.groups[0].topics:
            if topic.topic_id is None or topic.topic_id in self.history.deleted:
                continue
            for told in topic.partitions:
                if not told.error_code and told.start_offset >= 0:
                    place = (self._job.group, PartitionId(topic.topic_id, told.partition_index))
                    self.history.groups.shares.on_start(
                        place, told.start_offset, began, self.out.now
                    )
