"""Sends AssignReplicasToDirs: what the queue of `core.logdirs.assignments` has to say (K858-17).

Knows requests and answers; what should be said is `logdirs`'s decision. One request at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from spindle.core.logdirs.assignments import Assignments, Batch
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import DirectoryId, NodeId, PartitionId, TopicId
from spindle.model.outbox import Outbox, Timer
from spindle.node.channel import ControllerChannel
from spindle.wire.apis import Key
from spindle.wire.entities import make, request_types

CHANNEL: Final = "directory-assignments"
UNREGISTERED_PAUSE: Final = 0.1


class Assigning:
    """The way of our replicas' directories to the controller."""

    def __init__(
        self,
        node_id: NodeId,
        out: Outbox,
        controller: ControllerChannel,
        epoch: Callable[[], int],
        relevant: Callable[[PartitionId, DirectoryId], bool],
        sent: Callable[[Iterable[PartitionId]], None],
    ) -> None:
        self._node_id = node_id
        self._out = out
        self._controller = controller
        self._epoch = epoch
        self._relevant = relevant
        self._sent = sent
        self.queue = Assignments()
        self._timer: Timer | None = None

    def want(self, id: PartitionId, directory: DirectoryId) -> None:
        """The controller shall know this directory for our replica."""
        self.queue.want(id, directory, self._out.now)
        self._arm()

    def withdraw(self, id: PartitionId) -> None:
        """The controller knows, or need not know any more."""
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
        epoch = self._epoch()
        if epoch < 0:
            self._timer = self._out.after(UNREGISTERED_PAUSE, self._on_due)
            return
        batch = self.queue.take(self._out.now, self._relevant)
        if batch is None:
            self._arm()
            return
        self._sent(batch.entries)
        request = _encode(self._node_id, epoch, batch)
        self._controller.ask(CHANNEL, request, lambda answer: self._on_answer(batch, answer))

    def _on_answer(self, batch: Batch, answer: Any) -> None:
        if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
            why = str(answer) if isinstance(answer, PeerFailed) else str(answer.error_code)
            self._out.say("info", "directory assignments are not taken", why=why)
            self.queue.on_failed(batch.serial, self._out.now, self._out.rng.random())
        else:
            errors = _decode(answer)
            self.queue.on_answered(batch.serial, errors, self._out.now)
            for id, error in errors.items():
                if error != Error.NONE:
                    self._out.say(
                        "warning", "an assignment is refused", partition=str(id), error=str(error)
                    )
        self._arm()


def _encode(node_id: NodeId, epoch: int, batch: Batch) -> Any:
    """The request: directories, their topics, their partitions, in the queue's order."""
    t = request_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)
    tree: dict[DirectoryId, dict[TopicId, list[int]]] = {}
    for id, directory in batch.entries.items():
        tree.setdefault(directory, {}).setdefault(id.topic_id, []).append(id.partition)
    return make(
        t.AssignReplicasToDirsRequest,
        broker_id=node_id,
        broker_epoch=epoch,
        directories=tuple(
            make(
                t.DirectoryData,
                id_=directory,
                topics=tuple(
                    make(
                        t.TopicData,
                        topic_id=topic_id,
                        partitions=tuple(make(t.PartitionData, partition_index=p) for p in indexes),
                    )
                    for topic_id, indexes in topics.items()
                ),
            )
            for directory, topics in tree.items()
        ),
    )


def _decode(answer: Any) -> dict[PartitionId, Error | int]:
    return {
        PartitionId(topic.topic_id, p.partition_index): p.error_code
        for directory in answer.directories
        for topic in directory.topics
        for p in topic.partitions
    }
