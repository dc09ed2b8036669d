"""The sampler: DescribeLogDirs of every broker of any Kafka cluster, as a Spark data source.

    spark.dataSource.register(LogDirs)
    spark.read.format("spindle.logdirs").option("bootstrap", "host:9092").load()
    spark.readStream.format("spindle.logdirs").option("bootstrap", "host:9092").load()

One task a broker. A broker that does not answer gives one row that says so and loses no others.
Called by the jobs; knows the AdminClient and no plan.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.types import StructType

from spindle.pipeline.schemas import SAMPLE, arrow

TIMEOUT_SECONDS = 10.0
INTERVAL_SECONDS = 30.0
FORMAT = "spindle.logdirs"


class LogDirs(DataSource):  # type: ignore[misc]
    """The log directories of a cluster.

    Options: `bootstrap`; `timeout` in seconds (10); for streams `interval` in seconds (30).
    """

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return FORMAT

    def schema(self) -> StructType:
        """Schema SAMPLE."""
        return SAMPLE

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader for the columns that are wanted."""
        return LogDirsReader(self._sampler(schema), datetime.now(UTC))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """A stream of samples, one each interval."""
        interval = float(self.options.get("interval", INTERVAL_SECONDS))
        return LogDirsStream(self._sampler(schema), interval)

    def _sampler(self, schema: StructType) -> Sampler:
        if "bootstrap" not in self.options:
            raise ValueError("spindle.logdirs needs .option('bootstrap', 'host:port')")
        timeout = float(self.options.get("timeout", TIMEOUT_SECONDS))
        return Sampler(self.options["bootstrap"], timeout, schema)


class LogDirsReader(DataSourceReader):  # type: ignore[misc]
    """Reads one broker a partition; all rows carry one moment."""

    def __init__(self, sampler: Sampler, at: datetime) -> None:
        self._sampler = sampler
        self._at = at

    def partitions(self) -> list[InputPartition]:
        """The brokers that are registered, or should be: those that hold replicas."""
        return [InputPartition(broker) for broker in self._sampler.brokers()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One broker's rows, as one Arrow batch."""
        yield self._sampler.sample(partition.value, self._at)


class LogDirsStream(DataSourceStreamReader):  # type: ignore[misc]
    """A sample each interval: a view of now. Its offset is the number of the interval.

    The past cannot be asked for: a batch that Spark repeats after a crash is sampled anew, and a
    query that was away resumes with one sample of the present. What must be kept goes through the
    history.
    """

    def __init__(self, sampler: Sampler, interval: float) -> None:
        self._sampler = sampler
        self._interval = interval

    def initialOffset(self) -> dict[str, int]:
        """Just before the present interval, so that the first sample is taken at once."""
        return {"interval": self._number() - 1}

    def latestOffset(self, start: object = None, limit: object = None) -> dict[str, int]:
        """The present interval."""
        return {"interval": self._number()}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        """The brokers; none where no interval has passed."""
        if start == end:
            return []
        at = datetime.now(UTC)
        return [InputPartition((broker, at)) for broker in self._sampler.brokers()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """One broker's rows, as one Arrow batch."""
        broker, at = partition.value
        yield self._sampler.sample(broker, at)

    def _number(self) -> int:
        return int(time.time() // self._interval)


class Sampler:
    """Asks brokers for their directories. Holds no connection: Spark sends it to its workers."""

    def __init__(self, bootstrap: str, timeout: float, schema: StructType) -> None:
        """`timeout` in seconds for each broker; `schema`: the columns of SAMPLE that are wanted."""
        self._bootstrap = bootstrap
        self._timeout = timeout
        self._schema = schema

    def brokers(self) -> list[int]:
        """Ids of all brokers that live, and of those that do not but hold replicas."""
        return asyncio.run(self._brokers())

    def sample(self, broker: int, at: datetime) -> pa.RecordBatch:
        """One broker's rows."""
        rows = asyncio.run(self._rows(broker, at))
        narrow = [{name: row[name] for name in self._schema.names} for row in rows]
        return pa.RecordBatch.from_pylist(narrow, schema=arrow(self._schema))

    async def _brokers(self) -> list[int]:
        from spindle.client.admin import AdminClient

        async with AdminClient(self._bootstrap, timeout=self._timeout) as admin:
            live = (await admin.describe_cluster()).brokers
            topics = await admin.list_topics(internal=True)
        holders = {b for topic in topics.values() for p in topic.partitions for b in p.replicas}
        return sorted(holders | set(live))

    async def _rows(self, broker: int, at: datetime) -> list[dict[str, Any]]:
        from spindle.client.admin import AdminClient
        from spindle.model.errors import Failure, Refusal

        common: dict[str, Any] = dict.fromkeys(SAMPLE.names)
        common |= {"sampled_at": at, "broker": broker}
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
