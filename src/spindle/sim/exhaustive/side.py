"""One broker's side of transactions: real replicas, coordinators, markers and handlers.

Logs are lists of batches, and every job on them is done at once: disks are not what this search is
about. Followers copy when the search says so. Belongs to `transacting`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from spindle.model import metadata_records as r
from spindle.model.batches import RecordBatch
from spindle.model.config import NodeConfig, node_config
from spindle.model.ids import NodeId, PartitionId, TopicPartition
from spindle.model.jobs import Append, Appended, Read, ReadResult
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.outbox import FrameAsked, JobAsked, Outbox
from spindle.node.broker_context import BrokerContext
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
from spindle.node.handlers import BROKER
from spindle.node.metadata import Metadata
from spindle.node.peers import Peers
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.request_context import NOTHING_SERVED, Origin, RequestContext, Sink
from spindle.node.router import decoded, serve
from spindle.node.transactions.transaction_coordinator_service import TransactionCoordinatorService
from spindle.sim.exhaustive.mailbox import CLUSTER
from spindle.wire.batch import split, stamped
from spindle.wire.codec import Request, Response
from spindle.wire.control import marker_of
from spindle.wire.framing import RequestHeader, request_frame

WALL_MS: Final = 1_000_000_000
PORT: Final = 9000
DIRECTORY: Final = "/d"


class Nothing:
    """Stands for parts that this search leaves out: no input has an effect."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


class Ids:
    """Gives producer ids, without a controller."""

    def __init__(self) -> None:
        self.last = 0

    def take(self, then: Callable[[int], None]) -> None:
        """The next one."""
        self.last += 1
        then(self.last)


class StandingBroker:
    """A broker that lives from the beginning to the end. `learned`: batches of metadata read."""

    def __init__(self, id: NodeId, now: float, ids: Ids) -> None:
        self.id = id
        self.learned = 0
        self.logs: dict[LogKey, list[bytes]] = {}
        self.frames: list[FrameAsked] = []
        self.out = Outbox(random.Random(id))
        self.set_clock(now)
        metadata = Metadata()
        self.image = metadata.image
        nothing: Any = Nothing()
        self.context = BrokerContext(
            _config(id), CLUSTER, self.out, metadata, Peers(self.out, f"broker-{id}"), nothing
        )
        self.replicas = ReplicaManager(self.context)
        self.replicas.bind(nothing, nothing)
        self.groups = GroupCoordinatorService(self.context, self.replicas, nothing, nothing)
        producer_ids: Any = ids
        self.transactions = TransactionCoordinatorService(
            self.context, self.replicas, self.groups, nothing, producer_ids
        )
        self.broker: Any = SimpleNamespace(
            context=self.context,
            out=self.out,
            image=self.image,
            settings=self.context.settings,
            node_id=id,
            replicas=self.replicas,
            groups=self.groups,
            transactions=self.transactions,
            producer_ids=ids,
        )

    def set_clock(self, now: float) -> None:
        """The time, in seconds; what clocks on the wall show makes no difference in here."""
        self.out.now, self.out.wall_ms = now, WALL_MS

    def learn(self, records: list[r.MetadataRecord]) -> None:
        """Read the next batch of the metadata log."""
        self.learned += 1
        for record in records:
            self.image.apply(record)
        delta = self.image.take_delta()
        for id, name in [
            (PartitionId(t.topic_id, s.partition_id), t.name) for t, s in self.image.partitions()
        ]:
            if id not in self.replicas.partitions.hosted:
                key = LogKey(name, id.partition)
                self.logs[key] = []
                log = LoadedLog(key, id.topic_id, 0, 0, 0, 0)
                where = TopicPartition(name, id.partition)
                self.replicas.on_log_ready(id, where, DIRECTORY, log)
        self.replicas.on_metadata(delta)
        self.groups.on_metadata(delta)
        self.transactions.on_metadata(delta)

    # --- logs -------------------------------------------------------------------------------

    def batches(self, id: PartitionId) -> list[RecordBatch]:
        """All batches of a log."""
        return split(b"".join(self.logs[self.replicas.partitions.hosted[id].key]))

    def copy(self, id: PartitionId, leader: StandingBroker) -> None:
        """Copy what a leader has, as a fetch of a follower does."""
        mine, its = self.replicas.partitions.hosted[id], leader.replicas.partitions.hosted[id]
        new = [b for b in leader.batches(id) if b.base_offset >= mine.partition.log.end]
        for batch in new:
            mine.partition.accept(batch, marker_of(batch) if batch.is_control else None)
        if new:
            self.replicas.writes.append(mine, new)
        self.settle()
        epoch = leader.image.brokers[self.id].broker_epoch
        machine = its.partition
        at, now = mine.partition.log.end, self.out.now
        leader.replicas.changes.settle(its, machine.on_follower_fetch(self.id, at, 0, epoch, now))
        mine.partition.on_leader_mark(machine.log.high_watermark)

    def serve(self, request: Request[Response], version: int, sink: Sink) -> None:
        """Serve a request that has come; the answer goes to `sink`."""
        served = decoded(BROKER, request_frame(request, version, 0, "x")[4:])
        header = RequestHeader(request.KEY, version, 0, "x")
        context = RequestContext[Response](
            header, b"", 1, Origin("PLAINTEXT", "x"), NOTHING_SERVED, sink
        )
        serve(BROKER[request.KEY], self.broker, served, context)

    def settle(self) -> None:
        """Do all jobs; requests to other brokers wait in `frames`."""
        while (ready := self.out.take()) is not None:
            self.frames += ready.frames
            for asked in ready.jobs:
                self.out.done(asked.ticket, self._done(asked))

    def _done(self, asked: JobAsked) -> object:
        job = asked.job
        assert isinstance(job, Append | Read), f"{job} is not expected"
        log = self.logs[job.key]
        if isinstance(job, Append):
            log += [b"".join(map(bytes, stamped(batch))) for batch in job.batches]
            return Appended(job.batches[-1].next_offset, sum(map(len, log)))
        found = [b for b in split(b"".join(log)) if job.offset <= b.last_offset]
        end = found[-1].next_offset if found else job.offset
        return ReadResult(b"".join(bytes(b.data) for b in found), 0, end)


def _nothing(*_: object, **__: object) -> None:
    """Nothing."""


def _config(id: NodeId) -> NodeConfig:
    return node_config(
        {
            "node.id": str(id),
            "process.roles": "broker",
            "listeners": f"PLAINTEXT://127.0.0.1:{PORT + id}",
            "controller.quorum.voters": "100@127.0.0.1:9999",
            "log.dirs": DIRECTORY,
            "replica.lag.time.max.ms": "100000000",
        }
    )
