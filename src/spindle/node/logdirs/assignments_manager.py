"""What the metadata should say of our replicas, and the reports of it (KIP-858, KIP-589).

`AssignmentsManager` decides by where a replica is, whether it can be used, and what its move has
promised. `log_dir_manager` asks whenever something about a replica has changed. A `ReportSender`
knows when to send, one request at a time; its subclasses make the requests and read the answers.

`AssignmentSender`: AssignReplicasToDirs (K858-17). `ReplicaStateSender`: AlterReplicaState, what
became of single replicas (K589-01, K589-03). To a controller that lacks that API, such as Apache
Kafka's, the broker reports the same by an assignment to LOST and back (K589-05).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, Final, Generic, TypeVar

from spindle.core.logdirs.events import Post, ReplicaChanged
from spindle.core.logdirs.report_queue import ReportBatch, ReportQueue, StateChange, is_like
from spindle.model.errors import Error, PeerFailed, error_name
from spindle.model.ids import (
    LOST,
    MIGRATING,
    NO_LEADER,
    UNASSIGNED,
    ZERO_ID,
    DirectoryId,
    PartitionId,
    TopicId,
)
from spindle.model.outbox import Outbox, Timer
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.directories import Directories, LifecyclePort
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry, Stage
from spindle.node.node_to_controller_channel import NodeToControllerChannel
from spindle.wire.apis import Key
from spindle.wire.codec import Request
from spindle.wire.messages.alter_replica_state_request import AlterReplicaStateRequest
from spindle.wire.messages.alter_replica_state_request import TopicData as StateTopicData
from spindle.wire.messages.alter_replica_state_response import AlterReplicaStateResponse
from spindle.wire.messages.assign_replicas_to_dirs_request import (
    AssignReplicasToDirsRequest,
    DirectoryData,
    PartitionData,
    TopicData,
)
from spindle.wire.messages.assign_replicas_to_dirs_response import AssignReplicasToDirsResponse

T = TypeVar("T")
R = TypeVar("R", AssignReplicasToDirsResponse, AlterReplicaStateResponse)

VERSION: Final = 0
"""Of both requests."""

UNREGISTERED_PAUSE: Final = 0.1


class ReportSender(ABC, Generic[T, R]):
    """The way of one kind of news to the controller; a subclass knows its requests."""

    channel: ClassVar[str]
    """The connection that they go over."""
    needs: ClassVar[Key | None] = None
    """The private API that the controller must have for it; None: all have it."""

    def __init__(
        self,
        out: Outbox,
        controller: NodeToControllerChannel,
        epoch: Callable[[], int],
        queue: ReportQueue[T],
    ) -> None:
        self._out = out
        self._controller = controller
        self._epoch = epoch
        self.queue = queue
        self._timer: Timer | None = None

    @abstractmethod
    def encode(self, epoch: int, batch: ReportBatch[T]) -> Request[R]:
        """The request, of version 0."""

    @abstractmethod
    def decode(self, batch: ReportBatch[T], answer: R) -> dict[PartitionId, Error | int]:
        """What the answer says of each replica."""

    @abstractmethod
    def is_relevant(self, id: PartitionId, word: T) -> bool:
        """Whether the broker still has to report this."""

    def on_sent(self, ids: Iterable[PartitionId]) -> None:
        """A request that speaks of these is on its way."""

    def on_unserved(self, ids: Iterable[PartitionId]) -> None:
        """The controller has no such API; nothing was said of these."""
        raise AssertionError(f"all controllers have the API of {self.channel}")

    def want(self, id: PartitionId, word: T) -> None:
        """Report this of a replica to the controller."""
        self.queue.want(id, word, self._out.now)
        self._arm()

    def withdraw(self, id: PartitionId) -> None:
        """Drop a report: the controller knows, or need not know any more."""
        self.queue.withdraw(id)

    def on_registered(self) -> None:
        """We have a new broker epoch: what an old one was refused for may be sent now."""
        self.queue.on_controller_changed(self._out.now)
        self._arm()

    def _arm(self) -> None:
        due = self.queue.due
        if due is None or (self._timer is not None and self._timer.at <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._out.at(due, self._on_due)

    def _on_due(self) -> None:
        self._timer = None
        if self._epoch() < 0:
            self._timer = self._out.after(UNREGISTERED_PAUSE, self._on_due)
            return
        batch = self.queue.take(self._out.now, self.is_relevant)
        if batch is None:
            self._arm()
        elif self.needs is None:
            self._send(batch)
        else:
            self._controller.serves(self.needs, lambda told: self._on_told(batch, told))

    def _on_told(self, batch: ReportBatch[T], told: bool | PeerFailed) -> None:
        """The controller has said whether it has the API."""
        if isinstance(told, PeerFailed):
            self._on_failed(batch, str(told))
        elif told:
            self._send(batch)
        else:
            self.on_unserved(self.queue.on_unserved(batch.serial))

    def _send(self, batch: ReportBatch[T]) -> None:
        self.on_sent(batch.entries)
        request = self.encode(self._epoch(), batch)
        self._controller.ask(
            self.channel, request, VERSION, lambda answer: self._on_answer(batch, answer)
        )

    def _on_answer(self, batch: ReportBatch[T], answer: R | PeerFailed) -> None:
        if isinstance(answer, PeerFailed):
            self._on_failed(batch, str(answer))
            return
        if answer.error_code != Error.NONE:
            self._on_failed(batch, error_name(answer.error_code))
            return
        errors = self.decode(batch, answer)
        self.queue.on_answered(batch.serial, errors, self._out.now)
        for id, error in errors.items():
            if error != Error.NONE:
                self._out.say(
                    "warning",
                    f"controller refused one of {self.channel}",
                    partition=str(id),
                    error=error_name(error),
                )
        self._arm()

    def _on_failed(self, batch: ReportBatch[T], why: str) -> None:
        self._out.say("info", f"controller did not accept {self.channel}", reason=why)
        self.queue.on_failed(batch.serial, self._out.now, self._out.rng.random())
        self._arm()


class AssignmentSender(ReportSender[DirectoryId, AssignReplicasToDirsResponse]):
    """Where our replicas are."""

    channel = "directory-assignments"

    def __init__(
        self,
        context: BrokerContext,
        epoch: Callable[[], int],
        wanted: Callable[[PartitionId], DirectoryId | None],
        moves: AlterLogDirsManager,
    ) -> None:
        """`wanted`: what the metadata should name."""
        super().__init__(context.out, context.controller, epoch, ReportQueue())
        self._node_id = context.node_id
        self._wanted = wanted
        self._moves = moves

    def is_relevant(self, id: PartitionId, word: DirectoryId) -> bool:
        """Whether the metadata should still name this directory, and does not."""
        return self._wanted(id) == word

    def on_sent(self, ids: Iterable[PartitionId]) -> None:
        """A request is on its way: moves wait for what comes of it."""
        for id in ids:
            self._moves.on_sent(id)

    def encode(self, epoch: int, batch: ReportBatch[DirectoryId]) -> AssignReplicasToDirsRequest:
        """The request: directories, their topics, their partitions, in the queue's order."""
        tree: dict[DirectoryId, dict[TopicId, list[int]]] = {}
        for id, directory in batch.entries.items():
            tree.setdefault(directory, {}).setdefault(id.topic_id, []).append(id.partition)
        return AssignReplicasToDirsRequest(
            broker_id=self._node_id,
            broker_epoch=epoch,
            directories=tuple(
                DirectoryData(
                    id_=directory,
                    topics=tuple(
                        TopicData(
                            topic_id=topic_id,
                            partitions=tuple(PartitionData(partition_index=p) for p in indexes),
                        )
                        for topic_id, indexes in topics.items()
                    ),
                )
                for directory, topics in tree.items()
            ),
        )

    def decode(
        self, batch: ReportBatch[DirectoryId], answer: AssignReplicasToDirsResponse
    ) -> dict[PartitionId, Error | int]:
        """The error code of each replica."""
        return {
            PartitionId(topic.topic_id or ZERO_ID, p.partition_index): p.error_code
            for directory in answer.directories
            for topic in directory.topics
            for p in topic.partitions
        }


