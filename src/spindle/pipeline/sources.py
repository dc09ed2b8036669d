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
from collections.abc import Iterator
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

from spindle.model.errors import Corrupt, Failure, Refusal, Unusable
from spindle.pipeline import sampling
from spindle.pipeline.schemas import SAMPLE, arrow
from spindle.security.client_properties import UNSECURED, ClientSecurity

if TYPE_CHECKING:
    from spindle.client.admin import AdminClient

INTERVAL_SECONDS = 30.0
TASKS_MAX = 32
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
        timeout = float(self.options.get("timeout", sampling.TIMEOUT_SECONDS))
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
        for first in range(0, len(brokers), sampling.ASKED_AT_ONCE):
            asked = brokers[first : first + sampling.ASKED_AT_ONCE]
            for broker, told in asyncio.run(self._ask(asked)).items():
                rows = sampling.rows(broker, told, at)
                narrow = [{name: row.get(name) for name in self._schema.names} for row in rows]
                yield pa.RecordBatch.from_pylist(narrow, schema=arrow(self._schema))

    def _client(self) -> AdminClient:
        from spindle.client.admin import AdminClient

        return AdminClient(self._bootstrap, timeout=self._timeout, security=self._security)

    async def _brokers(self) -> list[int]:
        async with self._client() as admin:
            return await sampling.known_brokers(admin)

    async def _ask(self, brokers: list[int]) -> sampling.Answers:
        """What each broker says, or why it does not."""
        try:
            async with self._client() as admin:
                return await sampling.ask(admin, brokers, self._timeout)
        except (Corrupt, Failure, Refusal, Unusable) as error:
            return dict.fromkeys(brokers, error)
