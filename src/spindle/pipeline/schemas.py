"""The tables of the pipeline, one constant each, with units. Stages select by these."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

SAMPLE = StructType(
    [
        StructField("sampled_at", TimestampType(), False),
        StructField("broker", IntegerType(), False),
        StructField("broker_error", StringType()),  # why the broker told nothing; else null
        StructField("directory", StringType()),  # absolute path; null where broker_error is set
        StructField("directory_error", StringType()),  # Kafka's error name; null: online
        StructField("total_bytes", LongType()),  # of the file system; -1 unknown
        StructField("usable_bytes", LongType()),  # free on the file system; -1 unknown
        StructField("cordoned", BooleanType()),
        StructField("topic", StringType()),  # null: the directory holds no replica
        StructField("partition", IntegerType()),
        StructField("size", LongType()),  # bytes of .log files
        StructField("offset_lag", LongType()),
        StructField("is_future", BooleanType()),  # the copy that a move is making
    ]
)
"""A row for each replica in each directory; an empty directory and a silent broker get one too."""

DIRECTORY = StructType(
    [
        StructField("broker", IntegerType(), False),
        StructField("directory", StringType(), False),
        StructField("online", BooleanType(), False),
        StructField("cordoned", BooleanType(), False),
        StructField("capacity", LongType()),  # bytes that replicas may take; null: not told
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
        StructField("bound", LongType(), False),  # bytes any plan of this broker must move
        StructField("notes", ArrayType(StringType()), False),
    ]
)
"""A plan: each broker's moves in order. A broker without moves has one row without a topic."""

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

_ARROW: dict[type[DataType], pa.DataType] = {
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    StringType: pa.string(),
    BooleanType: pa.bool_(),
    TimestampType: pa.timestamp("us", tz="UTC"),
}


def arrow(schema: StructType) -> pa.Schema:
    """The Arrow form that Spark expects of a schema, exactly."""
    return pa.schema([pa.field(f.name, _arrow_type(f.dataType), f.nullable) for f in schema])


def _arrow_type(kind: DataType) -> pa.DataType:
    if isinstance(kind, ArrayType):
        return pa.list_(_arrow_type(kind.elementType))
    return _ARROW[type(kind)]
