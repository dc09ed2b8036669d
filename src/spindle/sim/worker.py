"""A member of a consumer group: joins, reads what it owns, and commits how far it has come.

Plainly, or in transactions together with a record for each one that it has read (KIP-447). Now and
then it leaves, or stops for longer than its session lasts and goes on as a zombie. Classic groups.
Part of the workload; reports to the history what it learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId, id_from_text, id_to_text
from spindle.model.outbox import Rng
from spindle.sim.client import REQUEST_SECONDS
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
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.heartbeat_response import HeartbeatResponse
from spindle.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from spindle.wire.messages.join_group_response import JoinGroupResponse
from spindle.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
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
from spindle.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from spindle.wire.messages.sync_group_response import SyncGroupResponse

G = TypeVar("G", SyncGroupResponse, HeartbeatResponse, OffsetFetchResponse)

PROTOCOL: Final = "by the leader"
SESSION: Final = 3.0
REBALANCE: Final = 2.0
READ_MAX: Final = 1000
OFFSETS_VERSION: Final = 7


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What a member does. `transactional_id`: None if it commits plainly; `pause`: s."""

    group: str
    transactional_id: str | None = None
    manner: TransactorManner = PLAIN
    instance_id: str | None = None
    pause: float = 0.3
    leaves: float = 0.04
    sleeps: float = 0.04
    """Shares of its rounds after which it leaves, and after which it stops for a while."""
    rests: float = 0.0
    """Mean s after which it is started again, once another one has taken its place."""


