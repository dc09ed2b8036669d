"""What must hold in every run: invariants after each event, and what must be true in the end.

After each event of a host: one leader of the quorum in each of its epochs, whose high watermark
never falls, whose voters change one at a time; one leader for each (partition, leader epoch); a
leader's high watermark never falls within its epoch; nodes that have read the same metadata have
the same image, and its ISRs are part of its replicas; a replica has one current log in usable
directories, and at most one future one. In the end (`final`) everything that was promised is looked
up, byte by byte.

Looks at machines and disks from outside, and changes nothing. Raises Violation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spindle.core.replica.partition import PartitionLeader
from spindle.model.batches import RecordBatch
from spindle.model.ids import LogDir, NodeId, PartitionId
from spindle.model.image import ClusterImage
from spindle.model.jobs import (
    CreateLog,
    Discard,
    Job,
    Promote,
)
from spindle.model.log_values import LogKey
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.broker import Broker
from spindle.node.logdirs.placement_registry import Stage
from spindle.node.node import Node
from spindle.sim.host import Host
from spindle.sim.log_checks import check_order, check_packing, check_sequences
from spindle.sim.log_judge import FoundLog, batches_of, is_whole, logs_in, values_of
from spindle.sim.metadata_checks import check_forms
from spindle.sim.quorum_checks import QuorumChecks
from spindle.sim.sim_cluster import SimCluster, SimNode
from spindle.sim.told_history import History
from spindle.sim.transaction_checks import TransactionChecks
from spindle.sim.violation import Violation

HALTS_FOR_DISKS = (
    "the last log directory has failed",
    "the metadata directory has failed",
    "the metadata directory cannot be used",
    "none of the log directories can be used",
)
HALTS_FOR_NETWORK = (
    "the controller could not be informed",
    "no controller has registered this broker",
)


class Checks:
    """Watches a cluster from its first moment on."""

    def __init__(self, cluster: SimCluster, history: History) -> None:
        self._cluster = cluster
        self._history = history
        self._leaders: dict[tuple[PartitionId, int], str] = {}
        self._marks: dict[tuple[PartitionId, int, int], int] = {}
        self._images: dict[int, str] = {}
        self._quorum = QuorumChecks()
        self._offsets: dict[str, tuple[int, int]] = {}
        self.transactions = TransactionChecks(cluster, history, self._read)
        self.moved = 0
        """Logs that were promoted."""
        self.forms_looked_at = 0
        """Records of the metadata log."""
        self.disks_hurt: dict[str, None] = {}
        """Hosts whose disks have failed at some time: they may halt."""
        self.network_hurt = False
        """The network, or a controller, has failed at some time."""
        world = cluster.world
        world.watchers.append(self._look)
        world.disks.on_jobs = self._on_jobs

    # --- after each event -------------------------------------------------------------------

    def _look(self, host: Host) -> None:
        node = host.machine
        if isinstance(node, Node):
            if node.broker is not None:
                self._look_at_leaders(host, node.broker)
            self._quorum.look(host, node)
            self._look_at_image(host, node)
        elif host.halted is not None:
            self._judge_halt(host, host.halted)

    def _look_at_leaders(self, host: Host, broker: Broker) -> None:
        for hosted in broker.replicas.partitions.hosted.values():
            machine = hosted.partition
            if not isinstance(machine.role, PartitionLeader):
                continue
            key = (hosted.id, machine.leader_epoch)
            # A process that comes back may take its own leadership up again, if no other node did.
            if self._leaders.setdefault(key, host.name) != host.name:
                raise Violation(f"{key} is led by {self._leaders[key]} and by {host.name}")
            term = (*key, host.life)
            if machine.log.high_watermark < self._marks.get(term, 0):
                raise Violation(
                    f"{host.name}: the high watermark of {hosted.name} has fallen from "
                    f"{self._marks[term]} to {machine.log.high_watermark} in epoch {key[1]}"
                )
            self._marks[term] = machine.log.high_watermark

    def _look_at_image(self, host: Host, node: Node) -> None:
        offset = node.metadata.offset
        life, before = self._offsets.get(host.name, (-1, -1))
        if (host.life, offset) == (life, before):
            return
        if host.life == life and offset < before:
            raise Violation(f"{host.name}: the image went back from {before} to {offset}")
        self._offsets[host.name] = (host.life, offset)
        if node.metadata.in_transaction:
            return
        found = fingerprint(node.metadata.image)
        known = self._images.setdefault(offset, found)
        if known != found:
            raise Violation(f"{host.name} has another image at offset {offset} than others had")
        if known is found:
            _check_image(node.metadata.image)

    def _judge_halt(self, host: Host, why: str) -> None:
        if why.startswith(HALTS_FOR_DISKS) and host.name in self.disks_hurt:
            return
        if self.network_hurt and any(text in why for text in HALTS_FOR_NETWORK):
            return
        raise Violation(f"{host.name} has halted without a cause from the scenario: {why}")

    # --- after jobs that make logs ------------------------------------------------------------

    def _on_jobs(self, host: Host, jobs: list[Job[object]], results: Sequence[object]) -> None:
        for job, result in zip(jobs, results, strict=True):
            if isinstance(result, Exception) or not isinstance(job, Promote | CreateLog):
                continue
            self.moved += isinstance(job, Promote)
            if isinstance(job, Promote) or not job.key.future:
                self._check_alone(host, job.directory, job.key._replace(future=False))

    def _check_alone(self, host: Host, path: LogDir, key: LogKey) -> None:
        """A log that has just become a current one has no twin, nor one that is to go."""
        member = self._cluster.member_of(host)
        broker = member.broker if member is not None else None
        if member is None or broker is None or key.topic.startswith("__cluster"):
            return
        found = {log.directory: log for log in self._current(member) if log.key == key}
        mine = found.pop(path, None)
        if mine is None:
            return  # It was discarded by the next job of the group.
        for other, log in found.items():
            going = any(
                isinstance(asked.job, Discard) and asked.job.key == key
                for asked in host.work.lanes.get((other, other), ())
            )
            known = broker.logs.directories.is_online(other)
            if known and not going and log.topic_id == mine.topic_id:
                raise Violation(f"{host.name}: {key} is in {path} and in {other}")

    def _current(self, member: SimNode) -> Iterator[FoundLog]:
        for path in member.log_dirs:
            for log in logs_in(member.disk, path):
                if not log.key.future:
                    yield log

    # --- in the end -------------------------------------------------------------------------

    def unsettled(self) -> str | None:
        """What has still to happen before all is well; None: nothing."""
        cluster = self._cluster
        for member in cluster.members.values():
            if member.node is None or member.held:
                return f"node {member.node_id} is down, or about to be restarted"
        active = cluster.active()
        if active is None:
            return "no controller is active"
        image = active.metadata.image
        for _, node in cluster.running():
            if node.metadata.told + 1 < active.quorum.high_watermark:
                return f"node {node.config.node_id} does not act on all metadata yet"
        for topic, state in image.partitions():
            why = _incomplete(image, state)
            if why is not None:
                return f"{topic.name}-{state.partition_id}: {why}"
        for member in cluster.brokers:
            assert member.broker is not None
            why = _unplaced(member.broker, image)
            if why is not None:
                return f"broker {member.node_id}: {why}"
        for member in cluster.brokers:
            for log in self._current(member):
                if not log.key.topic.startswith("__cluster") and not is_whole(member.disk, log):
                    return f"broker {member.node_id}: {log.path} is damaged"
        return self.transactions.unsettled()

    def unanswered(self) -> str | None:
        """The part that still waits although no client asks for anything; None: no part."""
        for member in self._cluster.brokers:
            assert member.broker is not None
            for hosted in member.broker.replicas.partitions.hosted.values():
                waiting = len(hosted.delayed)
                if waiting or hosted.jobs.writing:
                    return (
                        f"broker {member.node_id}: {waiting} promises and "
                        f"{hosted.jobs.writing} writes of {hosted.name} are open"
                    )
            for path in member.log_dirs:
                deleted = [n for n in member.disk.names(path) if n.endswith("-delete")]
                if deleted:
                    return f"broker {member.node_id}: {path}/{deleted[0]} is not deleted"
        return self._unheard()

    def _unheard(self) -> str | None:
        """A follower that its leader's last news (high watermark, log start) has not reached."""
        active = self._cluster.active()
        assert active is not None
        for topic, state in active.metadata.image.partitions():
            id = PartitionId(topic.topic_id, state.partition_id)
            known = {n: self._cluster.members[n].broker for n in state.isr}
            hosted = {
                n: b.replicas.partitions.hosted.get(id) for n, b in known.items() if b is not None
            }
            logs = {n: h.partition.log for n, h in hosted.items() if h is not None}
            leader = logs.get(state.leader)
            for broker, log in logs.items():
                if leader is not None and (
                    log.high_watermark != leader.high_watermark or log.start < leader.start
                ):
                    return (
                        f"broker {broker} knows {log.start} to {log.high_watermark} of "
                        f"{topic.name}-{state.partition_id}, its leader has "
                        f"{leader.start} to {leader.high_watermark}"
                    )
        return None

    def final(self) -> None:
        """Look up all that was promised. Call once nothing is unsettled and clients are still."""
        active = self._cluster.active()
        assert active is not None
        for member in self._cluster.brokers:
            assert member.broker is not None
            self._check_disk(member, active.metadata.image)
        for topic, state in active.metadata.image.partitions():
            id = PartitionId(topic.topic_id, state.partition_id)
            if topic.topic_id not in self._history.deleted:
                self._check_records(id, state, LogKey(topic.name, state.partition_id))
        missing = [
            self._history.names.get(id.topic_id, str(id))
            for id in self._history.acknowledged
            if id.topic_id not in active.metadata.image.topics
            and id.topic_id not in self._history.deleted
        ]
        if missing:
            raise Violation(f"topics are gone that no client deleted: {missing}")
        self.forms_looked_at = sum(check_forms(member) for member in self._cluster.controllers)
        self.transactions.final()

    def _check_disk(self, member: SimNode, image: ClusterImage) -> None:
        """Each replica has one log, where the metadata says; there are no others (K858-20)."""
        broker = member.broker
        assert broker is not None
        found: dict[LogKey, LogDir] = {}
        for path in member.log_dirs:
            for log in logs_in(member.disk, path):
                if log.key.topic.startswith("__cluster"):
                    continue
                id = image.resolve(log.key.topic_partition)
                if id is None or id.topic_id != log.topic_id or log.key in found:
                    raise Violation(f"{log.path} on {member.host.name} has no replica: {log}")
                found[log.key] = path
        for topic, state in image.partitions():
            if member.node_id not in state.replicas:
                continue
            key = LogKey(topic.name, state.partition_id)
            named = broker.logs.directories.path_of(image.directory_of(state, member.node_id))
            if found.pop(key, None) != named or named is None:
                raise Violation(f"{member.host.name} has {key} elsewhere than in {named}")
        if found:
            raise Violation(f"{member.host.name} has logs that it should not have: {found}")

    def _check_records(self, id: PartitionId, state: PartitionRegistration, key: LogKey) -> None:
        logs = {n: self._read(n, key) for n in state.isr}
        # What lies before a log's start counts no more: two may have parted there, and stay so.
        starts = [self._start(n, id) for n in state.isr]
        first = max([*starts, *(batches[0].base_offset for batches in logs.values() if batches)])
        bytes_of = {
            n: b"".join(bytes(b.data) for b in batches if b.base_offset >= first)
            for n, batches in logs.items()
        }
        if len(set(bytes_of.values())) > 1:
            raise Violation(
                f"{key}: the replicas differ: { {n: _ends(b) for n, b in logs.items()} }"
            )
        if key.topic.startswith("__"):
            return  # Of what the coordinators keep, each record may come as often as it likes.
        values = values_of(next(iter(logs.values())))
        trimmed = self._history.trimmed.get(id, 0)
        for what in (self._history.acknowledged, self._history.read):
            for offset, value in what.get(id, {}).items():
                if offset >= trimmed and values.get(offset) != value:
                    raise Violation(
                        f"{key}: offset {offset} was promised to hold {value!r}, "
                        f"but holds {values.get(offset)!r}"
                    )
        written = [b for b in next(iter(logs.values())) if not b.is_control]
        check_order(key, values, self._history)
        check_sequences(key, [b for b in written if b.base_offset >= first], is_whole=first == 0)
        check_packing(key, written, self._history)
        twice = self._twice(next(iter(logs.values())))
        if twice:
            raise Violation(f"{key}: {len(twice)} records are there twice: {twice[:3]}")

    def _twice(self, batches: list[RecordBatch]) -> list[bytes]:
        """Values that no producer has had a cause to write twice."""
        epochs: dict[bytes, list[int]] = {}
        for batch in batches:
            for value in values_of([batch]).values():
                epochs.setdefault(value, []).append(batch.leader_epoch)
        return sorted(
            value
            for value, found in epochs.items()
            if len(found) > 1 and not self._may_repeat(value, found)
        )

    def _may_repeat(self, value: bytes, leader_epochs: list[int]) -> bool:
        """A leader that goes on leading has not denied what it had written."""
        unsure = self._history.sent_again.get(value)
        return unsure is True or (unsure is False and len(set(leader_epochs)) == len(leader_epochs))

    def _start(self, node: NodeId, id: PartitionId) -> int:
        broker = self._cluster.members[node].broker
        bounds = broker.replicas.partitions.bounds(id) if broker is not None else None
        assert bounds is not None, "all is settled"
        return bounds[0]

    def _read(self, node: NodeId, key: LogKey) -> list[RecordBatch]:
        member = self._cluster.members[node]
        log = next(log for log in self._current(member) if log.key == key)
        batches = batches_of(member.disk, log)
        for one, next_one in pairwise(batches):
            if one.next_offset != next_one.base_offset:
                raise Violation(
                    f"{log.path}: offset {next_one.base_offset} comes after {one.last_offset}"
                )
        return batches


