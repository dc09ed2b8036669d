"""Settings as DescribeConfigs tells them: value, where it comes from, and what it hides.

Pure: looks at the image and the node's settings. Kafka's rule of precedence is kept: a topic's own
value, the broker's dynamic one, the cluster-wide dynamic one, the file's, the default. Used by the
handler of DescribeConfigs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from spindle.model.config import NODE_SETTINGS, TOPIC_SETTINGS, Setting, Settings
from spindle.model.image import BROKER_RESOURCE, TOPIC_RESOURCE, ClusterImage


class Source(IntEnum):
    """Where a value comes from."""

    TOPIC = 1
    BROKER = 2
    CLUSTER = 3
    STATIC = 4
    DEFAULT = 5
    CLIENT_METRICS = 7
    GROUP = 8


class Kind(IntEnum):
    """A setting's type, by Kafka's numbers."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    LONG = 5
    DOUBLE = 6
    LIST = 7


class Synonym(NamedTuple):
    """One place that gives the setting a value; the first one wins."""

    name: str
    value: str | None
    source: Source


@dataclass(frozen=True, slots=True)
class Told:
    """A setting as it is told to a client."""

    setting: Setting
    read_only: bool
    kind: Kind
    synonyms: tuple[Synonym, ...]

    @property
    def value(self) -> str | None:
        """The value that counts."""
        return self.synonyms[0].value if self.synonyms else self.setting.default

    @property
    def source(self) -> Source:
        """Where that comes from."""
        return self.synonyms[0].source if self.synonyms else Source.DEFAULT


def topic_settings(image: ClusterImage, node: Settings, node_id: int, topic: str) -> Iterator[Told]:
    """All settings of a topic."""
    own = image.config(TOPIC_RESOURCE, topic)
    for name, (fallback, setting) in TOPIC_SETTINGS.items():
        synonyms: list[Synonym] = []
        if name in own:
            synonyms.append(Synonym(name, own[name], Source.TOPIC))
        if fallback is not None:
            synonyms += _broker_synonyms(image, node, node_id, fallback)
        elif setting.default is not None:
            synonyms.append(Synonym(name, setting.default, Source.DEFAULT))
        yield Told(setting, False, kind_of(setting), tuple(synonyms))


def broker_settings(image: ClusterImage, node: Settings, node_id: int) -> Iterator[Told]:
    """All settings of this broker."""
    for name, setting in NODE_SETTINGS.items():
        synonyms = tuple(_broker_synonyms(image, node, node_id, name))
        yield Told(setting, not setting.dynamic, kind_of(setting), synonyms)


def cluster_settings(image: ClusterImage) -> Iterator[Told]:
    """What is set for all brokers of the cluster."""
    for name, value in image.config(BROKER_RESOURCE, "").items():
        setting = NODE_SETTINGS.get(name) or Setting(name, None, str, "")
        yield Told(setting, False, kind_of(setting), (Synonym(name, value, Source.CLUSTER),))


def other_settings(image: ClusterImage, kind: int, name: str, source: Source) -> Iterator[Told]:
    """What is set for a resource whose settings only others understand."""
    for key, value in image.config(kind, name).items():
        setting = Setting(key, None, str, "")
        yield Told(setting, False, Kind.STRING, (Synonym(key, value, source),))


def kind_of(setting: Setting) -> Kind:
    """The type of a setting, found by what its reader makes of texts."""
    for text, kinds in _PROBES:
        try:
            value = setting.read(text)
        except ValueError:
            continue
        kind = kinds.get(type(value))
        if kind is not None:
            return _INTS.get(setting.name, kind) if kind is Kind.LONG else kind
    return Kind.LIST if setting.name in _LISTS else Kind.STRING


_PROBES: Final[tuple[tuple[str, dict[type, Kind]], ...]] = (
    ("1", {int: Kind.LONG, float: Kind.DOUBLE, tuple: Kind.LIST}),
    ("1000000", {int: Kind.LONG}),
    ("true", {bool: Kind.BOOLEAN}),
)

_LISTS: Final = frozenset({"cleanup.policy", "log.cleanup.policy"})

_INTS: Final[dict[str, Kind]] = dict.fromkeys(
    (
        "node.id", "num.partitions", "default.replication.factor", "min.insync.replicas",
        "message.max.bytes", "max.message.bytes", "socket.request.max.bytes", "queued.max.requests",
        "max.connections", "replica.fetch.max.bytes", "replica.fetch.response.max.bytes",
        "replica.fetch.wait.max.ms", "replica.fetch.min.bytes", "replica.fetch.backoff.ms",
        "num.replica.alter.log.dirs.threads", "num.recovery.threads.per.data.dir",
        "log.segment.bytes", "segment.bytes", "log.index.interval.bytes", "index.interval.bytes",
        "log.index.size.max.bytes", "segment.index.bytes", "offsets.topic.num.partitions",
        "offsets.topic.replication.factor", "offsets.topic.segment.bytes",
        "offsets.retention.minutes", "offset.metadata.max.bytes",
        "group.initial.rebalance.delay.ms", "group.min.session.timeout.ms",
        "group.max.session.timeout.ms", "group.max.size", "transaction.state.log.num.partitions",
        "transaction.state.log.replication.factor", "transaction.state.log.min.isr",
        "transaction.state.log.segment.bytes", "transaction.max.timeout.ms",
        "transactional.id.expiration.ms",
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        "transaction.remove.expired.transaction.cleanup.interval.ms",
        "producer.id.expiration.ms", "max.incremental.fetch.session.cache.slots",
        "fetch.max.bytes", "metrics.port", "broker.heartbeat.interval.ms",
        "broker.session.timeout.ms", "metadata.log.segment.bytes",
    ),
    Kind.INT,
)  # fmt: skip


def _broker_synonyms(
    image: ClusterImage, node: Settings, node_id: int, name: str
) -> Iterator[Synonym]:
    own = image.config(BROKER_RESOURCE, str(node_id))
    shared = image.config(BROKER_RESOURCE, "")
    if name in own:
        yield Synonym(name, own[name], Source.BROKER)
    if name in shared:
        yield Synonym(name, shared[name], Source.CLUSTER)
    if name in node.given:
        yield Synonym(name, node.given[name], Source.STATIC)
    default = NODE_SETTINGS[name].default
    if default is not None:
        yield Synonym(name, default, Source.DEFAULT)
