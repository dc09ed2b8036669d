"""The share partitions that are led here, the sessions of members, and their fetches (KIP-932).

Kafka's SharePartitionManager. A share partition is made when a member first asks for it, and
forgotten when no member of its group has a session here any more, or another broker leads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from spindle.core.share.share_partition import Acknowledgement, check_acknowledgements
from spindle.core.share.share_sessions import (
    ShareMemberKey,
    ShareSession,
    ShareSessions,
)
from spindle.core.share.share_values import AcknowledgeType, SharePartitionKey
from spindle.model.errors import Error, Refusal
from spindle.model.ids import PartitionId
from spindle.model.metric_tables import led_groups as of
from spindle.model.statistics import Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.share.share_persister import SharePersister
from spindle.node.share.share_settings import ShareSettings, share_settings
from spindle.node.share.shared_partition import SharedPartition, SharedWays

_EACH: Final = "metrics.partitions.enable"
_COUNTED: Final = tuple(type_ for type_ in AcknowledgeType if type_ is not AcknowledgeType.GAP)

Acknowledged: TypeAlias = dict[PartitionId, tuple[Error, str | None]]
"""What has become of what was said of each partition."""


class SharePartitionManager:
    """All share partitions and sessions of a broker."""

    def __init__(
        self, context: BrokerContext, replicas: ReplicaManager, persister: SharePersister
    ) -> None:
        self.replicas = replicas
        self._context = context
        self._ways = SharedWays(context.out, persister, self._forget)
        self._shared: dict[SharePartitionKey, SharedPartition] = {}
        self.sessions = ShareSessions(context.settings.whole("group.share.max.share.sessions"))
        self._acknowledged = Counter[AcknowledgeType]()
        replicas.listeners.append(self._on_leading)

    def settings(self, group_id: str) -> ShareSettings:
        """What holds for a group."""
        return share_settings(self._context, group_id)

    def statistics(self) -> Iterator[Sample]:
        """Sessions and acknowledgements; if the settings say so, records in flight by partition."""
        yield of.SHARE_SESSIONS.of(len(self.sessions))
        yield of.SHARE_SESSION_PARTITIONS.of(self.sessions.partitions)
        for type_ in _COUNTED:
            yield of.SHARE_ACKNOWLEDGEMENTS.of(self._acknowledged[type_], type_.name.capitalize())
        for shared in tuple(self._shared.values()) if self._context.settings.flag(_EACH) else ():
            if shared.machine is not None:
                name = shared.hosted.name
                labels = (shared.key.group_id, name.topic, str(name.partition))
                yield of.SHARE_IN_FLIGHT.of(shared.machine.in_flight, *labels)
                yield of.SHARE_LOCK_TIMEOUTS.of(shared.machine.timed_out, *labels)

    # --- share partitions -----------------------------------------------------------------------

    def find(self, group_id: str, id: PartitionId) -> SharedPartition | Error:
        """A share partition, made if need be, or why there is none."""
        key = SharePartitionKey(group_id, id.topic_id, id.partition)
        known = self._shared.get(key)
        if known is not None:
            if known.is_led:
                return known
            known.stop(Error.NOT_LEADER_OR_FOLLOWER)
        hosted = self.replicas.partitions.leader(id.topic_id, id.partition)
        if not isinstance(hosted, HostedPartition):
            return hosted
        shared = self._shared[key] = SharedPartition(
            key, hosted, self._ways, partial(self.settings, group_id)
        )
        shared.start()
        return shared if not shared.error else shared.error

    def _forget(self, shared: SharedPartition) -> None:
        if self._shared.get(shared.key) is shared:
            del self._shared[shared.key]

    def _on_leading(self, id: PartitionId, leads: bool) -> None:
        """Whatever has changed: the state is read again."""
        for shared in tuple(self._shared.values()):
            if shared.hosted.id == id:
                shared.stop(Error.NOT_LEADER_OR_FOLLOWER)

    # --- sessions -------------------------------------------------------------------------------

    def open(
        self, key: ShareMemberKey, connection: int, partitions: Sequence[PartitionId]
    ) -> ShareSession:
        """A session begins; Refusal."""
        return self.sessions.open(key, connection, partitions)

    def end(self, session: ShareSession, then: Callable[[], None]) -> None:
        """A session has ended: what its member has comes back; `then` once that is kept."""
        group_id, member = session.key
        left = [
            shared
            for id in session.partitions
            if (shared := self._shared.get(SharePartitionKey(group_id, *id))) is not None
        ]
        count = len(left)

        def released(error: Error, message: str | None) -> None:
            nonlocal count
            count -= 1
            if not count:
                over()

        def over() -> None:
            if not self.sessions.has_group(group_id):
                for shared in tuple(self._shared.values()):
                    if shared.key.group_id == group_id:
                        shared.stop(Error.NOT_LEADER_OR_FOLLOWER)
            then()

        if not left:
            over()
        for shared in left:
            shared.release(member, released)

    def on_disconnected(self, connection: int) -> None:
        """A client has gone, and its sessions with it."""
        for session in self.sessions.on_disconnected(connection):
            self.end(session, lambda: None)

    # --- acknowledgements -----------------------------------------------------------------------

    def acknowledge(
        self,
        key: ShareMemberKey,
        said: Mapping[PartitionId, Sequence[Acknowledgement]],
        renews: bool,
        refused: Callable[[PartitionId], Error],
        then: Callable[[Acknowledged], None],
    ) -> None:
        """A member says what has become of records; `then` once all of it is kept or refused.

        `renews`: it may ask for more time. `refused`: why it may not speak of a partition.
        """
        told: Acknowledged = {}

        def settle(id: PartitionId, error: Error, message: str | None) -> None:
            told[id] = (error, message)
            if len(told) == len(said):
                then({each: told[each] for each in said})

        if not said:
            then({})
        for id, batches in said.items():
            self._acknowledge(key, id, batches, renews, refused(id), partial(settle, id))

    def _acknowledge(
        self,
        key: ShareMemberKey,
        id: PartitionId,
        batches: Sequence[Acknowledgement],
        renews: bool,
        error: Error,
        then: Callable[[Error, str | None], None],
    ) -> None:
        if error:
            then(error, None)
            return
        try:
            check_acknowledgements(batches)
            if not (renews and self.settings(key.group_id).renews):
                _check_no_renewal(batches)
        except Refusal as refusal:
            then(refusal.error, refusal.message)
            return
        shared = self.find(key.group_id, id)
        if isinstance(shared, SharedPartition):
            shared.acknowledge(key.member_id, batches, partial(self._count, batches, then))
        else:
            then(shared, None)

    def _count(
        self,
        batches: Sequence[Acknowledgement],
        then: Callable[[Error, str | None], None],
        error: Error,
        message: str | None,
    ) -> None:
        """What was said counts once it is kept."""
        for batch in () if error else batches:
            each = (batch.last - batch.first + 1) if len(batch.types) == 1 else 1
            for type_ in batch.types:
                self._acknowledged[AcknowledgeType(type_)] += each
        then(error, message)


def _check_no_renewal(batches: Sequence[Acknowledgement]) -> None:
    if any(AcknowledgeType.RENEW in batch.types for batch in batches):
        raise Refusal(Error.INVALID_REQUEST, "Renew acknowledgements are not allowed here.")
