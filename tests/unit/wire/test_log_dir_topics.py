"""Topics of a log directory are written straight as bytes, as the generated codec writes them."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from spindle.wire.codec import put_all
from spindle.wire.log_dir_topics import partition_writer, put_topics
from spindle.wire.messages.describe_log_dirs_response import (
    DescribeLogDirsPartition,
    DescribeLogDirsResponse,
    DescribeLogDirsTopic,
)

LONG = st.integers(-1, 2**63 - 1)
Row: TypeAlias = tuple[int, int, int, bool]
ROWS = st.lists(st.tuples(st.integers(0, 2**31 - 1), LONG, LONG, st.booleans()), max_size=200)


@given(st.dictionaries(st.text(max_size=249), ROWS, max_size=5))
def test_the_bytes_are_those_of_the_messages(
    topics: dict[str, list[Row]],
) -> None:
    messages = [
        DescribeLogDirsTopic(
            name=name,
            partitions=tuple(
                DescribeLogDirsPartition(
                    partition_index=index, partition_size=size, offset_lag=lag, is_future_key=future
                )
                for index, size, lag, future in rows
            ),
        )
        for name, rows in topics.items()
    ]
    for version in DescribeLogDirsResponse.VERSIONS:
        put = partition_writer(version)
        written = [(name, [put(*row) for row in rows]) for name, rows in topics.items()]
        assert put_topics(written, version) == put_all(messages, version)
