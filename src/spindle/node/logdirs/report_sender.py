"""Tells the controller what a report queue has to say, one request at a time.

Knows when, not what: its subclasses make the requests and read the answers (KIP-858, KIP-589);
`assignments_manager` decides what should be said.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import ClassVar, Final, Generic, TypeVar

from spindle.core.logdirs.report_queue import ReportBatch, ReportQueue
from spindle.model.errors import Error, PeerFailed, error_name
from spindle.model.ids import PartitionId
from spindle.model.outbox import Outbox, Timer
from spindle.node.node_to_controller_channel import NodeToControllerChannel
from spindle.wire.apis import Key
from spindle.wire.codec import Request
from spindle.wire.messages.alter_replica_state_response import AlterReplicaStateResponse
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
        """Whether this is still to be said."""

    def on_sent(self, ids: Iterable[PartitionId]) -> None:
        """A request that speaks of these is on its way."""

    def on_unserved(self, ids: Iterable[PartitionId]) -> None:
        """The controller has no such API; nothing was said of these."""
        raise AssertionError(f"all controllers have the API of {self.channel}")

    def want(self, id: PartitionId, word: T) -> None:
        """The controller shall know this of our replica."""
        self.queue.want(id, word, self._out.now)
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
