"""The columns of a sample, as Arrow has them: for readers and writers without Spark.

`schemas` has the tables of the pipeline in Spark's types, this one as well. Called by it and by
`small_history`.
"""

from __future__ import annotations

import pyarrow as pa

SAMPLE_COLUMNS = pa.schema(
    [
        pa.field("sampled_at", pa.timestamp("us", tz="UTC"), False),
        pa.field("broker", pa.int32(), False),
        pa.field("broker_error", pa.string()),  # why the broker did not answer; else null
        pa.field("directory", pa.string()),  # absolute path; null where broker_error is set
        pa.field("directory_error", pa.string()),  # Kafka's error name; null: online
        pa.field("total_bytes", pa.int64()),  # of the file system; -1 unknown
        pa.field("usable_bytes", pa.int64()),  # free on the file system; -1 unknown
        pa.field("cordoned", pa.bool_()),
        pa.field("topic", pa.string()),  # null: the directory holds no replica
        pa.field("partition", pa.int32()),
        pa.field("size", pa.int64()),  # bytes of .log files
        pa.field("offset_lag", pa.int64()),
        pa.field("is_future", pa.bool_()),  # the copy that a move is making
    ]
)
"""A row for each replica in each directory; an empty directory and a silent broker get one too."""
