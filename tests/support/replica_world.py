"""Some brokers' replicas over real logs in memory: a network, a controller and a clock by hand.

Each node has the real `ReplicaManager`, `ReplicaFetcherManager` and handlers; jobs run on real
`LogDirectory` objects over a `MemoryDisk`; requests travel as bytes. A stand-in commits proposals.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tools.messages.entities import make, request_types, response_types
from tools.messages.frames import decode_request, decode_response, encode_request, encode_response

from spindle.model import metadata_records as r
from spindle.model.batches import Buffer, Record, RecordBatch
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import Endpoint, NodeId, PartitionId, TopicPartition
from spindle.model.image import ClusterImage
from spindle.model.jobs import CreateLog, LogSettings
from spindle.model.log_values import LogKey
from spindle.model.outbox import FrameAsked, Outbox
from spindle.node import parted
from spindle.node.handlers import BROKER
from spindle.node.parts import Parting, names_of
from spindle.node.replicas.replica_fetcher_manager import ReplicaFetcherManager
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.request_context import NOTHING_SERVED, Origin, RequestContext
from spindle.node.router import decoded, serve
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.testing.bench import BrokerBench
from spindle.wire.apis import Key
from spindle.wire.batch import build, split
from spindle.wire.batch import records as records_of
from spindle.wire.framing import RequestHeader
from tests.support.replica_parts import Answer, Logs, fetched, produced, values_of

TOPIC = uuid.UUID(int=1000)
NAME = "t"


def directory_id(node: NodeId, number: int = 0) -> uuid.UUID:
    """The id of a node's directory."""
    return uuid.UUID(int=10_000 + node * 10 + number)


class Node:
    """One broker's data side."""

    def __init__(self, world: World, id: NodeId, settings: dict[str, str]) -> None:
        self.world = world
        self.id = id
        self.path = f"/disk-{id}"
        self.bench = BrokerBench(id, [self.path], settings)
        self.disk = self.bench.disk
        self.image = ClusterImage()
        self.boot()

    def boot(self) -> None:
        """Make the parts again, as a start of the process does; logs come with `host`."""
        self.world.close_connection(self.id)
        controller: Any = SimpleNamespace(ask=self._ask_controller)
        context = self.bench.boot(controller, self.image)
        self.config, self.out = context.config, context.out
        self.directories = self.bench.directories
        self.bench.set_time(self.world.now)
        self.replicas = ReplicaManager(context)
        self.fetchers = ReplicaFetcherManager(context, self.replicas)
        self.logs = Logs(self.replicas)
        self.replicas.bind(self.fetchers, self.logs.post)
        self.fetchers.listeners.append(self.logs.on_answered)
        self.broker: Any = SimpleNamespace(
            out=self.out,
            image=self.image,
            context=context,
            settings=context.settings,
            replicas=self.replicas,
            transactions=SimpleNamespace(enlisting=None),
        )
        self.add_directory(self.path)

    def add_directory(self, path: str) -> None:
        """Format a directory, if it is new, and open it."""
        number = 0 if path == self.path else len(self.directories)
        if self.disk.stat(path) is None:
            self.bench.format(path, directory_id(self.id, number))
        self.opened = self.bench.attach(path).run(self.bench.opening(path))

    def host(self, partition: int = 0, path: str = "") -> None:
        """Make (or find) a partition's log and give it to the replicas."""
        id, path = PartitionId(TOPIC, partition), path or self.path
        job = CreateLog(path, LogKey(NAME, partition), TOPIC, LogSettings())
        log = self.directories[path].run(job)
        self.replicas.on_log_ready(id, TopicPartition(NAME, partition), path, log)

    def _ask_controller(
        self,
        channel: str,
        entity: Any,
        version: int,
        then: Callable[[Any], None],
        timeout: float = 30.0,
    ) -> None:
        self.world.controller_asked.append((self, entity, then))

    def call(self, key: int, version: int, body: Any) -> Answer:
        """A client's request, answered now or later."""
        request, context, answer = self._sent(key, version, body)
        serve(BROKER[key], self.broker, request, context)
        self.world.step()
        return answer

    def call_in_parts(self, key: int, version: int, body: Any) -> Answer:
        """A large request, served as the router does."""
        request, context, answer = self._sent(key, version, body)
        names = names_of(parted.BROKER, key, request)
        assert names is not None

        def serve_part(part: Any, of: RequestContext[Any]) -> None:
            serve(BROKER[key], self.broker, part, of)

        Parting(self.out, request, context, names, self.broker, serve_part).go_on()
        self.world.step()
        return answer

    def _sent(self, key: int, version: int, body: Any) -> tuple[Any, RequestContext[Any], Answer]:
        answer = Answer(key, version)
        header = RequestHeader(key, version, 7, "client")
        sent = decoded(BROKER, encode_request(body, 7, "client")[4:])
        context: RequestContext[Any] = RequestContext(
            header, b"", 1, Origin("PLAINTEXT", "127.0.0.1"), NOTHING_SERVED, answer.take
        )
        return sent, context, answer

    def partition(self, number: int = 0) -> Any:
        """The machine of a hosted partition."""
        return self.replicas.partitions.hosted[PartitionId(TOPIC, number)].partition

    def values(self, number: int = 0) -> list[bytes | None]:
        """All values in a hosted log, read from its directory."""
        return [v for _, v in self.records(number)]

    def records(self, number: int = 0) -> list[tuple[int, bytes | None]]:
        """All (offset, value) in a hosted log."""
        hosted = self.replicas.partitions.hosted[PartitionId(TOPIC, number)]
        log = self.directories[hosted.directory].logs[hosted.key]
        data = log.read(log.start, log.end, 1 << 30, True).data if log.end > log.start else b""
        return [(x.offset, x.value) for b in split(data) for x in records_of(b)]


