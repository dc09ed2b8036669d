"""The node's view of the cluster: committed records, applied in order, announced once a group.

Knows records, not where they come from (`quorum` does). A metadata transaction counts only at its
end (KIP-868). Listeners are the broker's parts; the controller has an image of its own.

The image changes at once, a batch of records as a whole: no request ever sees a part of one. What
it means for a broker's replicas is handled in slices, so that thousands of them delay no client
(S-08): the image is then ahead of them, as Apache Kafka's is. Listeners act on what the image shows
when their turn comes. Later commits follow after that, as one change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from spindle.model import metadata_records as r
from spindle.model.errors import Corrupt
from spindle.model.ids import PartitionId
from spindle.model.image import ClusterImage, Delta, TopicState
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox

HELD_MAX = 1_000_000
"""Records of one metadata transaction that are kept until its end."""
TOLD_AT_ONCE: Final = 100
"""Partitions that listeners handle before others have their turn: some milliseconds."""

Listener = Callable[[Delta], None]


class Metadata:
    """The committed image. `offset` is the last one that it includes."""

    def __init__(self, out: Outbox | None = None) -> None:
        """`out`: gives turns; without it listeners get all at once."""
        self.image = ClusterImage()
        self.kraft_version = 0
        """Of the quorum: control records of its log say it (KIP-853)."""
        self.told = -1
        """Offset of the last record that the listeners have seen; -1 before the first."""
        self.at_once = TOLD_AT_ONCE
        """How many partitions they get in a turn."""
        self.rest = 0.0
        """Seconds between two turns at least."""
        self._out = out
        self._listeners: list[Listener] = []
        self._held: list[r.MetadataRecord] | None = None
        self._left: deque[Delta] = deque()
        """What the listeners have yet to see, of all up to `_upto`."""
        self._upto = -1
        self._telling = False

    @property
    def offset(self) -> int:
        """Offset of the last record that the image includes; -1 before the first."""
        return self.image.offset

    @property
    def in_transaction(self) -> bool:
        """Whether a metadata transaction is open: later records are held back."""
        return self._held is not None

    def listen(self, listener: Listener) -> None:
        """Call `listener` with each group of changes from now on."""
        self._listeners.append(listener)

    def on_committed(
        self, base_offset: int, last_offset: int, epoch: int, records: Iterable[r.MetadataRecord]
    ) -> None:
        """Apply one batch; control batches have no records but count. Corrupt: it does not fit."""
        assert base_offset > self.image.offset, f"{base_offset} was applied already"
        try:
            for record in records:
                self._take(record)
        except (AssertionError, LookupError) as error:
            raise Corrupt(
                f"metadata log, batch {base_offset}-{last_offset}: {error or type(error).__name__}"
            ) from error
        if self._held is None:
            self.image.offset, self.image.epoch = last_offset, epoch

    def on_snapshot(self, id: OffsetAndEpoch, records: Iterable[r.MetadataRecord]) -> None:
        """A snapshot takes the place of all that was applied."""
        before, self.image = self.image, ClusterImage()
        self._held = None
        for record in records:
            self.image.apply(record)
        self.image.offset, self.image.epoch = id.offset - 1, id.epoch
        _add_vanished(self.image.delta, before, self.image)

    def publish(self) -> None:
        """Tell the listeners what has changed since the last time, if anything has: at once as far
        as it is little, the rest in turns."""
        if not self._telling:
            self._tell_news()

    def _tell_news(self) -> None:
        self._telling = True
        self._upto = self.image.offset
        delta = self.image.take_delta()
        if delta:
            self._left = delta.slices(self.at_once) if self._out is not None else deque([delta])
        self._tell_on()

    def _tell_on(self) -> None:
        if self._left:
            delta = self._left.popleft()
            for listener in self._listeners:
                listener(delta)
        if self._left:
            self._in_turn(self._tell_on)
            return
        self.told = self._upto
        if self.image.delta:
            self._in_turn(self._tell_news)
        else:
            self._telling = False

    def _in_turn(self, then: Callable[[], None]) -> None:
        """Not among the pieces of long work: those come one at a time, and rest under strain."""
        assert self._out is not None, "a listener has committed something"
        self._out.after(self.rest, then)

    def _take(self, record: r.MetadataRecord) -> None:
        if isinstance(record, r.BeginTransaction):
            assert self._held is None, "a metadata transaction begins inside another"
            self._held = []
        elif isinstance(record, r.EndTransaction):
            assert self._held is not None, "a metadata transaction ends which never began"
            held, self._held = self._held, None
            for one in held:
                self.image.apply(one)
        elif isinstance(record, r.AbortTransaction):
            assert self._held is not None, "a metadata transaction is dropped which never began"
            self._held = None
        elif self._held is not None:
            assert len(self._held) < HELD_MAX, "a metadata transaction has too many records"
            self._held.append(record)
        else:
            self.image.apply(record)


def _add_vanished(delta: Delta, before: ClusterImage, after: ClusterImage) -> None:
    """What a snapshot no longer has, as changes: listeners must hear of deletions too."""
    delta.removed.update(before.delta.removed)
    delta.gone.update(before.delta.gone)
    delta.brokers.update(before.delta.brokers)
    delta.configs.update(before.delta.configs)
    for topic_id, topic in before.topics.items():
        if topic_id not in after.topics:
            delta.removed[topic_id] = topic
            delta.gone.update((PartitionId(topic_id, index), None) for index in topic.partitions)
    for broker in before.brokers:
        delta.brokers[broker] = None
    for key in before.configs:
        delta.configs[key] = None


def copy_image(image: ClusterImage) -> ClusterImage:
    """An image that can be changed without changing this one (frozen records are shared)."""
    copy = ClusterImage()
    copy.offset, copy.epoch = image.offset, image.epoch
    copy.topics = {
        id: TopicState(topic.name, id, dict(topic.partitions)) for id, topic in image.topics.items()
    }
    copy.topic_ids = dict(image.topic_ids)
    copy.brokers = dict(image.brokers)
    copy.controllers = dict(image.controllers)
    copy.configs = {key: dict(values) for key, values in image.configs.items()}
    copy.features = dict(image.features)
    copy.next_producer_id = image.next_producer_id
    copy.access = image.access.copy()
    copy.others = list(image.others)
    return copy
