"""Requests that can be read and make no sense: every field holds what a client should not send.

Seeded, so that a seed names its requests. Values come from what the cluster knows (topics, ids,
epochs), from the ends of each type, and from noise: absurd in one place often means right in the
others, which is how a request gets past the first checks.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tools.messages.entities import request_class
from tools.messages.frames import encode_message
from tools.messages.layout import Field, Layout, layout_of

from spindle.model.batches import CONTROL, TRANSACTIONAL, Record
from spindle.model.errors import Error
from spindle.model.ids import METADATA_TOPIC, METADATA_TOPIC_ID
from spindle.wire import batch
from spindle.wire.apis import TABLE
from spindle.wire.compression import Compression

TEXTS = (
    "", ".", "..", "a/b", "nul\0", "x" * 250, "é" * 40, "__consumer_offsets", METADATA_TOPIC,
    "__transaction_state", "group", "member", "consumer", "range", "producer", "1", "-1",
    "retention.ms", "min.insync.replicas", "cleanup.policy", "compact", "nonsense", "PLAINTEXT",
    "metadata.version", "kraft.version", "log.dirs",
)  # fmt: skip
_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}


@dataclass
class Hostile:
    """Makes requests. `texts` and `ids`: names and ids that the cluster knows."""

    rng: random.Random
    texts: Sequence[str]
    ids: list[uuid.UUID] = field(default_factory=list)
    depth: int = 0

    def message(self, key: int, version: int) -> tuple[Any, bytes]:
        """A request and its bytes, header included, without length."""
        entity = self._entity(layout_of(request_class(key, version)))
        return entity, encode_message(entity, 1, self.rng.choice((None, "hostile")))

    def _entity(self, layout: Layout) -> Any:
        assert layout.cls is not None
        return layout.cls(**{f.name: self._field(f) for f in layout.fields})

    def _field(self, field: Field) -> Any:
        rng = self.rng
        untold = field.tag is not None and field.default is not None
        if field.nullable and not untold and rng.random() < 0.15:
            return None
        if not field.array:
            return self._one(field)
        made = [self._one(field) for _ in range(rng.choice((0, 1, 1, 1, 2, 3)))]
        return tuple(made * rng.choice((1, 1, 1, 2)))  # the same twice, too

    def _one(self, field: Field) -> Any:
        if field.layout is not None:
            return self._entity(field.layout)
        rng, kind = self.rng, field.kind
        if kind in _BITS:
            return self._whole(_BITS[kind], field.name)
        if kind == "uint16":
            return rng.choice((0, 1, 9092, 2**16 - 1))
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "float64":
            return rng.choice((0.0, -1.0, 1e300, float("inf"), float("nan")))
        if kind == "uuid":
            return rng.choice((None, METADATA_TOPIC_ID, uuid.UUID(int=2), *self.ids, *self.ids))
        if kind == "error_code":
            return rng.choice(list(Error))
        if kind == "timedelta_i32":
            return timedelta(milliseconds=rng.choice((0, -1, 1, 500, 2**31 - 1, -(2**31))))
        if kind == "timedelta_i64":
            return timedelta(milliseconds=rng.choice((0, -1, 1, 500, 2**40)))
        if kind == "datetime_i64":
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=rng.choice((0, 2**41)))
        if kind == "string":
            return rng.choice((*TEXTS, *self.texts, *self.texts, *self.texts))
        return self._bytes()

    def _whole(self, bits: int, name: str) -> int:
        rng, top = self.rng, 2 ** (bits - 1) - 1
        if name in ("acks", "required_acks"):
            return rng.choice((-1, 0, 1, 1, 2))
        return rng.choice((0, 0, 0, 1, 1, 2, 3, -1, -1, -2, 5, 100, 101, top, -top - 1))

    def _bytes(self) -> bytes:
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            return b""
        if kind == 1:
            return rng.randbytes(rng.randrange(200))
        if kind == 2:
            return self._inner()
        made = bytearray(self._batch())
        if kind == 3:
            made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)
        return bytes(made)

    def _inner(self) -> bytes:
        """A request, as an Envelope carries it."""
        if self.depth > 1:
            return b""
        self.depth += 1
        key = self.rng.choice(list(TABLE))
        message = self.message(key, TABLE[key].max)[1]
        self.depth -= 1
        return message

    def _batch(self) -> bytes:
        rng = self.rng
        begin = rng.choice((0, -1, 2**62))
        records = [
            Record(n, begin + n, rng.choice((None, b"k", b"\0\0\0\1")), rng.choice((None, b"v")))
            for n in range(rng.choice((1, 1, 3)))
        ]
        made = batch.build(
            records,
            base_offset=0,
            attributes=rng.choice((0, 0, 0, TRANSACTIONAL, CONTROL, TRANSACTIONAL | CONTROL)),
            compression=rng.choice(list(Compression)),
            producer_id=rng.choice((-1, 0, 1000, 2**63 - 1)),
            producer_epoch=rng.choice((-1, 0, 5, 2**15 - 1)),
            base_sequence=rng.choice((-1, 0, 7, 2**31 - 1)),
        )
        return b"".join(bytes(piece) for piece in batch.stamped(made))