class Worker(Transactor):
    """One member, and its producer."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        job: WorkerJob,
    ) -> None:
        super().__init__(name, rng, brokers, history, job.transactional_id or "", job.manner)
        self._job = job
        self._who = Membership(job.group, instance_id=job.instance_id)
        self._positions: dict[PartitionId, int] = {}
        """Of what it owns."""
        self._fenced = False
        """Another one has its place: its process ends, and is started again."""

    def begin(self) -> None:
        """Look for topics, then work."""
        self.refresh_often()
        self.run(self._work())

    def _work(self) -> Steps[None]:
        job = self._job
        if job.transactional_id is not None:
            yield from self.identify()
        while not self.draining:
            if self._fenced:
                self._fenced = False
                yield self.pausing(self.between(0.0, 2.0) * job.rests)
                continue
            if self._who.generation < 0 or not (yield from self._is_alive()):
                yield from self._join()
                continue
            yield from self._round()
            yield self.pausing(self.between(0.5, 1.5) * job.pause)
            chance = self.out.rng.random()
            if chance < job.leaves:
                yield from self._leave()
            elif chance < job.leaves + job.sleeps:
                yield self.pausing(self.between(0.5, 3.0) * SESSION)
                # It has not heard that others own its partitions by now.
                yield from self._round()
        yield from self._leave()
        if job.transactional_id is not None:
            yield from self.identify()
        self.finished = True

    # --- membership -------------------------------------------------------------------------

    def _out(self, error: ErrorCode) -> None:
        """It has to join again, as a stranger if it is unknown."""
        if error in (Error.UNKNOWN_MEMBER_ID, Error.FENCED_INSTANCE_ID):
            self._who = replace(self._who, member_id="")
        if error == Error.FENCED_INSTANCE_ID:
            self.history.count("members fenced")
            self._fenced = self._job.rests > 0
        self._who = replace(self._who, generation=-1)
        self._positions = {}

    def _join(self) -> Steps[None]:
        """Become a member of a generation and learn what is owned; one try."""
        who = self._who
        request = JoinGroupRequest(
            group_id=who.group,
            session_timeout_ms=int(SESSION * 1000),
            rebalance_timeout_ms=int(REBALANCE * 1000),
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            protocol_type="consumer",
            protocols=(JoinGroupRequestProtocol(name=PROTOCOL, metadata=b""),),
        )
        patience, asked_at = REQUEST_SECONDS + REBALANCE, self.out.now
        answer, _, _ = yield from self.ask_coordinator(
            GROUP, who.group, request, lambda a: a.error_code, patience
        )
        error = answer.error_code
        if error == Error.MEMBER_ID_REQUIRED:
            self._who = replace(who, member_id=answer.member_id)
        elif error in OUT:
            self._out(error)
            yield self.retrying()
        elif error != Error.NONE:
            raise Violation(f"{self.name} may not join {who.group}: {Error(error).name}")
        else:
            yield from self._sync(answer, asked_at)

    def _sync(self, joined: JoinGroupResponse, asked_at: float) -> Steps[None]:
        who = self._who = replace(
            self._who, generation=joined.generation_id, member_id=joined.member_id
        )
        groups, instances = self.history.groups, [m.group_instance_id for m in joined.members]
        groups.on_joined(who, asked_at, self.out.now, instances)
        shares = self._shares([m.member_id for m in joined.members])
        request = SyncGroupRequest(
            group_id=who.group,
            generation_id=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
            protocol_type="consumer",
            protocol_name=PROTOCOL,
            assignments=tuple(
                SyncGroupRequestAssignment(member_id=member, assignment=_text(share))
                for member, share in shares.items()
            ),
        )
        began_at = self.out.now
        answer, trusted = yield from self._ask_group(request)
        if answer.error_code != Error.NONE:
            if answer.error_code not in OUT:
                raise Violation(f"{self.name}: no assignment: {Error(answer.error_code).name}")
            self._out(answer.error_code)
            return
        owned = _ids(bytes(answer.assignment))
        if trusted:
            groups.check_place(who, began_at, "the synchronisation")
        groups.on_assigned(who, owned, self.out.now)
        self.history.count("assignments")
        self._positions = yield from self.committed([id for id in owned if id in self.targets()])

    def _shares(self, members: list[str]) -> dict[str, list[PartitionId]]:
        """What each member is to own, if this is the leader."""
        shares: dict[str, list[PartitionId]] = {member: [] for member in members}
        for number, id in enumerate(self.targets() if members else ()):
            shares[members[number % len(members)]].append(id)
        return shares

    def _is_alive(self) -> Steps[bool]:
        who = self._who
        request = HeartbeatRequest(
            group_id=who.group,
            generation_id=who.generation,
            member_id=who.member_id,
            group_instance_id=who.instance_id,
        )
        began_at = self.out.now
        answer, trusted = yield from self._ask_group(request)
        if answer.error_code == Error.NONE:
            if trusted:
                self.history.groups.check_place(who, began_at, "a heartbeat")
            return True
        if answer.error_code not in OUT:
            raise Violation(f"{self.name}: heartbeat: {Error(answer.error_code).name}")
        self._out(answer.error_code)
        return False

    def _leave(self) -> Steps[None]:
        who = self._who
        if who.member_id:
            member = MemberIdentity(
                member_id=who.member_id,
                group_instance_id=who.instance_id,
                reason=None,
            )
            request = LeaveGroupRequest(group_id=who.group, members=(member,))
            yield from self.ask_coordinator(GROUP, who.group, request, lambda a: a.error_code)
        self._out(Error.UNKNOWN_MEMBER_ID)

    def _ask_group(self, request: Request[G]) -> Steps[tuple[G, bool]]:
        """Ask the group's coordinator; whether it is known to be the current one.

        One that was deposed and has not heard of it may tell old news.
        """
        group, coordinator_of = self._job.group, self.history.groups.coordinator_of
        before = coordinator_of(group)
        answer, node, _ = yield from self.ask_coordinator(
            GROUP, group, request, lambda a: a.error_code
        )
        current = coordinator_of(group)
        return answer, before == current and current[0] == node

    # --- offsets ----------------------------------------------------------------------------

    def committed(self, ids: list[PartitionId]) -> Steps[dict[PartitionId, int]]:
        """The group's offsets for these partitions, once no transaction may change them."""
        group, history = self._job.group, self.history
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
        answer, _, _ = yield from self.ask_coordinator(GROUP, who.group, request, first_error)
        error = first_error(answer)
        if error in OUT:
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
        chosen = (ids[first:] + ids[:first])[:2]
        found: dict[PartitionId, dict[int, bytes]] = {}
        for id in chosen:
            found[id] = yield from self._read(id)
        if not any(found.values()):
            return
        nexts = {id: self._positions[id] for id in chosen}
        if self._job.transactional_id is not None:
            yield from self._transform(found, nexts)
            return
        for id, values in found.items():
            self.history.groups.on_processed(self._job.group, id, values)
        yield from self._commit(self._commits(nexts))

    def _commits(
        self, nexts: dict[PartitionId, int], attempt: Attempt | None = None
    ) -> dict[PartitionId, Commit]:
        begin = partial(self.history.groups.begin, now=self.out.now, attempt=attempt)
        return {id: begin(self._job.group, id, offset) for id, offset in nexts.items()}

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
                attempt.sources.append(ConsumedRecord(self._job.group, id, offset))
                made = OUTPUT + f"{self._job.group}/{id}/{offset}/{attempt.number}/".encode()
                outputs.setdefault(self.choose(targets), []).append(made)
        who, commits = self._who, self._commits(nexts, attempt)
        apart = self._job.manner.flight > 1
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


def _text(ids: list[PartitionId]) -> bytes:
    return " ".join(f"{id_to_text(id.topic_id)}:{id.partition}" for id in ids).encode()


def _ids(text: bytes) -> list[PartitionId]:
    pairs = [part.rpartition(":") for part in text.decode().split()]
    return [PartitionId(id_from_text(topic), int(number)) for topic, _, number in pairs]
