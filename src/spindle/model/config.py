"""What a node is, as its `server.properties` says. Reading the file is the rim's work; the settings
themselves are in `settings`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from spindle.model import cordons
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint, LogDir, NodeId
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings import together
from spindle.model.settings.scrutiny import examine, nearest
from spindle.model.settings.typed_settings import Settings


class QuorumConfig(NamedTuple):
    """Where the metadata quorum is."""

    voters: tuple[tuple[NodeId, str, int], ...]
    """(id, host, port) of a static quorum; empty with bootstrap servers."""
    bootstrap_servers: tuple[tuple[str, int], ...]
    """Any controllers; those of `voters` where only they are named."""
    listeners: tuple[str, ...]
    """Names of the listeners at which controllers are reached."""


class Wiring(NamedTuple):
    """How nodes reach each other."""

    between_brokers: str
    """The name of the listener at which brokers do."""
    protocols: Mapping[str, SecurityProtocol]
    """Of listeners by name, those of other nodes included."""


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
    wiring: Wiring = field(compare=False)
    log_dirs: tuple[LogDir, ...]
    metadata_dir: LogDir
    quorum: QuorumConfig
    rack: str | None
    settings: Settings = field(compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What the operator should know about the settings, one line each."""

    def protocol_of(self, listener: str) -> SecurityProtocol:
        """How a listener of this name is secured, here and on other nodes."""
        return self.wiring.protocols[listener]

    @property
    def inter_broker_listener(self) -> str:
        """The listener at which brokers reach each other."""
        return self.wiring.between_brokers

    @property
    def protocols_in_use(self) -> frozenset[SecurityProtocol]:
        """Those of this node's listeners, and of the other nodes' to which it connects."""
        names = (e.name for e in self.listeners)
        others = (self.inter_broker_listener, self.quorum.listeners[0])
        return frozenset(self.wiring.protocols[name] for name in (*names, *others))

    @property
    def directories(self) -> tuple[LogDir, ...]:
        """Every directory that carries our identity: log dirs, and the metadata dir if apart."""
        if self.metadata_dir in self.log_dirs:
            return self.log_dirs
        return (*self.log_dirs, self.metadata_dir)


_PROTOCOL_MAP: Final = "listener.security.protocol.map"


def parse_endpoint(text: str, protocols: Mapping[str, SecurityProtocol]) -> Endpoint:
    """`NAME://host:port` as an Endpoint; an empty host means all addresses. Unusable where it is
    none."""
    name, _, rest = text.partition("://")
    host, _, port = rest.rpartition(":")
    if not name or not port.isdigit():
        raise Unusable(f"listener {text!r}: write NAME://host:port, e.g. PLAINTEXT://:9092")
    name = name.upper()
    protocol = protocols.get(name)
    if protocol is None:
        raise Unusable(
            f"listener {text!r}: No security protocol defined for listener {name}: "
            f"add {name}:PLAINTEXT to listener.security.protocol.map"
        )
    return Endpoint(name, host.strip("[]"), int(port), protocol.id)


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
    warnings = examine(properties)
    node_id = _node_id(Settings(properties))
    settings = Settings({**properties, "node.id": str(node_id), "broker.id": str(node_id)})
    together.check(settings)
    _check_room(settings)
    roles = set(_required(settings, "process.roles", "broker, controller or both"))
    controller_names = tuple(n.upper() for n in settings.names("controller.listener.names"))
    if not controller_names:
        controller_names = ("CONTROLLER",)
    protocols = _protocols(settings, controller_names)
    listeners, advertised = _listeners(settings, protocols)
    client_names = [e.name for e in listeners if e.name not in controller_names]
    if "broker" in roles and not client_names:
        raise Unusable("listeners: a broker needs a listener which is not the controller's")
    if "controller" in roles and not any(e.name in controller_names for e in listeners):
        raise Unusable(f"listeners: a controller needs one named {' or '.join(controller_names)}")
    named = settings.names("log.dirs" if "log.dirs" in properties else "log.dir")
    log_dirs = tuple(dict.fromkeys(named))
    if not log_dirs:
        raise Unusable("log.dirs is empty: name at least one directory")
    cordons.check(settings.names(cordons.SETTING), log_dirs)
    voters = tuple(parse_voter(t) for t in settings.names("controller.quorum.voters"))
    servers = tuple(
        parse_address(t, "controller.quorum.bootstrap.servers")
        for t in settings.names("controller.quorum.bootstrap.servers")
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
        advertised=advertised,
        wiring=_wiring(settings, client_names, controller_names, protocols),
        log_dirs=log_dirs,
        metadata_dir=settings.find_word("metadata.log.dir") or log_dirs[0],
        quorum=QuorumConfig(
            voters, servers or tuple((host, port) for _, host, port in voters), controller_names
        ),
        rack=settings.find_word("broker.rack"),
        settings=settings,
        warnings=tuple(warnings),
    )


