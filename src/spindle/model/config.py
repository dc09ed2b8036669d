"""Typed settings of nodes and topics, under Kafka's own names, with units and limits.

The tables below are the only list of settings that exist. Reading a properties file is the rim's
work; here texts become values, and a wrong one is refused by name, with what would be right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint, LogDir, NodeId

MAX_LONG: Final = (1 << 63) - 1
SHARE_LEAST: Final = 0.05
"""Less would be a pause, and nobody would know when it ends."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its default (as text; None: none), how it is read, and what it is for."""

    name: str
    default: str | None
    read: Callable[[str], Any]
    doc: str
    dynamic: bool = False
    """Changeable while running."""


def _int(least: int, most: int = MAX_LONG) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text.strip())
        if not least <= value <= most:
            raise ValueError(f"must be between {least} and {most}")
        return value

    return read


def _share(text: str) -> float:
    value = float(text.strip())
    if not SHARE_LEAST <= value <= 1:
        raise ValueError(f"must be between {SHARE_LEAST} and 1")
    return value


def _bool(text: str) -> bool:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError("must be true or false")
    return text.strip().lower() == "true"


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _text(text: str) -> str:
    return text.strip()


def _choice(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.strip() not in allowed:
            raise ValueError("must be one of " + ", ".join(allowed))
        return text.strip()

    return read


def _policy(text: str) -> str:
    parts = _list(text)
    if not parts or not set(parts) <= {"delete", "compact"}:
        raise ValueError("must be delete, compact or both")
    return ",".join(parts)


_S = Setting
NODE_SETTINGS: Final[dict[str, Setting]] = {
    s.name: s
    for s in (
        _S("process.roles", "broker,controller", _list, "broker, controller or both"),
        _S("node.id", None, _int(0, (1 << 31) - 1), "id of this node in the cluster"),
        _S("broker.rack", None, _text, "rack of this broker"),
        _S("listeners", "PLAINTEXT://:9092", _list, "NAME://host:port, where we listen"),
        _S("advertised.listeners", None, _list, "NAME://host:port, what we tell clients"),
        _S("listener.security.protocol.map", None, _list, "listener name:protocol"),
        _S("inter.broker.listener.name", None, _text, "listener that brokers use"),
        _S("controller.listener.names", "CONTROLLER", _list, "listeners of the controller"),
        _S("controller.quorum.voters", None, _list, "id@host:port of each voter"),
        _S("controller.quorum.bootstrap.servers", None, _list, "host:port of controllers"),
        _S("log.dirs", None, _list, "directories for partitions, one a disk"),
        _S("log.dir", "/tmp/kafka-logs", _list, "used where log.dirs is absent"),
        _S("metadata.log.dir", None, _text, "directory of the metadata log; first log dir else"),
        _S("cordoned.log.dirs", "", _list, "directories that take no new replica", True),
        _S("num.partitions", "1", _int(1), "partitions of an automatic topic"),
        _S("default.replication.factor", "1", _int(1, 32767), "replicas of an automatic topic"),
        _S("min.insync.replicas", "1", _int(1), "for acks=all", True),
        _S("auto.create.topics.enable", "true", _bool, "create topics when asked for metadata"),
        _S("unclean.leader.election.enable", "false", _bool, "lead from outside the ISR", True),
        _S("auto.leader.rebalance.enable", "true", _bool, "prefer the first replica as leader"),
        _S("leader.imbalance.check.interval.seconds", "300", _int(1), "s between such checks"),
        _S("delete.topic.enable", "true", _bool, "topics may be deleted"),
        _S("message.max.bytes", "1048588", _int(0, (1 << 31) - 1), "largest batch", True),
        _S("socket.request.max.bytes", "104857600", _int(1024, (1 << 31) - 1), "largest request"),
        _S("queued.max.requests", "500", _int(1), "requests of one connection under way"),
        _S("max.connections", "10000", _int(1), "connections of one listener"),
        _S("connections.max.idle.ms", "600000", _int(1), "ms after which idle ones are closed"),
        _S("replica.lag.time.max.ms", "30000", _int(1), "ms a follower may lag in the ISR"),
        _S("replica.fetch.max.bytes", "1048576", _int(0, (1 << 31) - 1), "per partition"),
        _S("replica.fetch.response.max.bytes", "10485760", _int(0, (1 << 31) - 1), "per fetch"),
        _S("replica.fetch.wait.max.ms", "500", _int(0), "ms a follower's fetch may wait"),
        _S("replica.fetch.min.bytes", "1", _int(0), "bytes worth an answer to a follower"),
        _S("replica.fetch.backoff.ms", "1000", _int(0), "ms before a failed fetch is repeated"),
        _S("replica.high.watermark.checkpoint.interval.ms", "5000", _int(1), "ms"),
        _S("num.replica.alter.log.dirs.threads", None, _int(1), "moves that copy at once"),
        _S(
            "replica.alter.log.dirs.io.max.bytes.per.second",
            str(MAX_LONG),
            _int(1),
            "bytes/s of all moves between directories",
            True,
        ),
        _S(
            "log.dir.move.max.bytes.per.second",
            str(MAX_LONG),
            _int(1),
            "bytes/s of moves from and to each disk",
            True,
        ),
        _S(
            "log.dir.move.busy.share",
            "0.3",
            _share,
            "share of its time that a move copies while clients write or read; 1: all",
            True,
        ),
        _S("log.dir.move.copies.max", "1", _int(1), "moves that copy at once, each disk", True),
        _S(
            "log.dir.move.keep.ms",
            "300000",
            _int(0),
            "ms to keep what a cancelled or redirected move has copied; 0: not at all",
            True,
        ),
        _S("log.dir.failure.timeout.ms", "30000", _int(1), "ms to tell the controller (K858-09)"),
        _S("log.dir.io.timeout.ms", "20000", _int(1), "ms after which a hung disk has failed"),
        _S("log.dir.slow.ms", "100", _int(1), "ms that a call to a disk may take on average"),
        _S("log.dir.slow.cordon", "false", _bool, "a slow disk takes no new replicas", True),
        _S("log.dir.fault.drills", "false", _bool, "a file <log dir>.broken makes that dir fail"),
        _S(
            "log.dir.rebuild.delay.ms",
            "-1",
            _int(-1),
            "ms until a dead disk's replicas are made anew on others; -1: never",
            True,
        ),
        _S(
            "log.dir.stray.retention.ms",
            "-1",
            _int(-1),
            "ms to keep logs that no topic claims; -1: for ever",
            True,
        ),
        _S(
            "log.dir.bad.retention.ms",
            "604800000",
            _int(-1),
            "ms to keep damaged logs that were replaced; -1: for ever",
            True,
        ),
        _S(
            "log.dir.bad.retention.bytes",
            "10737418240",
            _int(-1),
            "bytes of such logs that a directory keeps, the newest; -1: all",
            True,
        ),
        _S(
            "log.dir.scrub.max.bytes.per.second",
            "4194304",
            _int(0),
            "bytes/s of each disk that the scrubber reads at most; 0: it is off",
            True,
        ),
        _S(
            "log.dir.scrub.interval.ms",
            "604800000",
            _int(1),
            "ms from the beginning of a round of the scrubber to that of the next",
            True,
        ),
        _S("log.dir.probe.interval.ms", "1000", _int(10), "ms between looks at each disk"),
        _S("log.segment.bytes", "1073741824", _int(14), "bytes of a segment", True),
        _S("log.roll.ms", "604800000", _int(1), "ms after which a segment is rolled", True),
        _S("log.retention.ms", "604800000", _int(-1), "ms to keep; -1: for ever", True),
        _S("log.retention.bytes", "-1", _int(-1), "bytes to keep; -1: all", True),
        _S("log.retention.check.interval.ms", "300000", _int(1), "ms"),
        _S("log.initial.task.delay.ms", "30000", _int(0), "ms before the first such tasks"),
        _S("log.segment.delete.delay.ms", "60000", _int(0), "ms before a file is gone", True),
        _S("log.cleanup.policy", "delete", _policy, "delete, compact", True),
        _S("log.cleaner.enable", "true", _bool, "compact topics that want it"),
        _S("log.cleaner.backoff.ms", "15000", _int(0), "ms between looks for dirty logs", True),
        _S("log.cleaner.dedupe.buffer.size", "134217728", _int(1024), "bytes for keys", True),
        _S(
            "log.cleaner.io.max.bytes.per.second",
            str(float(MAX_LONG)),
            float,
            "bytes/s that compaction may read",
            True,
        ),
        _S("log.cleaner.min.cleanable.ratio", "0.5", float, "share of dirty bytes", True),
        _S("log.cleaner.delete.retention.ms", "86400000", _int(0), "ms to keep tombstones", True),
        _S("log.cleaner.min.compaction.lag.ms", "0", _int(0), "ms", True),
        _S("log.cleaner.max.compaction.lag.ms", str(MAX_LONG), _int(1), "ms", True),
        _S("log.index.interval.bytes", "4096", _int(0), "bytes between index entries", True),
        _S("log.index.size.max.bytes", "10485760", _int(4), "bytes of an index", True),
        _S("log.flush.interval.messages", str(MAX_LONG), _int(1), "records before an fsync", True),
        _S("log.flush.offset.checkpoint.interval.ms", "60000", _int(1), "ms"),
        _S("log.message.timestamp.type", "CreateTime", _choice("CreateTime", "LogAppendTime"), ""),
        _S("compression.type", "producer", _text, "what we do not change", True),
        _S("num.recovery.threads.per.data.dir", "2", _int(1), "kept for compatibility"),
        _S("broker.heartbeat.interval.ms", "2000", _int(1), "ms"),
        _S("broker.session.timeout.ms", "9000", _int(1), "ms without a heartbeat until fenced"),
        _S("initial.broker.registration.timeout.ms", "60000", _int(1), "ms"),
        _S("controlled.shutdown.enable", "true", _bool, "move leaders away before stopping"),
        _S("controller.quorum.fetch.timeout.ms", "2000", _int(1), "ms"),
        _S("controller.quorum.election.timeout.ms", "1000", _int(1), "ms"),
        _S("controller.quorum.request.timeout.ms", "2000", _int(1), "ms"),
        _S("controller.quorum.retry.backoff.ms", "20", _int(0), "ms"),
        _S("metadata.max.idle.interval.ms", "500", _int(0), "ms between NoOp records; 0: none"),
        _S("metadata.log.max.record.bytes.between.snapshots", "20971520", _int(1), "bytes"),
        _S("metadata.log.max.snapshot.interval.ms", "3600000", _int(0), "ms; 0: by bytes alone"),
        _S("metadata.log.segment.bytes", "1073741824", _int(1024), "bytes of a segment"),
        _S("metadata.max.retention.bytes", "104857600", _int(-1), "bytes of log and snapshots"),
        _S("metadata.max.retention.ms", "604800000", _int(-1), "ms of log and snapshots"),
        _S("offsets.topic.num.partitions", "50", _int(1), "partitions of __consumer_offsets"),
        _S("offsets.topic.replication.factor", "3", _int(1, 32767), "its replicas"),
        _S("offsets.topic.segment.bytes", "104857600", _int(1), "bytes of its segments"),
        _S("offsets.retention.minutes", "10080", _int(1), "minutes to keep committed offsets"),
        _S("offset.metadata.max.bytes", "4096", _int(0), "bytes of a commit's metadata"),
        _S("group.initial.rebalance.delay.ms", "3000", _int(0), "ms to wait for more members"),
        _S("group.min.session.timeout.ms", "6000", _int(1), "ms"),
        _S("group.max.session.timeout.ms", "1800000", _int(1), "ms"),
        _S("group.max.size", str((1 << 31) - 1), _int(1), "members of a group"),
        _S("transaction.state.log.num.partitions", "50", _int(1), "of __transaction_state"),
        _S("transaction.state.log.replication.factor", "3", _int(1, 32767), "its replicas"),
        _S("transaction.state.log.min.isr", "2", _int(1), "its min.insync.replicas"),
        _S("transaction.state.log.segment.bytes", "104857600", _int(1), "bytes of its segments"),
        _S("transaction.max.timeout.ms", "900000", _int(1), "ms a client may ask for at most"),
        _S("transactional.id.expiration.ms", "604800000", _int(1), "ms to keep an unused id"),
        _S(
            "transaction.abort.timed.out.transaction.cleanup.interval.ms",
            "10000",
            _int(1),
            "ms between looks for transactions that are open for too long",
        ),
        _S(
            "transaction.remove.expired.transaction.cleanup.interval.ms",
            "3600000",
            _int(1),
            "ms between looks for unused ids",
        ),
        _S(
            "transaction.partition.verification.enable",
            "true",
            _bool,
            "ask the coordinator before a transaction's first batch is appended (KIP-890)",
        ),
        _S("producer.id.expiration.ms", "86400000", _int(1), "ms to remember a producer"),
        _S("max.incremental.fetch.session.cache.slots", "1000", _int(0), "fetch sessions"),
        _S("fetch.max.bytes", "57671680", _int(1024, (1 << 31) - 1), "bytes of a fetch answer"),
        _S("leader.replication.throttled.rate", str(MAX_LONG), _int(0), "bytes/s", True),
        _S("follower.replication.throttled.rate", str(MAX_LONG), _int(0), "bytes/s", True),
        _S("metrics.port", None, _int(0, 65535), "Prometheus metrics on this loopback port"),
    )
}

# Topic settings, with the node setting each falls back to.
TOPIC_SETTINGS: Final[dict[str, tuple[str | None, Setting]]] = {
    s.name: (fallback, s)
    for fallback, s in (
        ("log.cleanup.policy", _S("cleanup.policy", "delete", _policy, "delete, compact")),
        ("compression.type", _S("compression.type", "producer", _text, "what we do not change")),
        (
            "log.cleaner.delete.retention.ms",
            _S("delete.retention.ms", "86400000", _int(0), "ms to keep tombstones"),
        ),
        ("log.segment.delete.delay.ms", _S("file.delete.delay.ms", "60000", _int(0), "ms")),
        ("log.flush.interval.messages", _S("flush.messages", str(MAX_LONG), _int(1), "records")),
        (None, _S("flush.ms", str(MAX_LONG), _int(0), "ms until an fsync")),
        (None, _S("follower.replication.throttled.replicas", "", _text, "partition:broker, or *")),
        (None, _S("leader.replication.throttled.replicas", "", _text, "partition:broker, or *")),
        ("log.index.interval.bytes", _S("index.interval.bytes", "4096", _int(0), "bytes")),
        ("message.max.bytes", _S("max.message.bytes", "1048588", _int(0), "largest batch")),
        (
            "log.message.timestamp.type",
            _S(
                "message.timestamp.type",
                "CreateTime",
                _choice("CreateTime", "LogAppendTime"),
                "whose clock",
            ),
        ),
        (
            "log.cleaner.min.cleanable.ratio",
            _S("min.cleanable.dirty.ratio", "0.5", float, "share of dirty bytes"),
        ),
        ("log.cleaner.min.compaction.lag.ms", _S("min.compaction.lag.ms", "0", _int(0), "ms")),
        (
            "log.cleaner.max.compaction.lag.ms",
            _S("max.compaction.lag.ms", str(MAX_LONG), _int(1), "ms"),
        ),
        ("min.insync.replicas", _S("min.insync.replicas", "1", _int(1), "for acks=all")),
        (None, _S("preallocate", "false", _bool, "kept for compatibility")),
        ("log.retention.bytes", _S("retention.bytes", "-1", _int(-1), "bytes; -1: all")),
        ("log.retention.ms", _S("retention.ms", "604800000", _int(-1), "ms; -1: for ever")),
        ("log.segment.bytes", _S("segment.bytes", "1073741824", _int(14), "bytes")),
        ("log.index.size.max.bytes", _S("segment.index.bytes", "10485760", _int(4), "bytes")),
        (None, _S("segment.jitter.ms", "0", _int(0), "ms")),
        ("log.roll.ms", _S("segment.ms", "604800000", _int(1), "ms until a segment is rolled")),
        (
            "unclean.leader.election.enable",
            _S("unclean.leader.election.enable", "false", _bool, "lead from outside the ISR"),
        ),
    )
}


def read_setting(setting: Setting, text: str) -> Any:
    """A setting's text as its value; Unusable names the setting and what would be right."""
    try:
        return setting.read(text)
    except ValueError as error:
        raise Unusable(f"{setting.name}={text!r}: {error}") from None


class Settings:
    """Node settings: what the file says, over which dynamic values may be laid."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.given = dict(given)
        self.dynamic: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        for name in self.given:
            if name in NODE_SETTINGS:
                self[name]

    def __getitem__(self, name: str) -> Any:
        """A setting's value: dynamic, else given, else the default (None where there is none)."""
        if name not in self._values:
            setting = NODE_SETTINGS[name]
            text = self.text(name)
            self._values[name] = None if text is None else read_setting(setting, text)
        return self._values[name]

    def text(self, name: str) -> str | None:
        """A setting's value as text, or None."""
        if name in self.dynamic:
            return self.dynamic[name]
        return self.given.get(name, NODE_SETTINGS[name].default)

    def set_dynamic(self, values: Mapping[str, str]) -> None:
        """Lay dynamic values over the file's (all at once; unknown names are kept for show)."""
        self.dynamic = {n: v for n, v in values.items() if n in NODE_SETTINGS}
        self._values.clear()


def topic_setting(overrides: Mapping[str, str], node: Settings, name: str) -> Any:
    """A topic setting's value: the topic's own, else the node's, else the default."""
    return read_setting(TOPIC_SETTINGS[name][1], topic_text(overrides, node, name))


def topic_text(overrides: Mapping[str, str], node: Settings, name: str) -> str:
    """The same as text."""
    fallback, setting = TOPIC_SETTINGS[name]
    if name in overrides:
        return overrides[name]
    text = node.text(fallback) if fallback else setting.default
    assert text is not None
    return text


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """What a node is, from its `server.properties`: roles, ids, listeners, directories, voters."""

    node_id: NodeId
    is_broker: bool
    is_controller: bool
    listeners: tuple[Endpoint, ...]
    """All that we bind, controller listeners included."""
    advertised: tuple[Endpoint, ...]
    """What we tell others, in the same order."""
    controller_listeners: tuple[str, ...]
    inter_broker_listener: str
    log_dirs: tuple[LogDir, ...]
    metadata_dir: LogDir
    voters: tuple[tuple[NodeId, str, int], ...]
    """(id, host, port) of a static quorum; empty with bootstrap servers."""
    bootstrap_servers: tuple[tuple[str, int], ...]
    rack: str | None
    settings: Settings = field(compare=False)

    @property
    def directories(self) -> tuple[LogDir, ...]:
        """Every directory that carries our identity: log dirs, and the metadata dir if apart."""
        if self.metadata_dir in self.log_dirs:
            return self.log_dirs
        return (*self.log_dirs, self.metadata_dir)


_PROTOCOLS: Final = {"PLAINTEXT": 0, "SSL": 1, "SASL_PLAINTEXT": 2, "SASL_SSL": 3}


def parse_endpoint(text: str, protocols: Mapping[str, str]) -> Endpoint:
    """`NAME://host:port` as an Endpoint; an empty host means all addresses."""
    name, _, rest = text.partition("://")
    host, _, port = rest.rpartition(":")
    if not name or not port.isdigit():
        raise Unusable(f"listener {text!r}: write NAME://host:port, e.g. PLAINTEXT://:9092")
    name = name.upper()
    protocol = protocols.get(name, name if name in _PROTOCOLS else "PLAINTEXT")
    if protocol not in _PROTOCOLS:
        raise Unusable(f"listener {text!r}: no such security protocol {protocol!r}")
    return Endpoint(name, host.strip("[]"), int(port), _PROTOCOLS[protocol])


def parse_address(text: str, setting: str) -> tuple[str, int]:
    """`host:port`."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise Unusable(f"{setting}: {text!r} is not host:port")
    return host.strip("[]"), int(port)


def parse_voter(text: str) -> tuple[NodeId, str, int]:
    """`id@host:port`."""
    number, _, address = text.partition("@")
    if not number.isdigit():
        raise Unusable(f"controller.quorum.voters: {text!r} is not id@host:port")
    return int(number), *parse_address(address, "controller.quorum.voters")


def node_config(properties: Mapping[str, str]) -> NodeConfig:
    """Read a node's properties. Unusable names the setting that is wrong and what to write.

    Log directories must be absolute here: the rim makes them so.
    """
    settings = Settings(properties)
    node_id = settings["node.id"]
    if node_id is None:
        raise Unusable("node.id is missing: give each node of the cluster its own number")
    roles = set(settings["process.roles"])
    if not roles or not roles <= {"broker", "controller"}:
        raise Unusable("process.roles: must be broker, controller, or broker,controller")
    protocols = {
        name.strip().upper(): protocol.strip().upper()
        for name, _, protocol in (
            e.partition(":") for e in settings["listener.security.protocol.map"] or ()
        )
    }
    listeners = tuple(parse_endpoint(t, protocols) for t in settings["listeners"])
    advertised = {e.name: e for e in listeners}
    for text in settings["advertised.listeners"] or ():
        endpoint = parse_endpoint(text, protocols)
        advertised[endpoint.name] = endpoint
    controller_names = tuple(n.upper() for n in settings["controller.listener.names"])
    client_names = [e.name for e in listeners if e.name not in controller_names]
    if "broker" in roles and not client_names:
        raise Unusable("listeners: a broker needs a listener which is not the controller's")
    if "controller" in roles and not any(e.name in controller_names for e in listeners):
        raise Unusable(f"listeners: a controller needs one named {' or '.join(controller_names)}")
    inter_broker = settings["inter.broker.listener.name"]
    if inter_broker is None:
        inter_broker = (
            "PLAINTEXT" if "PLAINTEXT" in client_names or not client_names else client_names[0]
        )
    named = settings["log.dir"] if settings["log.dirs"] is None else settings["log.dirs"]
    log_dirs = tuple(dict.fromkeys(named))
    if not log_dirs:
        raise Unusable("log.dirs is empty: name at least one directory")
    voters = tuple(parse_voter(t) for t in settings["controller.quorum.voters"] or ())
    servers = tuple(
        parse_address(t, "controller.quorum.bootstrap.servers")
        for t in settings["controller.quorum.bootstrap.servers"] or ()
    )
    if not voters and not servers:
        raise Unusable(
            "controller.quorum.voters is missing: write id@host:port for each controller"
        )
    return NodeConfig(
        node_id=node_id,
        is_broker="broker" in roles,
        is_controller="controller" in roles,
        listeners=listeners,
        advertised=tuple(advertised[e.name] for e in listeners),
        controller_listeners=controller_names,
        inter_broker_listener=inter_broker.upper(),
        log_dirs=log_dirs,
        metadata_dir=settings["metadata.log.dir"] or log_dirs[0],
        voters=voters,
        bootstrap_servers=servers or tuple((host, port) for _, host, port in voters),
        rack=settings["broker.rack"],
        settings=settings,
    )