class World:
    """Nodes, their network, their controller."""

    def __init__(
        self, nodes: int = 3, settings: dict[str, str] | None = None, partitions: int = 1
    ) -> None:
        self.now = 100.0
        self.controller_asked: list[tuple[Node, Any, Callable[[Any], None]]] = []
        self.controller_answers = True
        self.requests: list[tuple[NodeId, NodeId, Any]] = []
        """All that was asked between nodes: (from, to, body)."""
        self.twist: Callable[[NodeId, Any, Any], Any] | None = None
        """Changes answers on their way: (to, request, answer) -> answer."""
        self.cut: set[tuple[NodeId, NodeId]] = set()
        """(from, to) of which nothing arrives."""
        self.hung: set[NodeId] = set()
        """Nodes whose disks do not answer; their jobs wait."""
        self.hung_paths: set[str] = set()
        """Directories that do not answer."""
        self.down: set[NodeId] = set()
        self.closed: list[tuple[NodeId, int]] = []
        """Connections that nodes have hung up on."""
        self._open: dict[tuple[NodeId, int], tuple[Outbox, NodeId]] = {}
        """Requests between nodes that are not answered: (from, ticket) -> (outbox, to)."""
        self._waiting: dict[NodeId, deque[Any]] = {}
        self._epoch = 0
        self.nodes = {n: Node(self, n, settings or {}) for n in range(1, nodes + 1)}
        self.partitions = partitions
        self.topic_id = TOPIC
        self.form()

    # --- the cluster ----------------------------------------------------------------------------

    def form(self) -> None:
        """Register all brokers, create the topic with all of them as replicas, 1 leads."""
        self.apply(*DEFAULT_LEVELS)
        for n in self.nodes:
            self.register(n)
        ids = tuple(self.nodes)
        self.apply(r.Topic(name=NAME, topic_id=TOPIC))
        for p in range(self.partitions):
            self.apply(
                r.PartitionRegistration(
                    partition_id=p,
                    topic_id=TOPIC,
                    replicas=ids,
                    isr=ids,
                    leader=1,
                    leader_epoch=0,
                    partition_epoch=0,
                    directories=tuple(directory_id(n) for n in ids),
                )
            )
        for node in self.nodes.values():
            for p in range(self.partitions):
                node.host(p)
        self.step()

    def register(self, n: NodeId) -> None:
        """A broker registers (again) and is unfenced."""
        self._epoch += 1
        endpoint = Endpoint("PLAINTEXT", "127.0.0.1", 9000 + n)
        self.apply(
            r.RegisterBroker(
                broker_id=n,
                incarnation_id=uuid.uuid4(),
                broker_epoch=self._epoch,
                endpoints=(endpoint,),
                fenced=False,
                log_dirs=(directory_id(n), directory_id(n, 1)),
            )
        )

    def fence(self, *brokers: NodeId) -> None:
        """Brokers are fenced, and leave the ISR of what 1 leads, in one delta."""
        self._drop(brokers, fenced=1)

    def unfence(self, *brokers: NodeId) -> None:
        """They are back, and may join again."""
        self.apply(*(self._registration(n, fenced=-1) for n in brokers))
        self.step()

    def lose_directory(self, *brokers: NodeId) -> None:
        """The directories of brokers are offline, and they leave the ISRs, in one delta."""
        self._drop(brokers, log_dirs=(directory_id(0, 9),))

    def _drop(self, brokers: tuple[NodeId, ...], **change: Any) -> None:
        shrunk = [
            r.PartitionChange(
                partition_id=p,
                topic_id=TOPIC,
                isr=tuple(n for n in self.state(p).isr if n not in brokers),
            )
            for p in range(self.partitions)
        ]
        self.apply(*shrunk, *(self._registration(n, **change) for n in brokers))
        self.step()

    def _registration(self, n: NodeId, **change: Any) -> r.BrokerRegistrationChange:
        epoch = self.nodes[1].image.brokers[n].broker_epoch
        return r.BrokerRegistrationChange(broker_id=n, broker_epoch=epoch, **change)

    def apply(self, *records: r.MetadataRecord) -> None:
        """Commit records everywhere."""
        for node in self.nodes.values():
            for record in records:
                node.image.apply(record)
            delta = node.image.take_delta()
            if node.id not in self.down:
                node.replicas.on_metadata(delta)

    def state(self, partition: int = 0) -> r.PartitionRegistration:
        state = next(iter(self.nodes.values())).image.partition(PartitionId(TOPIC, partition))
        assert state is not None
        return state

    def change(self, partition: int = 0, **fields: Any) -> None:
        self.apply(r.PartitionChange(partition_id=partition, topic_id=TOPIC, **fields))
        self.step()

    def elect(self, leader: NodeId, isr: tuple[NodeId, ...] | None = None) -> None:
        for p in range(self.partitions):
            self.change(p, leader=leader, isr=isr)

    # --- running --------------------------------------------------------------------------------

    def step(self) -> None:
        """Carry out all that is wished at this moment."""
        busy = True
        while busy:
            busy = False
            for node in self.nodes.values():
                if node.id in self.down:
                    continue
                node.bench.set_time(self.now)
                if node.out.wake_at is not None and node.out.wake_at <= self.now:
                    node.out.tick()
                    busy = True
                busy = self._carry_out(node) or busy
            busy = self._control() or busy

    def _carry_out(self, node: Node) -> bool:
        waiting = self._waiting.pop(node.id, deque())
        late = [w for w in waiting if not self._hangs(node, w[0])]
        for one in waiting:
            if one in late:
                node.out.done(*one[1:])
            else:
                self._waiting.setdefault(node.id, deque()).append(one)
        ready = node.out.take()
        if ready is None:
            return bool(late)
        for asked in ready.jobs:
            result = node.directories[asked.job.directory].run_group([asked.job])[0]
            if self._hangs(node, asked.job.directory):
                waits = (asked.job.directory, asked.ticket, result)
                self._waiting.setdefault(node.id, deque()).append(waits)
            else:
                node.out.done(asked.ticket, result)
        for frame in ready.frames:
            self._deliver(node, frame)
        self.closed += [(node.id, connection) for connection in ready.closes]
        return True

    def _hangs(self, node: Node, path: str) -> bool:
        return node.id in self.hung or path in self.hung_paths

    def close_connection(self, target: NodeId) -> None:
        """A node's process has ended: each part that waits for its answer hears of it."""
        for (node, ticket), (out, to) in list(self._open.items()):
            if to == target and self.nodes[node].out is out:
                del self._open[node, ticket]
                out.done(ticket, PeerFailed("closed by the other side"))

    def _deliver(self, node: Node, asked: FrameAsked) -> None:
        target = self.nodes.get(asked.port - 9000)
        if target is None or target.id in self.down:
            node.out.done(asked.ticket, PeerFailed("refused"))
            return
        if (node.id, target.id) in self.cut:
            node.out.after(asked.timeout, lambda: node.out.done(asked.ticket, PeerFailed("late")))
            return
        out = node.out
        request = decode_request(asked.frame[4:])
        self.requests.append((node.id, target.id, request.body))
        self._open[node.id, asked.ticket] = (out, target.id)

        def sink(buffers: list[Buffer]) -> None:
            frame = b"".join(bytes(b) for b in buffers)[4:]
            if self.twist is not None:
                answer = decode_response(request.body, frame)
                answer = self.twist(node.id, request.body, answer)
                twisted = encode_response(request.header, answer)
                frame = b"".join(bytes(b) for b in twisted)[4:]
            known = self._open.pop((node.id, asked.ticket), None)
            if known is not None and node.out is out and node.id not in self.down:
                out.done(asked.ticket, frame)

        served = decoded(BROKER, asked.frame[4:])
        header = request.header
        origin = Origin("PLAINTEXT", "b")
        context: RequestContext[Any] = RequestContext(header, b"", 1, origin, NOTHING_SERVED, sink)
        serve(BROKER[request.header.api_key], target.broker, served, context)

    def _control(self) -> bool:
        if not self.controller_asked or not self.controller_answers:
            return False
        node, entity, then = self.controller_asked.pop(0)
        types = response_types(Key.ALTER_PARTITION, 3)
        topics = []
        for topic in entity.topics:
            told = [self._alter(p) for p in topic.partitions]
            topics.append(make(types.TopicData, topic_id=topic.topic_id, partitions=tuple(told)))
        if node.id not in self.down:
            then(make(types.AlterPartitionResponse, topics=tuple(topics)))
        return True

    def _alter(self, p: Any) -> Any:
        types = response_types(Key.ALTER_PARTITION, 3)
        state = self.state(p.partition_index)
        image = next(iter(self.nodes.values())).image
        isr = tuple(b.broker_id for b in p.new_isr_with_epochs)
        error = Error.NONE
        if p.leader_epoch != state.leader_epoch:
            error = Error.FENCED_LEADER_EPOCH
        elif p.partition_epoch != state.partition_epoch:
            error = Error.INVALID_UPDATE_VERSION
        elif not all(image.is_active(b) for b in isr):
            error = Error.INELIGIBLE_REPLICA
        else:
            self.apply(r.PartitionChange(partition_id=p.partition_index, topic_id=TOPIC, isr=isr))
            state = self.state(p.partition_index)
        return make(
            types.PartitionData,
            partition_index=p.partition_index,
            error_code=error,
            leader_id=state.leader,
            leader_epoch=state.leader_epoch,
            isr=state.isr,
            partition_epoch=state.partition_epoch,
        )

    def wait(self, seconds: float) -> None:
        """Time passes, with every timer at its moment."""
        end = self.now + seconds
        while True:
            self.step()
            wakes = [n.out.wake_at for n in self.nodes.values() if n.id not in self.down]
            at = min((w for w in wakes if w is not None), default=end)
            if at > end:
                break
            self.now = max(self.now, at)
        self.now = end
        self.step()

    # --- clients --------------------------------------------------------------------------------

    def produce(
        self,
        node: NodeId,
        *values: bytes,
        acks: int = -1,
        partition: int = 0,
        version: int = 13,
        timeout: int = 1000,
        batch: RecordBatch | None = None,
        transactional_id: str | None = None,
        **fields: Any,
    ) -> Answer:
        """Send one batch to one partition."""
        now = int(self.now * 1000)
        batch = batch or build([Record(n, now, b"k", v) for n, v in enumerate(values)], **fields)
        types = request_types(Key.PRODUCE, version)
        data = make(types.PartitionProduceData, index=partition, records=batch.data)
        topic = make(types.TopicProduceData, name=NAME, topic_id=TOPIC, partition_data=(data,))
        body = make(
            types.ProduceRequest,
            transactional_id=transactional_id,
            acks=acks,
            timeout=timeout,
            topic_data=(topic,),
        )
        return self.nodes[node].call(Key.PRODUCE, version, body)

    def fetch(
        self,
        node: NodeId,
        offset: int = 0,
        version: int = 13,
        partition: int = 0,
        max_wait: int = 0,
        min_bytes: int = 1,
        max_bytes: int = 1 << 20,
        isolation: int = 0,
        **fields: Any,
    ) -> Answer:
        """Ask for the records of one partition, as a consumer."""
        types = request_types(Key.FETCH, version)
        wanted = make(
            types.FetchPartition,
            partition=partition,
            fetch_offset=offset,
            partition_max_bytes=max_bytes,
            **fields,
        )
        topic = make(types.FetchTopic, topic=NAME, topic_id=TOPIC, partitions=(wanted,))
        state = {} if version >= 15 else {"replica_id": -1}
        body = make(
            types.FetchRequest,
            max_wait=max_wait,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            session_epoch=-1,
            isolation_level=isolation,
            topics=(topic,),
            **state,
        )
        return self.nodes[node].call(Key.FETCH, version, body)


def offsets_listed(
    node: Node, timestamp: int, version: int = 7, replica: int = -1, epoch: int = -1
) -> Answer:
    """Ask for an offset of partition 0."""
    types = request_types(Key.LIST_OFFSETS, version)
    asked = make(
        types.ListOffsetsPartition,
        partition_index=0,
        timestamp=timestamp,
        current_leader_epoch=epoch,
    )
    topic = make(types.ListOffsetsTopic, name=NAME, partitions=(asked,))
    body = make(types.ListOffsetsRequest, replica_id=replica, topics=(topic,))
    return node.call(Key.LIST_OFFSETS, version, body)


__all__ = ["Answer", "Node", "World", "fetched", "produced", "values_of"]


def everywhere(world: World, *values: bytes) -> bool:
    """Whether each node's log has these values."""
    return all(node.values() == list(values) for node in world.nodes.values())
