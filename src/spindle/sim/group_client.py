"""A client of a group: reads what it owns, and commits how far it has come.

Plainly, or in transactions together with a record for each one that it has read (KIP-447). How it
becomes a member is up to subclasses: `worker` by the classic protocol, `subscriber` by KIP-848.
Part of the workload; reports to the history what it learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, TypeVar

from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.model.outbox import Rng
from spindle.sim.group_history import Commit, Membership
from spindle.sim.reader import EARLIEST
from spindle.sim.script import GROUP, Steps
from spindle.sim.told_history import History
from spindle.sim.transaction_history import OUTPUT, Attempt, ConsumedRecord
from spindle.sim.transactor import OUT, PLAIN, Transactor, TransactorManner, first_error
from spindle.sim.violation import Violation
from spindle.sim.visible import visible
from spindle.wire.codec import ErrorCode, Request
from spindle.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from spindle.wire.messages.heartbeat_response import HeartbeatResponse
from spindle.wire.messages.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from spindle.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from spindle.wire.messages.offset_fetch_request import OffsetFetchRequest, OffsetFetchRequestTopic
from spindle.wire.messages.offset_fetch_response import OffsetFetchResponse
from spindle.wire.messages.sync_group_response import SyncGroupResponse

G = TypeVar("G", SyncGroupResponse, HeartbeatResponse, OffsetFetchResponse)

READ_MAX: Final = 1000


@dataclass(frozen=True, slots=True)
class Shift:
    """When a member works: every other `length` s, after the first or from the start on."""

    length: float
    is_second: bool = False

    def is_on(self, now: float) -> bool:
        """Whether it works then."""
        return bool(int(now / self.length) % 2) == self.is_second


@dataclass(frozen=True, slots=True)
class GroupJob:
    """What a member does. `transactional_id`: None if it commits plainly; `pause`: s."""

    group: str
    transactional_id: str | None = None
    manner: TransactorManner = PLAIN
    instance_id: str | None = None
    pause: float = 0.3
    leaves: float = 0.04
    sleeps: float = 0.04
    """Shares of its rounds after which it leaves, and after which it stops for a while."""
    shift: Shift | None = None
    """When it works; None: all the time."""

    def works_at(self, now: float, draining: bool) -> bool:
        """Whether it works then; at the end those of the first shift do."""
        if self.shift is None:
            return True
        return not self.shift.is_second if draining else self.shift.is_on(now)


class GroupClient(Transactor):
    """A member of a group as far as its work goes, and its producer."""

    COMMIT_VERSION: ClassVar = 8
    REFUSALS: ClassVar = OUT
    """Errors of commits that a member has to expect."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        job: GroupJob,
    ) -> None:
        super().__init__(name, rng, brokers, history, job.transactional_id or "", job.manner)
        self._group = job.group
        self._who = Membership(job.group, instance_id=job.instance_id)
        self._positions: dict[PartitionId, int] = {}
        """Of what it owns and reads."""

    def _out(self, error: ErrorCode) -> None:
        """The group will not hear this member as it is."""
        raise NotImplementedError

    def _ask_group(self, request: Request[G]) -> Steps[tuple[G, bool]]:
        """Ask the group's coordinator; whether it is known to be the current one.

        One that was deposed and has not heard of it may tell old news.
        """
        group, coordinator_of = self._group, self.history.groups.coordinator_of
        before = coordinator_of(group)
        answer, node, _ = yield from self.ask_coordinator(
            GROUP, group, request, lambda a: a.error_code
        )
        current = coordinator_of(group)
        return answer, before == current and current[0] == node

    # --- offsets ----------------------------------------------------------------------------

    def committed(self, ids: list[PartitionId]) -> Steps[dict[PartitionId, int]]:
        """The group's offsets for these partitions, once no transaction may change them."""
        group, history = self._group, self.history
        found: dict[PartitionId, int] = {}
        while left := [id for id in ids if id not in found and not self._is_deleted(id)]:
            topics = tuple(
                OffsetFetchRequestTopic(name=name, partition_indexes=tuple(places))
                for name, places in self.by_name(left).items()
            )
            request = OffsetFetchRequest(group_id=group, topics=topics, require_stable=True)
            began_at = self.out.now
            answer, trusted = yield from self._ask_group(request)
            told_of = {
                (topic.name, told.partition_index): told
                for topic in answer.topics
                for told in topic.partitions
            }
            for id in left:
                told = told_of[history.names[id.topic_id], id.partition]
                if told.error_code != Error.NONE:
                    continue
                if trusted and not self._is_deleted(id):
                    history.groups.on_read(
                        group, id, told.committed_offset, told.metadata, began_at
                    )
                found[id] = max(told.committed_offset, 0)
            if len(found) < len(left):
                yield self.retrying()
        return found

    def _commit(self, commits: dict[PartitionId, Commit]) -> Steps[None]:
        who = self._who
        request = OffsetCommitRequest(
            group_id=who.group,
            generation_id_or_member_epoch=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            topics=tuple(
                OffsetCommitRequestTopic(
                    name=name,
                    partitions=tuple(
                        OffsetCommitRequestPartition(
                            partition_index=index,
                            committed_offset=commits[id].offset,
                            committed_metadata=commits[id].label,
                        )
                        for index, id in places.items()
                    ),
                )
                for name, places in self.by_name(commits).items()
            ),
        )
        answer, _, _ = yield from self.ask_coordinator(
            GROUP, who.group, request, first_error, version=self.COMMIT_VERSION
        )
        error = first_error(answer)
        if error in self.REFUSALS:
            self.history.count("members out")
            self._out(error)
        elif error == Error.NONE:
            for commit in commits.values():
                self.history.groups.on_committed(who, commit, self.out.now)
            self.history.count("offsets committed", len(commits))
        elif error != Error.UNKNOWN_TOPIC_OR_PARTITION:
            raise Violation(f"{self.name}: offsets of {who.group}: {error.name}")

    # --- work -------------------------------------------------------------------------------

    def _round(self) -> Steps[None]:
        """Read some of what is owned and commit it."""
        for id in [id for id in self._positions if self._is_deleted(id)]:
            del self._positions[id]
        ids = list(self._positions)
        if not ids or self._who.generation < 0:
            return
        first = self.out.rng.randrange(len(ids))
        yield from self._work_on((ids[first:] + ids[:first])[:2])

    def _work_on(self, chosen: Sequence[PartitionId]) -> Steps[None]:
        found: dict[PartitionId, dict[int, bytes]] = {}
        for id in chosen:
            found[id] = yield from self._read(id)
        if not any(found.values()):
            return
        nexts = {id: self._positions[id] for id in chosen}
        if self._id:
            yield from self._transform(found, nexts)
            return
        for id, values in found.items():
            self.history.groups.on_processed(self._group, id, values)
        yield from self._commit(self._commits(nexts))

    def _commits(
        self, nexts: dict[PartitionId, int], attempt: Attempt | None = None
    ) -> dict[PartitionId, Commit]:
        begin = partial(self.history.groups.begin, now=self.out.now, attempt=attempt)
        return {id: begin(self._group, id, offset) for id, offset in nexts.items()}

    def _transform(
        self, found: dict[PartitionId, dict[int, bytes]], nexts: dict[PartitionId, int]
    ) -> Steps[None]:
        """Write a record for each one read, and commit both in one transaction."""
        attempt = self.open_transaction()
        outputs: dict[PartitionId, list[bytes]] = {}
        targets = self.targets()
        for id, values in found.items():
            for offset, value in values.items():
                if value.startswith(OUTPUT) or not targets:
                    continue
                attempt.sources.append(ConsumedRecord(self._group, id, offset))
                made = OUTPUT + f"{self._group}/{id}/{offset}/{attempt.number}/".encode()
                outputs.setdefault(self.choose(targets), []).append(made)
        who, commits = self._who, self._commits(nexts, attempt)
        apart = self._manner.flight > 1
        scripts = [
            self.write(attempt, id, [[value] for value in values] if apart else [values])
            for id, values in outputs.items()
        ]
        errors: list[Error] = (yield self.together(scripts)) if scripts else []
        error = next((e for e in errors if e), Error.NONE)
        if not error:
            error = yield from self.commit_in(attempt, who, commits)
            if error in OUT:
                self._out(error)
        done = yield from self.finish(attempt, self.out.rng.random() > 0.1, error)
        if not done:
            self._positions = yield from self.committed(list(self._positions))
            return
        for commit in commits.values():
            commit.ended_at = self.out.now
        self.history.count("offsets committed in transactions", len(commits))
        if self.out.rng.random() < 0.5 and self._who == who:
            # The same place again: this one is the later, whenever the marker comes.
            yield from self._commit(self._commits(nexts))

    def _read(self, id: PartitionId) -> Steps[dict[int, bytes]]:
        """Read on in a partition; what came may be nothing."""
        topic = self.topics.get(id.topic_id)
        leader = topic.leaders.get(id.partition, -1) if topic else -1
        if topic is None or leader < 0:
            self.refresh()
            return {}
        position = self._positions[id]
        asked = FetchPartition(
            partition=id.partition,
            current_leader_epoch=topic.epochs[id.partition],
            fetch_offset=position,
            last_fetched_epoch=-1,
            log_start_offset=-1,
            partition_max_bytes=READ_MAX,
        )
        request = FetchRequest(
            replica_id=-1,
            max_wait_ms=50,
            min_bytes=1,
            max_bytes=READ_MAX,
            isolation_level=1,
            session_id=0,
            session_epoch=-1,
            topics=(FetchTopic(topic_id=id.topic_id, partitions=(asked,)),),
        )
        answer = yield self.asking(leader, request)
        if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
            return {}
        told = answer.responses[0].partitions[0]
        if told.error_code == Error.OFFSET_OUT_OF_RANGE:
            yield from self._find_start(id, leader)
            return {}
        if told.error_code != Error.NONE:
            self.refresh()
            return {}
        records: dict[int, bytes] = {}
        for batch, found in visible(told):
            for offset, value in found.items():
                if offset >= position:
                    self.history.transactions.on_read(self.name, id, offset, value)
                    records[offset] = value
            self._positions[id] = max(batch.next_offset, self._positions[id])
        return records

    def _find_start(self, id: PartitionId, leader: NodeId) -> Steps[None]:
        if self._positions[id] >= self.history.trimmed.get(id, 0):
            raise Violation(f"{self.name}: {id} has lost offset {self._positions[id]}")
        asked = ListOffsetsPartition(
            partition_index=id.partition,
            current_leader_epoch=-1,
            timestamp=EARLIEST,
        )
        topic = ListOffsetsTopic(name=self.history.names[id.topic_id], partitions=(asked,))
        request = ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=(topic,))
        answer = yield self.asking(leader, request)
        if not isinstance(answer, PeerFailed):
            told = answer.topics[0].partitions[0]
            if told.error_code == Error.NONE and id in self._positions:
                self._positions[id] = max(self._positions[id], told.offset)
