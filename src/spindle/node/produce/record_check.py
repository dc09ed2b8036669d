"""Which records of a produced batch a topic does not take (KIP-467), in Apache Kafka's words.

Used by `delayed_produce`. Records are read one by one only where something may be wrong with them:
a compacted topic needs keys, a topic may bound the age of records, and the batch's header tells the
newest timestamp.
"""

from __future__ import annotations

from typing import Final

from spindle.model.batches import COMPRESSION_MASK, LOG_APPEND_TIME, RecordBatch
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.settings.setting import MAX_LONG
from spindle.node.replicas.topic_rules import TopicRules
from spindle.wire import batch as codec

NO_TIMESTAMP: Final = -1
_ANY: Final = (-(1 << 65), 1 << 65)
"""Bounds that every timestamp keeps."""
_NONE: Final = (1, 0)
"""Bounds that none keeps."""
BRIEF: Final = 4 << 10
"""A batch of so many bytes that is not compressed is looked at where it is: some 100 records."""
SHOWN: Final = 3
"""So many of the bad records stand in the message for the whole batch."""


class BadRecords(Refusal):
    """Some records of a batch are refused, and so is the batch. `bad`: (index, why) of each."""

    def __init__(self, error: Error, message: str, bad: tuple[tuple[int, str], ...]) -> None:
        super().__init__(error, message)
        self.bad = bad


def look(
    batch: RecordBatch, topic: TopicRules, name: TopicPartition, now_ms: int
) -> RecordCheck | None:
    """What is to be looked for in a batch's records; None where nothing is."""
    timed = not topic.append_time and (
        topic.oldest_ms < MAX_LONG or batch.max_timestamp - now_ms > topic.newest_ms
    )
    return RecordCheck(batch, topic, name, now_ms, timed) if topic.compact or timed else None


class RecordCheck:
    """A look into a batch's records, some at a time: BadRecords in the end where any is bad.

    A record is bad where it lacks its key, or its timestamp is out of bounds.
    """

    def __init__(
        self, batch: RecordBatch, topic: TopicRules, name: TopicPartition, now_ms: int, timed: bool
    ) -> None:
        self.brief = batch.size <= BRIEF and not batch.attributes & COMPRESSION_MASK
        self._batch = batch
        self._topic, self._name, self._now_ms, self._timed = topic, name, now_ms, timed
        bounds = (now_ms - topic.oldest_ms, now_ms + topic.newest_ms) if timed else _ANY
        if timed and batch.attributes & LOG_APPEND_TIME:
            bounds = _NONE
        self._survey = codec.RecordSurvey(batch, *bounds)
        self._untimely = False
        self._bad: list[tuple[int, str]] = []
        self._told = 0

    def take_seen(self) -> int:
        """How many records were looked at since this was last asked."""
        seen = self._survey.seen - self._told
        self._told += seen
        return seen

    def step(self, most: int) -> bool:
        """Look at so many more; whether those were the last. Refusal for what is not taken."""
        try:
            for index, record in self._survey.step(most):
                self._judge(index, record)
        except Corrupt as corrupt:
            raise Refusal(Error.INVALID_RECORD, str(corrupt)) from None
        if self._survey.seen < self._batch.record_count:
            return False
        if self._untimely:
            text = "One or more records have been rejected due to invalid timestamp"
            raise BadRecords(Error.INVALID_TIMESTAMP, text, tuple(self._bad))
        if self._bad:
            raise BadRecords(Error.INVALID_RECORD, _counted(self._bad), tuple(self._bad))
        return True

    def _judge(self, index: int, record: codec.Unfit) -> None:
        topic, name = self._topic, self._name
        batch = self._batch
        timestamp = batch.base_timestamp + record.timestamp_delta
        if batch.attributes & LOG_APPEND_TIME:
            timestamp = batch.max_timestamp  # It counts for all of them.
        if topic.compact and not record.has_key:
            text = "Compacted topic cannot accept message without key in topic partition"
            self._bad.append((index, f"{text} {name.topic}-{name.partition}"))
        elif self._timed and _is_untimely(timestamp, self._now_ms, topic):
            self._untimely = True
            offset = record.offset_delta
            self._bad.append((index, _out_of_range(timestamp, offset, self._now_ms, topic)))


def _is_untimely(timestamp: int, now_ms: int, topic: TopicRules) -> bool:
    age = now_ms - timestamp
    return timestamp != NO_TIMESTAMP and (age > topic.oldest_ms or -age > topic.newest_ms)


def _out_of_range(timestamp: int, offset: int, now_ms: int, topic: TopicRules) -> str:
    return (
        f"Timestamp {timestamp} of message with offset {offset} is out of range. The timestamp"
        f" should be within [{now_ms - topic.oldest_ms}, {now_ms + topic.newest_ms}]"
    )


def _counted(bad: list[tuple[int, str]]) -> str:
    shown = ", ".join(f"RecordError(batchIndex={i}, message='{why}')" for i, why in bad[:SHOWN])
    return (
        f"One or more records have been rejected due to {len(bad)} record errors in total, and"
        f" only showing the first three errors at most: [{shown}]"
    )
