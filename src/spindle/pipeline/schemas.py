"""The tables of the pipeline, one constant each, with units. Stages select by these."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from spindle.pipeline.sample_columns import SAMPLE_COLUMNS

DIRECTORY = StructType(
    [
        StructField("broker", IntegerType(), False),
        StructField("directory", StringType(), False),
        StructField("online", BooleanType(), False),
        StructField("cordoned", BooleanType(), False),
        StructField("device", StringType(), False),  # of its broker: its first directory's name
        StructField("capacity", LongType()),  # bytes that replicas may take; null: unknown
        StructField("used", LongType(), False),  # bytes of replicas
        StructField("replicas", LongType(), False),
    ]
)
"""Load of each directory now."""

MOVE = StructType(
    [
        StructField("broker", IntegerType(), False),
        StructField("topic", StringType()),  # null: a row of the plan that is not a move
        StructField("partition", IntegerType()),
        StructField("source", StringType()),
        StructField("target", StringType()),
        StructField("size", LongType()),
        StructField("wave", IntegerType()),
        StructField("destination", IntegerType()),  # another broker; -1: the same
        StructField("rate", DoubleType()),  # bytes/s that the replica is written with
        StructField("bound", LongType(), False),  # bytes that any plan must move
        StructField("notes", ArrayType(StringType()), False),
    ]
)
"""A plan: moves by wave; of all brokers planned together one row without a topic, with the bound
and what there is to say."""

GROWTH = StructType(
    [
        StructField("broker", IntegerType(), False),
        StructField("topic", StringType(), False),
        StructField("partition", IntegerType(), False),
        StructField("slope", DoubleType(), False),  # bytes/s
    ]
)
"""How each replica grows."""

FORECAST = StructType(
    [
        StructField("device", IntegerType(), False),  # its number in the call
        *(StructField(name, DoubleType(), False) for name in ("slope", "spread", "peak")),
        StructField("blocks", IntegerType(), False),
        StructField("block", DoubleType(), False),  # s
        StructField("moments", ArrayType(DoubleType()), False),  # s since 1970, at most 169
        StructField("changes", ArrayType(DoubleType()), False),  # bytes between two moments
    ]
)
"""How what lies on each device now has grown (fields of `growth.Line`), and when."""

EVENT = StructType(
    [
        StructField("topic", StringType(), False),
        StructField("partition", IntegerType(), False),
        StructField("offset", LongType(), False),
        StructField("producer", IntegerType(), False),
        StructField("sequence", LongType(), False),
        StructField("checksum", LongType(), False),
    ]
)
"""A record that was acknowledged to a producer, or given to a consumer."""

_LOG_PLACE = [
    StructField("disk", StringType()),  # the log directory, or the directory above a log's
    StructField("topic", StringType()),  # null: a row about the disk itself
    StructField("partition", IntegerType()),
    StructField("kind", StringType()),  # current, future (a move's copy), delete, stray or other
    StructField("log", StringType()),  # the name of the log's own directory: of several copies
    StructField("segment", LongType()),  # base offset, which names the file
    StructField("position", LongType()),  # byte in the file: of the batch, or of the damage
    StructField("size", IntegerType()),  # bytes: of the whole batch, or of the damage
    StructField("error", StringType()),  # why these bytes are no well batch; null: all is well
]

_LOG_PRODUCER = [
    StructField("producer_id", LongType()),  # null: not idempotent
    StructField("producer_epoch", IntegerType()),
    StructField("sequence", IntegerType()),  # the producer's count: of the (first) record
    StructField("is_transactional", BooleanType()),
    StructField("is_control", BooleanType()),  # written by brokers: markers, leader changes
    StructField("is_aborted", BooleanType()),  # of an aborted transaction, as .txnindex says
]

LOG_BATCH = StructType(
    [
        *_LOG_PLACE,
        StructField("base_offset", LongType()),  # damage: the first that may have been there
        StructField("last_offset", LongType()),  # damage: the last that may have been there
        StructField("records", IntegerType()),  # compacted: fewer than offsets, perhaps none
        StructField("leader_epoch", IntegerType()),
        StructField("compression", StringType()),  # none, gzip, snappy, lz4, zstd
        StructField("timestamp_type", StringType()),  # create, or append: the broker's clock
        StructField("base_timestamp", TimestampType()),
        StructField("max_timestamp", TimestampType()),
        *_LOG_PRODUCER,
        StructField("crc", LongType()),
    ]
)
"""A row for each batch in log files, and for each range of bytes that holds no well batch."""

HEADERS = ArrayType(
    StructType([StructField("key", StringType()), StructField("value", BinaryType())])
)

LOG_RECORD = StructType(
    [
        *_LOG_PLACE,
        StructField("offset", LongType()),  # damage: the first that may have been there
        StructField("timestamp", TimestampType()),  # null: none, or not within the years 1 to 9999
        StructField("timestamp_type", StringType()),
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("headers", HEADERS),  # null: none
        StructField("leader_epoch", IntegerType()),
        StructField("compression", StringType()),
        *_LOG_PRODUCER,
    ]
)
"""A row for each record in log files, and for each range of bytes that holds no well batch."""

_ARROW: dict[type[DataType], pa.DataType] = {
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    DoubleType: pa.float64(),
    StringType: pa.string(),
    BinaryType: pa.binary(),
    BooleanType: pa.bool_(),
    TimestampType: pa.timestamp("us", tz="UTC"),
}


def arrow(schema: StructType) -> pa.Schema:
    """The Arrow form that Spark expects of a schema, exactly."""
    return pa.schema([pa.field(f.name, arrow_type(f.dataType), f.nullable) for f in schema])


def arrow_type(kind: DataType) -> pa.DataType:
    """The Arrow form that Spark expects of a column's type."""
    if isinstance(kind, ArrayType):
        return pa.list_(pa.field("element", arrow_type(kind.elementType), kind.containsNull))
    if isinstance(kind, StructType):
        return pa.struct(list(arrow(kind)))
    return _ARROW[type(kind)]


_OF_ARROW = {form: kind for kind, form in _ARROW.items()}
SAMPLE = StructType([StructField(f.name, _OF_ARROW[f.type](), f.nullable) for f in SAMPLE_COLUMNS])
"""A sample: `sample_columns`."""
