"""Kafka's small text files: offset checkpoints, leader epochs, topic id, clean shutdown.

Texts to values and back; `Corrupt` says what is wrong with a text. Reading and replacing files is
`files`; what a damaged one costs is decided by `log_loader` (never the disk, B-15).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable

from spindle.model.errors import Corrupt
from spindle.model.ids import ZERO_ID, TopicId, TopicPartition, id_from_text, id_to_text
from spindle.model.offsets import EpochStart

_VERSION = "0"


def encode_offsets(offsets: dict[TopicPartition, int]) -> bytes:
    """An offset checkpoint: version, count, one `topic partition offset` a line."""
    lines = [f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()]
    return _encode(lines)


def decode_offsets(data: bytes) -> dict[TopicPartition, int]:
    """Read an offset checkpoint; an empty file has no entries."""
    found: dict[TopicPartition, int] = {}
    for words in _decode(data, 3):
        found[TopicPartition(words[0], _number(words[1]))] = _number(words[2])
    return found


def encode_epochs(epochs: Iterable[EpochStart]) -> bytes:
    """`leader-epoch-checkpoint`: version, count, one `epoch start` a line, ascending."""
    return _encode([f"{epoch} {start}" for epoch, start in epochs])


def decode_epochs(data: bytes) -> tuple[EpochStart, ...]:
    """Read `leader-epoch-checkpoint`."""
    found = [EpochStart(_number(words[0]), _number(words[1])) for words in _decode(data, 2)]
    for one, other in itertools.pairwise(found):
        if one.epoch >= other.epoch or one.start >= other.start:
            raise Corrupt(f"epoch {other.epoch} at {other.start} does not follow {one}")
    return tuple(found)


def encode_topic_id(topic_id: TopicId) -> bytes:
    """`partition.metadata`; without a final newline, as Kafka writes it."""
    return f"version: 0\ntopic_id: {id_to_text(topic_id)}".encode()


def decode_topic_id(data: bytes) -> TopicId:
    """Read `partition.metadata`."""
    fields: dict[str, str] = {}
    for line in _text(data).split("\n"):
        words = line.split()
        if len(words) != 2:
            raise Corrupt(f"{line!r} is not a key and a value")
        fields[words[0]] = words[1]
    if _number(fields.get("version:", "")) < 0:
        raise Corrupt("its version is negative")
    try:
        topic_id = id_from_text(fields.get("topic_id:", ""))
    except ValueError as error:
        raise Corrupt(str(error)) from None
    if topic_id == ZERO_ID:
        raise Corrupt("its topic id is zero")
    return topic_id


def encode_clean_shutdown(broker_epoch: int) -> bytes:
    """`.kafka_cleanshutdown`: its existence says clean, its content the broker's last epoch."""
    return json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":")).encode()


def decode_clean_shutdown(data: bytes) -> int:
    """The broker's epoch in `.kafka_cleanshutdown`, or -1 where it has none."""
    try:
        value = json.loads(data)
    except ValueError:
        return -1
    epoch = value.get("brokerEpoch", -1) if isinstance(value, dict) else -1
    return epoch if isinstance(epoch, int) else -1


def _encode(lines: list[str]) -> bytes:
    return "\n".join([_VERSION, str(len(lines)), *lines, ""]).encode()


def _decode(data: bytes, words: int) -> list[list[str]]:
    if not data:
        return []
    lines = _text(data).split("\n")
    if lines.pop() != "":
        raise Corrupt("its last line is cut off")
    if len(lines) < 2:
        raise Corrupt("it lacks version and count")
    if lines[0].strip() != _VERSION:
        raise Corrupt(f"its version is {lines[0]!r} and not {_VERSION}")
    if _number(lines[1]) != len(lines) - 2:
        raise Corrupt(f"it says {lines[1]!r} entries and has {len(lines) - 2}")
    entries = [line.split() for line in lines[2:]]
    for entry in entries:
        if len(entry) != words:
            raise Corrupt(f"{' '.join(entry)!r} has {len(entry)} words and not {words}")
    return entries


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Corrupt("it is not text") from None


def _number(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise Corrupt(f"{word!r} is not a number") from None