def _required(settings: Settings, name: str, what: str) -> tuple[str, ...]:
    """A list that must be there; a name that is nearly this one is named where it is missing."""
    found = settings.names(name)
    if not found:
        raise Unusable(f"{name} is missing: write {what}{_perhaps(settings, name)}")
    return found


def _perhaps(settings: Settings, name: str) -> str:
    meant = nearest(name, (n for n in settings.given if n != name))
    return "" if meant is None else f" (the file has {meant})"


def _node_id(settings: Settings) -> NodeId:
    """`node.id`, or `broker.id` as it used to be called."""
    number, older = settings.find_whole("node.id"), settings.whole("broker.id")
    if number is None:
        if older < 0:
            raise Unusable(
                "node.id is missing: give each node of the cluster its own number"
                + _perhaps(settings, "node.id")
            )
        return older
    if older not in (-1, number):
        raise Unusable(f"node.id={number} and broker.id={older} differ: leave broker.id out")
    return number


def _protocols(settings: Settings, controllers: tuple[str, ...]) -> dict[str, SecurityProtocol]:
    """How listeners are secured, by name.

    As in Apache Kafka, the controllers' listeners are PLAINTEXT where no map is given.
    """
    found = {}
    if _PROTOCOL_MAP not in settings.given:
        found = dict.fromkeys(controllers, SecurityProtocol.PLAINTEXT)
    for entry in settings.word("listener.security.protocol.map").split(","):
        name, _, protocol = (part.strip().upper() for part in entry.partition(":"))
        if protocol not in list(SecurityProtocol):
            raise Unusable(
                f"{_PROTOCOL_MAP}: {entry.strip()!r}: no such security protocol {protocol!r}"
            )
        found[name] = SecurityProtocol(protocol)
    if missing := next((name for name in controllers if name not in found), None):
        raise Unusable(
            f"controller.listener.names: there is no security protocol for {missing}: add "
            f"{missing}:PLAINTEXT (or SSL) to {_PROTOCOL_MAP}"
        )
    return found


def _wiring(
    settings: Settings,
    clients: list[str],
    controllers: tuple[str, ...],
    protocols: Mapping[str, SecurityProtocol],
) -> Wiring:
    """How nodes reach each other: the brokers' listener is named, or has its protocol's name."""
    named = settings.find_word("inter.broker.listener.name")
    protocol = settings.word("security.inter.broker.protocol")
    told = "security.inter.broker.protocol" in settings.given
    if named is not None and told:
        raise Unusable(
            "Only one of inter.broker.listener.name and security.inter.broker.protocol should be "
            "set."
        )
    if named is not None:
        found = named.upper()
    elif told or protocol in clients or not clients:
        found = protocol
    else:
        found = clients[0]
    if not clients:  # A controller, which asks no broker for anything.
        return Wiring(found if found in protocols else controllers[0], protocols)
    if found not in clients:
        raise Unusable(
            f"brokers reach each other at the listener {found}, and listeners has none of this "
            "name: mend inter.broker.listener.name or security.inter.broker.protocol"
        )
    return Wiring(found, protocols)


def _listeners(
    settings: Settings, protocols: Mapping[str, SecurityProtocol]
) -> tuple[tuple[Endpoint, ...], tuple[Endpoint, ...]]:
    """What we bind, and what we tell others in the same order."""
    bound = tuple(parse_endpoint(text, protocols) for text in settings.names("listeners"))
    told = {e.name: e for e in bound}
    for text in settings.names("advertised.listeners"):
        endpoint = parse_endpoint(text, protocols)
        if endpoint.name not in told:
            raise Unusable(f"advertised.listeners: there is no listener named {endpoint.name}")
        told[endpoint.name] = endpoint
    return bound, tuple(told[e.name] for e in bound)


def _check_room(settings: Settings) -> None:
    """As Apache Kafka: a request that is larger than all the room could never be read."""
    room = settings.whole("queued.max.request.bytes")
    largest = settings.whole("socket.request.max.bytes")
    if 0 < room < largest:
        raise Unusable(
            "queued.max.request.bytes must be larger or equal to socket.request.max.bytes: it is "
            f"{room}, and a request may have {largest} bytes; raise the one or lower the other"
        )
