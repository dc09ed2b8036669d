"""How a topic's batches are compressed in its log: compression.type and the levels (KIP-390)."""

from __future__ import annotations

from typing import NamedTuple

from spindle.model.settings.typed_settings import TopicSettings
from spindle.wire.batch import Compression


class Packing(NamedTuple):
    """A compression and, where it has some, its level."""

    codec: Compression
    level: int | None = None


def packing_of(settings: TopicSettings) -> Packing | None:
    """What a topic wants for its batches; None: they stay as producers compress them."""
    match settings.word("compression.type"):
        case "uncompressed":
            return Packing(Compression.NONE)
        case "snappy":
            return Packing(Compression.SNAPPY)
        case "gzip":
            return Packing(Compression.GZIP, settings.whole("compression.gzip.level"))
        case "lz4":
            return Packing(Compression.LZ4, settings.whole("compression.lz4.level"))
        case "zstd":
            return Packing(Compression.ZSTD, settings.whole("compression.zstd.level"))
        case _:
            return None