OFFLINE: Final = 1
ONLINE: Final = 2
REASON_MAX: Final = 1_000
"""Characters of a request's reason."""


class ReplicaStateSender(ReportSender[StateChange, AlterReplicaStateResponse]):
    """Which of our replicas are bad, and which are well again."""

    channel = "replica-states"
    needs = Key.ALTER_REPLICA_STATE

    def __init__(
        self,
        context: BrokerContext,
        epoch: Callable[[], int],
        state_of: Callable[[PartitionId], StateChange | None],
        post: Post,
    ) -> None:
        """`state_of`: what the broker has to report."""
        super().__init__(context.out, context.controller, epoch, ReportQueue(is_like))
        self._context = context
        self._state_of = state_of
        self._post = post

    def is_relevant(self, id: PartitionId, word: StateChange) -> bool:
        """Whether the metadata still thinks otherwise.

        True also where the controller has meanwhile turned out to lack the API: `on_unserved` then
        has the replica reported by an assignment.
        """
        now = self._state_of(id)
        return now is not None and now.online == word.online

    def on_unserved(self, ids: Iterable[PartitionId]) -> None:
        """The controller is not Spindle's: have these reported by assignments, which it knows."""
        for id in ids:
            self._post(ReplicaChanged(id))

    def encode(self, epoch: int, batch: ReportBatch[StateChange]) -> AlterReplicaStateRequest:
        """The request: all entries of a batch are alike."""
        topics: dict[TopicId, list[int]] = {}
        for id in batch.entries:
            topics.setdefault(id.topic_id, []).append(id.partition)
        words = list(batch.entries.values())
        reasons = dict.fromkeys(word.reason for word in words if word.reason)
        return AlterReplicaStateRequest(
            broker_id=self._context.node_id,
            broker_epoch=epoch,
            new_state=ONLINE if words[0].online else OFFLINE,
            damaged=words[0].damaged,
            reason="; ".join(reasons)[:REASON_MAX],
            topics=tuple(
                StateTopicData(
                    name=self._name(topic_id), topic_id=topic_id, partitions=tuple(indexes)
                )
                for topic_id, indexes in topics.items()
            ),
        )

    def _name(self, topic_id: TopicId) -> str:
        found = self._context.image.topics.get(topic_id)
        return found.name if found is not None else ""

    def decode(
        self, batch: ReportBatch[StateChange], answer: AlterReplicaStateResponse
    ) -> dict[PartitionId, Error | int]:
        """The error code of each replica: the answer names topics in the request's order."""
        topics = dict.fromkeys(id.topic_id for id in batch.entries)
        return {
            PartitionId(topic_id, p.partition_index): p.error_code
            for topic_id, topic in zip(topics, answer.topics, strict=False)
            for p in topic.partitions
        }


