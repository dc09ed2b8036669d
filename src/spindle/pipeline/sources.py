"""The sampler: DescribeLogDirs of every broker of any Kafka cluster, as a Spark data source.

    spark.dataSource.register(LogDirs)
    spark.read.format("spindle.logdirs").option("bootstrap", "host:9092").load()

One task a broker. A broker that does not answer gives one row that says so and loses no others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from spindle.pipeline.schemas import SAMPLE, arrow

TIMEOUT_SECONDS = 10.0
FORMAT = "spindle.logdirs"


class LogDirs(DataSource):  # type: ignore[misc]
    """The log directories of a cluster now. Options: `bootstrap`; `timeout` in seconds (10)."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return FORMAT

    def schema(self) -> StructType:
        """Schema SAMPLE."""
        return SAMPLE

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader for the columns that are wanted."""
        if "bootstrap" not in self.options:
            raise ValueError("spindle.logdirs needs .option('bootstrap', 'host:port')")
        timeout = float(self.options.get("timeout", TIMEOUT_SECONDS))
        return LogDirsReader(self.options["bootstrap"], timeout, schema)


class LogDirsReader(DataSourceReader):  # type: ignore[misc]
    """Reads one broker a partition. `schema` may name fewer columns than SAMPLE."""

    def __init__(self, bootstrap: str, timeout: float, schema: StructType) -> None:
        self._bootstrap = bootstrap
        self._timeout = timeout
        self._schema = schema
        self._at = datetime.now(UTC)

    def partitions(self) -> list[InputPartition]:
        """The brokers that are registered now."""
        return [InputPartition(broker) for broker in asyncio.run(self._brokers())]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One broker's rows, as one Arrow batch."""
        rows = asyncio.run(self._rows(partition.value))
        narrow = [{name: row[name] for name in self._schema.names} for row in rows]
        yield pa.RecordBatch.from_pylist(narrow, schema=arrow(self._schema))

    async def _brokers(self) -> list[int]:
        from spindle.client.admin import AdminClient

        async with AdminClient(self._bootstrap, timeout=self._timeout) as admin:
            return sorted((await admin.describe_cluster()).brokers)

    async def _rows(self, broker: int) -> list[dict[str, Any]]:
        from spindle.client.admin import AdminClient
        from spindle.model.errors import Failure, Refusal

        common: dict[str, Any] = dict.fromkeys(SAMPLE.names)
        common |= {"sampled_at": self._at, "broker": broker}
        try:
            async with AdminClient(self._bootstrap, timeout=self._timeout) as admin:
                directories = await admin.describe_log_dirs([broker])[broker]
        except (Failure, Refusal) as error:
            return [{**common, "broker_error": str(error)}]
        rows = []
        for directory in directories:
            place = {
                **common,
                "directory": directory.path,
                "directory_error": None if directory.online else directory.error.name,
                "total_bytes": -1 if directory.total is None else directory.total,
                "usable_bytes": -1 if directory.usable is None else directory.usable,
                "cordoned": directory.cordoned,
            }
            logs = [*directory.current.items(), *directory.future.items()]
            rows += [
                {
                    **place,
                    "topic": name.topic,
                    "partition": name.partition,
                    "size": log.size,
                    "offset_lag": log.lag,
                    "is_future": log.is_future,
                }
                for name, log in logs
            ] or [place]
        return rows