def fingerprint(image: ClusterImage) -> str:
    """Equal for images that say the same."""
    said: list[object] = [image.epoch, sorted(image.features.items()), image.next_producer_id]
    said += [(what, sorted(values.items())) for what, values in sorted(image.configs.items())]
    said += [sorted(image.brokers.items()), sorted(image.controllers.items())]
    said += [(t.name, id, sorted(t.partitions.items())) for id, t in sorted(image.topics.items())]
    return hashlib.blake2b(repr(said).encode(), digest_size=16).hexdigest()


def _check_image(image: ClusterImage) -> None:
    for topic, state in image.partitions():
        name = f"{topic.name}-{state.partition_id}"
        if not set(state.isr) | set(state.elr) <= set(state.replicas):
            raise Violation(f"{name}: ISR {state.isr} or ELR {state.elr} outside {state.replicas}")
        if state.leader != -1 and state.leader not in state.isr:
            raise Violation(f"{name} is led by {state.leader}, which is not in {state.isr}")
        if set(state.isr) & set(state.elr):
            raise Violation(f"{name}: {state.isr} and {state.elr} overlap")


def _incomplete(image: ClusterImage, state: PartitionRegistration) -> str | None:
    if state.adding_replicas or state.removing_replicas:
        return f"is being reassigned, {state}"
    if state.leader == -1:
        return f"has no leader, {state}"
    if set(state.isr) != set(state.replicas):
        return f"ISR is {state.isr}, replicas are {state.replicas}"
    for broker in state.replicas:
        directory = image.directory_of(state, broker)
        if directory not in image.brokers[broker].log_dirs:
            return f"broker {broker} has it in {directory}"
    return None


def _unplaced(broker: Broker, image: ClusterImage) -> str | None:
    if broker.lifecycle.is_fenced:
        return "is fenced"
    if broker.logs.offline or broker.logs.offline_replicas:
        return f"has {broker.logs.offline_replicas} offline replicas"
    if len(broker.logs.assignments.assigning.queue):
        return "has something to tell of its directories"
    for move in broker.logs.moves.under_way.all():
        return f"moves {move.name}: {move.state.name}"
    for found in broker.logs.places.all.values():
        if found.stage is not Stage.READY:
            return f"{found.name} is {found.stage.name}: {found.why}"
        state = image.partition(found.id)
        named = state and broker.logs.directories.path_of(image.directory_of(state, broker.node_id))
        if named != found.directory:
            return f"{found.name} is in {found.directory}, the metadata says {named}"
    return None


def _ends(batches: list[RecordBatch]) -> tuple[int, int, int]:
    if not batches:
        return (0, 0, 0)
    return (batches[0].base_offset, batches[-1].next_offset, len(batches))
