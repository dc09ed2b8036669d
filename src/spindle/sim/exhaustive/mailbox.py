"""The controller's decisions, real, behind a mailbox whose messages may come late, twice or never.

`core.controller` decides; what is committed stands in `log`, in batches that brokers learn one by
one. There is no quorum here (the big simulation has that): what another controller finds when it
takes over is the committed log, and a client of the one before hears that this has failed,
whether it was decided or not. Belongs to `situation`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from spindle.core.controller import brokers, directories
from spindle.core.controller.broker_sessions import BrokerSessions
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.model import metadata_records as r
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.model.feature_rules import SUPPORTED
from spindle.model.ids import ZERO_ID, DirectoryId, PartitionId
from spindle.model.image import ClusterImage
from spindle.model.settings.typed_settings import Settings
from spindle.wire.apis import Key
from spindle.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
from spindle.wire.messages.assign_replicas_to_dirs_response import (
    AssignReplicasToDirsResponse,
    DirectoryData,
    PartitionData,
    TopicData,
)

CLUSTER: Final = "AV9P4iMkRQymBdGIGwlqQA"

FOR_EVER: Final = 1e9

T = TypeVar("T")
Answer = Callable[[Any], None]


@dataclass(slots=True)
class ControllerRequest:
    """A request under way. `then`: takes the answer; None: no longer waited for."""

    content: object
    then: Answer | None
    life: int
    """Which life of the broker it is from."""


@dataclass(frozen=True, slots=True)
class Register:
    """A process of a broker presents itself."""

    broker: int
    incarnation: uuid.UUID
    directories: tuple[DirectoryId, ...]
    previous_epoch: int


@dataclass(frozen=True, slots=True)
class Beat:
    """A heartbeat."""

    broker: int
    epoch: int
    want_fence: bool
    offline: tuple[DirectoryId, ...]


class ControllerModel:
    """State, committed log and mailbox."""

    def __init__(self, first: Sequence[r.MetadataRecord]) -> None:
        self.state = ControllerState(ClusterImage(), Settings({}), CLUSTER)
        self.log: list[tuple[r.MetadataRecord, ...]] = []
        self.letters: list[ControllerRequest] = []
        self._sessions = BrokerSessions(FOR_EVER)
        self.life = 1
        """Which life of the broker messages come from now."""
        self._offset = 0
        self.commit(tuple(first))

    @property
    def image(self) -> ClusterImage:
        """What is committed."""
        return self.state.image

    def commit(self, records: tuple[r.MetadataRecord, ...]) -> None:
        """Write records: from now on brokers can learn them."""
        for record in records:
            self.state.replay(record, self._offset)
            self._offset += 1
        if records:
            self.log.append(records)

    def elect(self) -> None:
        """Another controller leads: it knows what is committed, and of no letter."""
        image = ClusterImage()
        for record in (record for batch in self.log for record in batch):
            image.apply(record)
        image.offset = self._offset - 1
        image.take_delta()
        self.state = ControllerState(image, Settings({}), CLUSTER)
        self._sessions = BrokerSessions(FOR_EVER)
        for registration in image.brokers.values():
            self._sessions.adopt(registration, image.offset, 0.0)
        letters, self.letters = self.letters, []
        for letter in letters:
            if letter.then is not None:
                letter.then(PeerFailed("another controller leads by now"))

    # --- messages --------------------------------------------------------------------------------

    def ask(
        self,
        _channel: str,
        request: object,
        _version: int,
        then: Answer,
        _timeout: float = 30.0,
    ) -> None:
        """As the broker's channel to the controller."""
        self.send(request, then)

    def send(self, content: object, then: Answer) -> None:
        """Post a letter."""
        self.letters.append(ControllerRequest(content, then, self.life))

    def serves(self, _key: Key, then: Callable[[bool | PeerFailed], None]) -> None:
        """No API beyond Kafka's: what a bad replica needs is said by assignments (K589-05)."""
        then(False)

    def lacks(self, _key: Key) -> bool:
        """As `serves`."""
        return True

    def forget_waiting(self) -> None:
        """The broker's process has died: its messages may still arrive."""
        for letter in self.letters:
            letter.then = None

    def deliver(self, at: int, *, answered: bool = True) -> None:
        """Read a letter, commit what it leads to, answer. `answered` False: the answer is lost."""
        letter = self.letters.pop(at)
        answer = self._decide(letter)
        if letter.then is not None:
            letter.then(answer if answered else PeerFailed("the connection broke"))

    def lose(self, at: int) -> None:
        """A letter never arrives."""
        then = self.letters.pop(at).then
        if then is not None:
            then(PeerFailed("the connection broke"))

    def delay(self, at: int) -> None:
        """A message will arrive, but no part waits for it any more."""
        letter = self.letters[at]
        then, letter.then = letter.then, None
        if then is not None:
            then(PeerFailed("no answer in time"))

    def _decide(self, letter: ControllerRequest) -> object:
        content = letter.content
        try:
            if isinstance(content, Register):
                return self._take(self._register(content))
            if isinstance(content, Beat):
                return self._take(self._beat(content))
            if isinstance(content, AssignReplicasToDirsRequest):
                return self._assign(content)
        except Refusal as refusal:
            return refusal
        return PeerFailed("not wanted here")

    def _take(self, decision: ControllerResult[T]) -> T:
        self.commit(decision.records)
        return decision.answer

    def _register(self, asked: Register) -> ControllerResult[int]:
        registration = brokers.Registration(
            broker_id=asked.broker,
            cluster_id=CLUSTER,
            incarnation_id=asked.incarnation,
            features=dict(SUPPORTED),
            log_dirs=asked.directories,
            previous_epoch=asked.previous_epoch,
        )
        known = self.image.brokers.get(asked.broker)
        if known is not None and known.incarnation_id != asked.incarnation:
            self._sessions.forget(asked.broker)  # Its session has run out.
        return brokers.register(self.state, self._sessions, registration, self._offset, 0.0)

    def _beat(self, beat: Beat) -> ControllerResult[brokers.HeartbeatAnswer]:
        heartbeat = brokers.Heartbeat(
            broker_id=beat.broker,
            broker_epoch=beat.epoch,
            metadata_offset=self._offset,
            want_fence=beat.want_fence,
            offline_dirs=beat.offline,
        )
        return brokers.heartbeat(self.state, self._sessions, heartbeat, self._offset, 0.0)

    def _assign(self, request: AssignReplicasToDirsRequest) -> AssignReplicasToDirsResponse:
        wanted = [
            _assignment(d.id_, topic.topic_id, p.partition_index)
            for d in request.directories
            for topic in d.topics
            for p in topic.partitions
        ]
        try:
            decided = directories.assign(
                self.state, request.broker_id, request.broker_epoch, wanted
            )
        except Refusal as refusal:
            return AssignReplicasToDirsResponse(error_code=refusal.error)
        told = self._take(decided)
        errors = dict(zip(wanted, told, strict=True))
        return AssignReplicasToDirsResponse(
            error_code=Error.NONE,
            directories=tuple(
                DirectoryData(
                    id_=d.id_,
                    topics=tuple(
                        TopicData(
                            topic_id=topic.topic_id,
                            partitions=tuple(
                                PartitionData(
                                    partition_index=p.partition_index,
                                    error_code=errors[
                                        _assignment(d.id_, topic.topic_id, p.partition_index)
                                    ],
                                )
                                for p in topic.partitions
                            ),
                        )
                        for topic in d.topics
                    ),
                )
                for d in request.directories
            ),
        )


def _assignment(
    directory: uuid.UUID | None, topic: uuid.UUID | None, partition: int
) -> directories.Assignment:
    return directories.Assignment(directory or ZERO_ID, PartitionId(topic or ZERO_ID, partition))
