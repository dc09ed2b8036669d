"""What a broker tells of its partitions, its traffic and its groups, put together when asked.

Nothing is kept for it but counters, so it costs nothing in between. With very many partitions it
takes a while, and others have their turn meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spindle.core.groups.group_states import GroupState
from spindle.core.groups.share_group_metadata import ShareGroupState
from spindle.core.replica.partition import Partition
from spindle.model.metric_tables import led_groups, node_figures, traffic
from spindle.model.metric_tables import replication_figures as of
from spindle.model.statistics import AT_ONCE, Figures, Metric, Sample
from spindle.node.broker_context import BrokerContext
from spindle.node.broker_lifecycle_manager import BrokerLifecycleManager
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_fetcher_manager import ReplicaFetcherManager
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.share.share_partition_manager import SharePartitionManager

EACH = "metrics.partitions.enable"

_STATES = {
    GroupState.STABLE.value: led_groups.GROUPS_STABLE,
    GroupState.EMPTY.value: led_groups.GROUPS_EMPTY,
    GroupState.PREPARING.value: led_groups.GROUPS_PREPARING,
    GroupState.COMPLETING.value: led_groups.GROUPS_COMPLETING,
    GroupState.DEAD.value: led_groups.GROUPS_DEAD,
}


class BrokerFigures:
    """The figures of one broker."""

    def __init__(
        self,
        context: BrokerContext,
        lifecycle: BrokerLifecycleManager,
        replicas: ReplicaManager,
        fetchers: ReplicaFetcherManager,
        groups: GroupCoordinatorService,
        shares: SharePartitionManager,
    ) -> None:
        self._context = context
        self._lifecycle = lifecycle
        self._replicas = replicas
        self._fetchers = fetchers
        self._groups = groups
        self._shares = shares

    def statistics(self) -> Figures:
        """All of them."""
        replicas = self._replicas
        yield node_figures.BROKER_STATE.of(self._lifecycle.state)
        yield traffic.PURGATORY.of(len(replicas.purgatory))
        yield traffic.FETCH_SESSIONS.of(replicas.fetches.session_count)
        yield of.MAX_LAG.of(self._fetchers.lag_max, "Replica")
        isr = replicas.changes.isr_changes
        yield of.ISR_SHRINKS.of(isr.shrinks)
        yield of.ISR_EXPANDS.of(isr.expands)
        yield of.FAILED_ISR.of(isr.refused)
        yield from self._partitions()
        yield from replicas.writes.stats.statistics()
        yield from self._of_groups()
        yield from self._shares.statistics()

    def _partitions(self) -> Figures:
        each = self._context.settings.flag(EACH)
        topics, counted = set(), dict.fromkeys(_COUNTED, 0)
        hosted = tuple(self._replicas.partitions.hosted.values())
        for number, one in enumerate(hosted, 1):
            topics.add(one.name.topic)
            state = self._state(one)
            for metric in state:
                counted[metric] += 1
            if each:
                yield from _of_partition(one, state)
            if number % AT_ONCE == 0:
                yield None
        self._replicas.writes.stats.keep(topics)
        yield of.PARTITIONS.of(len(hosted) + len(self._replicas.partitions.lost))
        for metric, count in counted.items():
            yield metric.of(count)

    def _state(self, hosted: HostedPartition) -> set[Metric]:
        """The metrics that count a partition."""
        machine = hosted.partition
        if not machine.leads:
            return set()
        found = {of.LEADERS}
        metadata = self._context.image.partition(hosted.id)
        added = len(metadata.adding_replicas) if metadata is not None else 0
        if metadata is not None and (added or metadata.removing_replicas):
            found.add(of.REASSIGNING)
        if len(machine.isr) < len(machine.replicas) - added:
            found.add(of.UNDER_REPLICATED)
        if len(machine.isr) < machine.required_isr:
            found.add(of.UNDER_MIN_ISR)
        elif len(machine.isr) == machine.required_isr:
            found.add(of.AT_MIN_ISR)
        return found

    def _of_groups(self) -> Figures:
        each = self._context.settings.flag(EACH)
        states, shares, offsets = Counter[str](), Counter[str](), 0
        for led in self._groups.ready():
            states.update(view.state for view in led.coordinator.views())
            shares.update(view.state for view in led.coordinator.shares.views())
            yield None
            for group, committed in tuple(led.coordinator.offsets.committed.items()):
                offsets += len(committed)
                for name, value in tuple(committed.items()) if each else ():
                    labels = (group, name.topic, str(name.partition))
                    yield led_groups.COMMITTED.of(value.offset, *labels)
            yield None
        yield led_groups.GROUPS.of(states.total())
        yield led_groups.OFFSETS.of(offsets)
        for state, metric in _STATES.items():
            yield metric.of(states[state])
        for share_state in ShareGroupState:
            yield led_groups.SHARE_GROUPS.of(shares[share_state.value], share_state.value)


_COUNTED = (
    of.LEADERS,
    of.UNDER_REPLICATED,
    of.UNDER_MIN_ISR,
    of.AT_MIN_ISR,
    of.REASSIGNING,
)


def _of_partition(hosted: HostedPartition, state: set[Metric]) -> Iterator[Sample]:
    machine, labels = hosted.partition, (hosted.name.topic, str(hosted.name.partition))
    yield of.LOG_SIZE.of(hosted.size, *labels)
    yield of.LOG_START.of(machine.log.start, *labels)
    yield of.LOG_END.of(machine.log.end, *labels)
    if machine.leads:
        yield from _of_leader(machine, state, labels)


def _of_leader(machine: Partition, state: set[Metric], labels: tuple[str, str]) -> Iterator[Sample]:
    yield of.HIGH_WATERMARK.of(machine.log.high_watermark, *labels)
    yield of.IS_UNDER_REPLICATED.of(of.UNDER_REPLICATED in state, *labels)
    yield of.IS_UNDER_MIN_ISR.of(of.UNDER_MIN_ISR in state, *labels)
    yield of.IS_AT_MIN_ISR.of(of.AT_MIN_ISR in state, *labels)
    yield of.IN_SYNC.of(len(machine.isr), *labels)
    yield of.REPLICAS.of(len(machine.replicas), *labels)