class AssignmentsManager:
    """Decides what the broker reports of each replica."""

    def __init__(
        self,
        context: BrokerContext,
        life: LifecyclePort,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        moves: AlterLogDirsManager,
        has_answered: Callable[[PartitionId], bool],
        post: Post,
    ) -> None:
        """`has_answered`: whether the leader of a replica has heard how far its log goes."""
        self._context = context
        self._life = life
        self._directories = directories
        self._places = places
        self._moves = moves
        self._has_answered = has_answered
        self._post = post
        self.is_ready = False
        """Whether the controller has once known where everything is."""
        self._unanswered: dict[PartitionId, None] = {}
        """Replicas that are back, but their leaders do not know yet how far their logs go."""
        self._awaited: dict[PartitionId, None] | None = None
        """Replicas that it must know of for that; None: disks and metadata were not compared."""
        self.assigning = AssignmentSender(context, lambda: life.epoch, self.wanted, moves)
        self.reporting = ReplicaStateSender(context, lambda: life.epoch, self.state_of, post)

    # --- until it knows of all ----------------------------------------------------------------

    def begin(self) -> None:
        """Disks and metadata were compared: the controller must know of all that is here."""
        self._awaited = dict.fromkeys(self._places.all)

    def on_added(self, id: PartitionId) -> None:
        """A replica is new here."""
        if not self.is_ready and self._awaited is not None:
            self._awaited[id] = None

    def make_ready(self) -> None:
        """Ask to be unfenced once the controller knows where everything is (K858-13)."""
        if self._awaited is not None and not self.is_ready and not self._awaited:
            self.is_ready = True
            self._context.out.say("info", "logs are ready", count=len(self._places.all))
            self._life.ready()

    def _on_told(self, id: PartitionId, wanted: DirectoryId | None) -> None:
        if not self._awaited:
            return
        found = self._places.all.get(id)
        creating = found is not None and found.stage is Stage.CREATING
        several = len(self._directories.all) > 1
        if not creating and (wanted is None or not several):
            self._awaited.pop(id, None)
            self.make_ready()

    # --- directories --------------------------------------------------------------------------

    def on_directory_failed(self, id: DirectoryId) -> None:
        """Tell the controller now: it elects while we go through thousands of replicas."""
        self._life.on_directory_failed(id)
        self._context.out.flush_now()

    def tell_cordoned(self) -> None:
        """Tell the controller which directories take no new replicas."""
        self._life.set_cordoned(self._directories.cordoned_ids())

    # --- replicas -----------------------------------------------------------------------------

    def tell(self, id: PartitionId) -> None:
        """Queue what the controller should know of a replica now."""
        wanted, news = self.wanted(id), self._news_of(id)
        if news is not None:
            self.reporting.want(id, news)
        else:
            self.reporting.withdraw(id)
        if wanted is not None and news is None:
            self.assigning.want(id, wanted)
        else:
            self.assigning.withdraw(id)
        self._on_told(id, wanted)

    def on_answered(self, id: PartitionId) -> None:
        """A leader has answered the first fetch for a log of this broker."""
        if id in self._unanswered:
            del self._unanswered[id]
            self._post(ReplicaChanged(id))

    def on_registered(self) -> None:
        """We have a new broker epoch."""
        self.assigning.on_registered()
        self.reporting.on_registered()

    def on_removed(self, id: PartitionId) -> None:
        """A replica is not ours any more."""
        self.assigning.withdraw(id)
        self.reporting.withdraw(id)
        self._unanswered.pop(id, None)
        if self._awaited is not None:
            self._awaited.pop(id, None)

    def wanted(self, id: PartitionId) -> DirectoryId | None:
        """The directory that the metadata should name for a replica; None: what it names is right.

        A move that has caught up promises its target, and nothing else may be said until it has
        ended (B-05), and if it was given up, until the metadata shows what came of that: so one
        word is under way for a replica, and the last one wins. A replica that cannot be used must
        not be named in a live directory.
        """
        found = self._places.all.get(id)
        if found is None or not self._context.speaks_of_directories:
            return None
        promised, doubted = self._moves.under_way.promised(id), self._moves.under_way.doubted(id)
        assigned = self._context.assigned(id)
        if promised is not None:
            wanted = promised
        elif found.stage is Stage.READY:
            assert found.directory is not None
            if self._is_unknown(id, assigned):
                return None
            here = doubted or self._directories.id_of(found.directory)
            wanted = LOST if found.is_crowded else here
        elif found.stage is Stage.OFFLINE and (doubted or self._seems_online(assigned)):
            wanted = LOST
        else:
            return None
        return None if wanted == assigned else wanted

    def _is_unknown(self, id: PartitionId, assigned: DirectoryId) -> bool:
        """Whether a replica that is back must wait until its leader has heard of its log.

        The leader remembers how far the log was before. If it learned now that the replica is back,
        it would take the replica into the ISR for that, however little the log holds (found by the
        simulation, K589-04). After a start the broker has another epoch, under which the leader
        remembers nothing.
        """
        state, me = self._context.image.partition(id), self._context.node_id
        waits = (
            self.is_ready
            and state is not None
            and state.leader not in (NO_LEADER, me)
            and not self._seems_online(assigned)
            and not self._has_answered(id)
        )
        if waits:
            self._unanswered[id] = None
        return waits

    def _seems_online(self, assigned: DirectoryId) -> bool:
        return (
            assigned in (UNASSIGNED, MIGRATING) or self._directories.path_of(assigned) is not None
        )

    def _news_of(self, id: PartitionId) -> StateChange | None:
        """What became of a replica, if the controller should hear it by AlterReplicaState.

        A controller that lacks the API gets an assignment instead (K589-05).
        """
        lacks = self._context.controller.lacks(Key.ALTER_REPLICA_STATE)
        return None if lacks else self.state_of(id)

    def state_of(self, id: PartitionId) -> StateChange | None:
        """The state of a replica that is not as the metadata says, whatever the reason is.

        Only of one that is bad on a good disk, or well again (K589-01, K589-04).
        """
        found, assigned = self._places.all.get(id), self._context.assigned(id)
        if (
            found is None
            or not self._context.speaks_of_directories
            or self._moves.under_way.promised(id) is not None
        ):
            return None
        if found.is_crowded and self._seems_online(assigned):
            return StateChange(online=False, reason="its disk is full")
        if found.stage is Stage.READY and assigned == LOST and not found.is_crowded:
            return None if self._is_unknown(id, assigned) else StateChange(online=True)
        is_bad = found.stage is Stage.OFFLINE and found.damaged
        if is_bad and self._seems_online(assigned):
            return StateChange(online=False, reason=f"{found.name}: {found.why}", damaged=True)
        return None
