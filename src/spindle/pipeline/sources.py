"""The sampler: DescribeLogDirs of every broker of any Kafka cluster, as a Spark data source.

    spark.dataSource.register(LogDirs)
    spark.read.format("spindle.logdirs").option("bootstrap", "host:9092").load()
    spark.readStream.format("spindle.logdirs").option("bootstrap", "host:9092").load()

A task asks several brokers at once. A broker that does not answer in time gives one row that says
so and loses no others. Called by the jobs; knows the AdminClient and no plan.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.types import StructType

from spindle.pipeline.schemas import SAMPLE, arrow
from spindle.security.client_properties import UNSECURED, ClientSecurity

if TYPE_CHECKING:
    from spindle.client.admin import AdminClient
    from spindle.client.results import LogDirDescription

TIMEOUT_SECONDS = 10.0
INTERVAL_SECONDS = 30.0
TASKS_MAX = 32
ASKED_AT_ONCE = 16
"""Brokers that one task waits for at the same time."""
FORMAT = "spindle.logdirs"


class LogDirs(DataSource):  # type: ignore[misc]
    """The log directories of a cluster.

    Options: `bootstrap`; `command-config`, the path of Kafka's client properties where the driver
    runs; `timeout` in seconds for each broker (10); `tasks`, how many ask at most (32); for streams
    `interval` in seconds (30).
    """

    security: ClassVar[ClientSecurity] = UNSECURED

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
        tasks = int(self.options.get("tasks", TASKS_MAX))
        if timeout <= 0 or tasks < 1:
            raise ValueError("spindle.logdirs: timeout and tasks must be positive")
        security = self.security
        if path := self.options.get("command-config"):
            from spindle.security.client_properties import read_client_settings

            security = read_client_settings(Path(path)).security
        return Sampler(self.options["bootstrap"], timeout, schema, tasks, security)


def secured(with_security: ClientSecurity) -> type[LogDirs]:
    """The source, for a cluster with this security. Register it, and name no file to Spark.

    The properties go to the workers with the class, pickled: no option, plan or file shows them,
    and no machine but the client's needs the files.
    """
    if with_security == UNSECURED:
        return LogDirs

    class SecuredLogDirs(LogDirs):
        """The same, which authenticates."""

        security: ClassVar[ClientSecurity] = with_security

    return SecuredLogDirs


class LogDirsReader(DataSourceReader):  # type: ignore[misc]
    """Reads some brokers a partition; all rows carry one moment.

    That of `load()`: Spark keeps this object, so a DataFrame is one sample. Load again for another.
    """

    def __init__(self, sampler: Sampler, at: datetime) -> None:
        self._sampler = sampler
        self._at = at

    def partitions(self) -> list[InputPartition]:
        """The brokers that are registered, or should be: those that hold replicas."""
        return [InputPartition(brokers) for brokers in self._sampler.tasks()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """An Arrow batch for each broker."""
        return self._sampler.sample(partition.value, self._at)


class LogDirsStream(DataSourceStreamReader):  # type: ignore[misc]
    """A sample each interval: a view of now. Its offset is the number of the interval.

    The past cannot be asked for: a batch that Spark repeats after a crash is sampled again, and a
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
        return [InputPartition((brokers, at)) for brokers in self._sampler.tasks()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """An Arrow batch for each broker."""
        brokers, at = partition.value
        return self._sampler.sample(brokers, at)

    def _number(self) -> int:
        return int(time.time() // self._interval)


class Sampler:
    """Asks brokers for their directories. Holds no connection: Spark sends it to its workers."""

    def __init__(
        self,
        bootstrap: str,
        timeout: float,
        schema: StructType,
        tasks: int,
        security: ClientSecurity = UNSECURED,
    ) -> None:
        self._security = security
        """`timeout` in seconds for each broker; `schema`: the columns of SAMPLE that are wanted."""
        self._bootstrap = bootstrap
        self._timeout = timeout
        self._schema = schema
        self._tasks = tasks

    def tasks(self) -> list[list[int]]:
        """All brokers that are registered or hold replicas, spread over the tasks."""
        brokers = asyncio.run(self._brokers())
        count = min(self._tasks, len(brokers))
        return [brokers[number::count] for number in range(count)]

    def sample(self, brokers: list[int], at: datetime) -> Iterator[pa.RecordBatch]:
        """The rows of some brokers, a batch for each."""
        for first in range(0, len(brokers), ASKED_AT_ONCE):
            asked = brokers[first : first + ASKED_AT_ONCE]
            for broker, told in asyncio.run(self._ask(asked)).items():
                rows = _rows(broker, told, at)
                narrow = [{name: row[name] for name in self._schema.names} for row in rows]
                yield pa.RecordBatch.from_pylist(narrow, schema=arrow(self._schema))

    def _client(self) -> AdminClient:
        from spindle.client.admin import AdminClient

        return AdminClient(self._bootstrap, timeout=self._timeout, security=self._security)

    async def _brokers(self) -> list[int]:
        async with self._client() as admin:
            registered = await admin.registered_brokers()
            if registered is not None:
                return registered
            live = (await admin.describe_cluster()).brokers
            topics = await admin.list_topics(internal=True)
        holders = {b for topic in topics.values() for p in topic.partitions for b in p.replicas}
        return sorted(holders | set(live))

    async def _ask(
        self, brokers: list[int]
    ) -> Mapping[int, Exception | tuple[LogDirDescription, ...]]:
        """What each broker tells, or why it does not."""
        from spindle.model.errors import Corrupt, Failure, Refusal, Unusable

        try:
            async with self._client() as admin:
                settled = await admin.describe_log_dirs(brokers).settled()
                return {broker: settled[broker] for broker in brokers}
        except (Corrupt, Failure, Refusal, Unusable) as error:
            return dict.fromkeys(brokers, error)


def _rows(
    broker: int, told: Exception | tuple[LogDirDescription, ...], at: datetime
) -> list[dict[str, object]]:
    common: dict[str, object] = dict.fromkeys(SAMPLE.names)
    common |= {"sampled_at": at, "broker": broker}
    if isinstance(told, Exception):
        return [{**common, "broker_error": str(told) or type(told).__name__}]
    rows = []
    for directory in told:
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
