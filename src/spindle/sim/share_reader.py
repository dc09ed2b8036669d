"""A member of a share group as far as its records go: share sessions, what it says of records.

It acquires records at the leaders of what it was assigned, and accepts, gives back, rejects, asks
for more time or forgets them; some of its answers get lost. `share_consumer` makes it a member.
Part of the workload; tells the history what it was given and what it said (spec C-04).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from spindle.core.share.share_sessions import FINAL, INITIAL
from spindle.core.share.share_values import AcknowledgeType
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import ZERO_ID, NodeId, PartitionId, TopicId
from spindle.model.outbox import Rng
from spindle.sim.reader import AGAIN
from spindle.sim.script import Scripted, Steps
from spindle.sim.share_history import Delivery, Moment, SharePlace
from spindle.sim.told_history import History
from spindle.sim.violation import Violation
from spindle.wire.batch import check, records, split
from spindle.wire.codec import one_buffer
from spindle.wire.messages import share_acknowledge_request as acknowledging
from spindle.wire.messages.share_acknowledge_response import ShareAcknowledgeResponse
from spindle.wire.messages.share_fetch_request import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
    ShareFetchRequest,
)
from spindle.wire.messages.share_fetch_response import PartitionData, ShareFetchResponse

VERSION: Final = 2
WAIT_MS: Final = 300
MANY: Final = 100
"""Records that it asks for once it drains."""
PATIENCE: Final = 2.0
"""S that it waits for an answer."""
NO_SESSION: Final = frozenset(
    {
        Error.SHARE_SESSION_NOT_FOUND,
        Error.INVALID_SHARE_SESSION_EPOCH,
        Error.SHARE_SESSION_LIMIT_REACHED,
    }
)
NOT_TAKEN: Final = frozenset({Error.INVALID_RECORD_STATE, Error.INVALID_REQUEST})
"""Errors of acknowledgements that say for sure that nothing was kept."""
LATER: Final = AGAIN | {
    Error.COORDINATOR_NOT_AVAILABLE,
    Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NOT_COORDINATOR,
    Error.NETWORK_EXCEPTION,
    Error.INVALID_REQUEST,
    Error.GROUP_ID_NOT_FOUND,
}
"""What a partition may say that has no records for us now; INVALID_REQUEST: no state is there."""
FINAL_TYPES: Final = (AcknowledgeType.ACCEPT, AcknowledgeType.REJECT, AcknowledgeType.GAP)


@dataclass(frozen=True, slots=True)
class ShareJob:
    """What a member of a share group does: shares of its rounds, of batches, of answers.

    `lock`: s that a record is locked for. `strict`: it asks for no more records than it names.
    """

    group: str
    pause: float = 0.3
    records: int = 20
    strict: bool = False
    lock: float = 3.0
    limit: int = 5
    releases: float = 0.1
    rejects: float = 0.05
    forgets: float = 0.1
    renews: float = 0.0
    """Of records that it would forget: it asks for more time, where it fetches nothing with it."""
    apart: float = 0.4
    """Acknowledgements that do not ride on a fetch."""
    loses: float = 0.0
    leaves: float = 0.04
    restarts: float = 0.03
    sleeps: float = 0.04


@dataclass(slots=True)
class SimSession:
    """A share session at one broker."""

    epoch: int = INITIAL
    partitions: dict[PartitionId, None] = field(default_factory=dict)


@dataclass(slots=True)
class Said:
    """What is said of the records of one partition: offset -> type."""

    types: dict[int, AcknowledgeType] = field(default_factory=dict)

    def batches(self) -> Iterable[tuple[int, int, tuple[int, ...]]]:
        """Neighbours in one batch, as requests have them."""
        run: list[int] = []
        for offset in sorted(self.types):
            if run and offset != run[-1] + 1:
                yield self._batch(run)
                run = []
            run.append(offset)
        if run:
            yield self._batch(run)

    def _batch(self, run: list[int]) -> tuple[int, int, tuple[int, ...]]:
        types = tuple(int(self.types[offset]) for offset in run)
        return run[0], run[-1], types[:1] if len(set(types)) == 1 else types


class ShareReader(Scripted):
    """Sessions of one member. Subclasses say which partitions it has."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        job: ShareJob,
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._job = job
        self._member_id = f"{name}/0"
        self._assigned: dict[PartitionId, None] = {}
        self._sessions: dict[NodeId, SimSession] = {}
        self._held: dict[PartitionId, dict[int, Delivery]] = {}
        """Records that it has, as far as it knows."""
        self._gaps: dict[PartitionId, dict[int, None]] = {}
        """Offsets among them without a record."""

    def _place(self, id: PartitionId) -> SharePlace:
        return (self._job.group, id)

    def _forget_records(self) -> None:
        """It has no sessions and no records any more."""
        self._sessions, self._held, self._gaps = {}, {}, {}

    # --- a round ----------------------------------------------------------------------------

    def round(self) -> Steps[None]:
        """Ask every broker that leads something, and say something of what it has."""
        by_node: dict[NodeId, list[PartitionId]] = {}
        for id in self._assigned:
            topic = self.topics.get(id.topic_id)
            leader = -1 if topic is None else topic.leaders.get(id.partition, -1)
            if leader < 0:
                self.refresh()
            elif id.topic_id not in self.history.deleted:
                by_node.setdefault(leader, []).append(id)
        for node, ids in by_node.items():
            session = self._sessions.setdefault(node, SimSession())
            said: dict[PartitionId, Said] = {}
            apart = self.out.rng.random() < self._job.apart
            if session.epoch != INITIAL:
                said = {id: s for id in ids if (s := self._judge(id, apart)).types}
            if said and apart:
                yield from self._acknowledge(node, session, said)
                said = {}
            if node in self._sessions:
                yield from self._fetch(node, session, ids, said)

    def _judge(self, id: PartitionId, apart: bool) -> Said:
        """Decide on what it has of a partition; what it forgets has to come back by time.

        `apart`: it may ask for more time.
        """
        said, job = Said(), self._job
        for offset in tuple(self._held.get(id, ())):
            chance = self.out.rng.random()
            if offset in self._gaps.get(id, ()):
                type_ = AcknowledgeType.GAP
            elif self.draining or chance >= job.releases + job.rejects + job.forgets:
                type_ = AcknowledgeType.ACCEPT
            elif chance < job.releases:
                type_ = AcknowledgeType.RELEASE
            elif chance < job.releases + job.rejects:
                type_ = AcknowledgeType.REJECT
            elif apart and self.out.rng.random() < job.renews:
                type_ = AcknowledgeType.RENEW
            else:
                continue
            said.types[offset] = type_
        return said

    # --- asking -----------------------------------------------------------------------------

    def _fetch(
        self,
        node: NodeId,
        session: SimSession,
        ids: list[PartitionId],
        said: dict[PartitionId, Said],
    ) -> Steps[None]:
        """One ShareFetch, with what is to be said."""
        job, new = self._job, session.epoch == INITIAL
        wanted = max(job.records, MANY) if self.draining else job.records
        gone = [id for id in session.partitions if id not in ids] if not new else []
        named = ids if new else [id for id in ids if id not in session.partitions or id in said]
        request = ShareFetchRequest(
            group_id=job.group,
            member_id=self._member_id,
            share_session_epoch=session.epoch,
            max_wait_ms=WAIT_MS,
            min_bytes=1,
            max_bytes=1 << 20,
            max_records=wanted,
            batch_size=wanted,
            share_acquire_mode=int(job.strict),
            topics=_topics(named, said),
            forgotten_topics_data=tuple(
                ForgottenTopic(topic_id=id.topic_id, partitions=(id.partition,)) for id in gone
            ),
        )
        before = {id: self.history.groups.shares.leader_of(id) for id in ids}
        began, life = self.out.now, self._member_id
        answer = yield self.asking(node, request, PATIENCE, VERSION)
        if life != self._member_id:
            return
        if isinstance(answer, PeerFailed) or self.out.rng.random() < job.loses:
            self.history.groups.shares.on_lost(map(self._place, ids))
            self._on_lost(node, said)
            return
        if not self._goes_on(node, session, answer):
            return
        session.partitions = dict.fromkeys(ids)
        for topic in answer.responses:
            for data in topic.partitions:
                id = PartitionId(topic.topic_id or ZERO_ID, data.partition_index)
                if id in before:
                    moment = self._moment(node, id, before[id], began)
                    if id in said:
                        self._on_told(id, said[id], Error(data.acknowledge_error_code), moment)
                    self._take(id, data, moment)

    def _acknowledge(
        self, node: NodeId, session: SimSession, said: dict[PartitionId, Said]
    ) -> Steps[None]:
        """One ShareAcknowledge."""
        request = acknowledging.ShareAcknowledgeRequest(
            group_id=self._job.group,
            member_id=self._member_id,
            share_session_epoch=session.epoch,
            is_renew_ack=any(
                AcknowledgeType.RENEW in each.types.values() for each in said.values()
            ),
            topics=tuple(
                acknowledging.AcknowledgeTopic(
                    topic_id=id.topic_id,
                    partitions=(
                        acknowledging.AcknowledgePartition(
                            partition_index=id.partition,
                            acknowledgement_batches=tuple(
                                acknowledging.AcknowledgementBatch(
                                    first_offset=first, last_offset=last, acknowledge_types=types
                                )
                                for first, last, types in each.batches()
                            ),
                        ),
                    ),
                )
                for id, each in said.items()
            ),
        )
        before = {id: self.history.groups.shares.leader_of(id) for id in said}
        began, life = self.out.now, self._member_id
        answer = yield self.asking(node, request, PATIENCE, VERSION)
        if life != self._member_id:
            return
        if isinstance(answer, PeerFailed) or self.out.rng.random() < self._job.loses:
            self._on_lost(node, said)
            return
        if not self._goes_on(node, session, answer):
            return
        for topic in answer.responses:
            for data in topic.partitions:
                id = PartitionId(topic.topic_id or ZERO_ID, data.partition_index)
                moment = self._moment(node, id, before[id], began)
                self._on_told(id, said[id], Error(data.error_code), moment)

    def _moment(
        self, node: NodeId, id: PartitionId, before: tuple[NodeId, int], began: float
    ) -> Moment:
        """Of what a node has answered now. A deposed leader that does not know it yet hands records
        out as well, and what it decides need not count."""
        leaders = (before, self.history.groups.shares.leader_of(id))
        moment = Moment(began, self.out.now, leaders)
        return moment if before[0] == node else moment.in_doubt

    def end_sessions(self) -> Steps[None]:
        """Give all back, and be gone."""
        for node, session in tuple(self._sessions.items()):
            if session.epoch != INITIAL:
                request = acknowledging.ShareAcknowledgeRequest(
                    group_id=self._job.group,
                    member_id=self._member_id,
                    share_session_epoch=FINAL,
                )
                yield self.asking(node, request, PATIENCE, VERSION)
        self._forget_records()

    # --- answers ----------------------------------------------------------------------------

    def _on_lost(self, node: NodeId, said: dict[PartitionId, Said]) -> None:
        """No answer has come: the session begins again, and what was said may count."""
        self.refresh()
        self._end(node)
        for id, each in said.items():
            final = [o for o, type_ in each.types.items() if type_ in FINAL_TYPES]
            self.history.groups.shares.on_unsure(self._place(id), final)
            self._drop(id, each.types)

    def _goes_on(
        self,
        node: NodeId,
        session: SimSession,
        answer: ShareFetchResponse | ShareAcknowledgeResponse,
    ) -> bool:
        """Whether the session goes on; else nothing that was said has counted."""
        if answer.error_code == Error.NONE:
            session.epoch += 1
            return True
        if answer.error_code not in NO_SESSION:
            raise Violation(f"{self.name}: {Error(answer.error_code).name}: {answer.error_message}")
        self.history.count(f"share sessions: {Error(answer.error_code).name}")
        self._end(node)
        return False

    def _end(self, node: NodeId) -> None:
        """A session is over, and its broker may have given its records to others."""
        session = self._sessions.pop(node, SimSession())
        for id in session.partitions:
            held = self._held.get(id, {})
            held.update({offset: one._replace(at=one.at.in_doubt) for offset, one in held.items()})

    def _on_told(self, id: PartitionId, said: Said, error: Error, at: Moment) -> None:
        """What has become of what was said of a partition."""
        shares, place = self.history.groups.shares, self._place(id)
        final = [offset for offset, type_ in said.types.items() if type_ in FINAL_TYPES]
        self.history.count(f"acknowledgements: {error.name}")
        if error is Error.NONE:
            for offset in said.types:
                shares.check_held(place, offset, self._held[id][offset], at, self._job.lock)
            shares.on_settled(place, final, at)
            self.history.count("records settled", len(final))
            self._on_renewed(id, said, at)
        elif error not in NOT_TAKEN:
            shares.on_unsure(place, final)
        self._drop(id, said.types)

    def _on_renewed(self, id: PartitionId, said: Said, at: Moment) -> None:
        """The locks of records begin again: it keeps them, and says no more of them now."""
        for offset in [o for o, type_ in said.types.items() if type_ is AcknowledgeType.RENEW]:
            del said.types[offset]
            self._held[id][offset] = self._held[id][offset]._replace(at=at)
            self.history.count("locks renewed")

    def _drop(self, id: PartitionId, offsets: Iterable[int]) -> None:
        for offset in tuple(offsets):
            self._held.get(id, {}).pop(offset, None)
            self._gaps.get(id, {}).pop(offset, None)

    def _take(self, id: PartitionId, data: PartitionData, at: Moment) -> None:
        """Take the records that were acquired."""
        if data.error_code:
            if data.error_code not in LATER:
                raise Violation(f"{self.name}: {id}: {Error(data.error_code).name}")
            self.history.count(f"shared partitions: {Error(data.error_code).name}")
            self._drop(id, tuple(self._held.get(id, ())))
            self.refresh()
            return
        held = self._held.setdefault(id, {})
        if id.topic_id in self.history.deleted:
            return
        for offset, mine in held.items():
            self.history.groups.shares.check_held(self._place(id), offset, mine, at, self._job.lock)
        values: dict[int, bytes] = {}
        for batch in split(one_buffer(data.records or b""), partial=True):
            check(batch)
            if not batch.is_control:
                values |= {r.offset: r.value or b"" for r in records(batch)}
        for run in data.acquired_records:
            delivery = Delivery(self._member_id, run.delivery_count, at)
            offsets = range(run.first_offset, run.last_offset + 1)
            self.history.groups.shares.on_acquired(self._place(id), offsets, delivery)
            for offset in offsets:
                held[offset] = delivery
                if offset in values:
                    self.history.on_read(id, offset, values[offset])
                else:
                    self._gaps.setdefault(id, {})[offset] = None
            self.history.count("records shared", len(offsets))


def _topics(ids: Iterable[PartitionId], said: dict[PartitionId, Said]) -> tuple[FetchTopic, ...]:
    topics: dict[TopicId, list[FetchPartition]] = {}
    for id in ids:
        batches = said[id].batches() if id in said else ()
        topics.setdefault(id.topic_id, []).append(
            FetchPartition(
                partition_index=id.partition,
                acknowledgement_batches=tuple(
                    AcknowledgementBatch(
                        first_offset=first, last_offset=last, acknowledge_types=types
                    )
                    for first, last, types in batches
                ),
            )
        )
    return tuple(FetchTopic(topic_id=t, partitions=tuple(p)) for t, p in topics.items())
