"""What a node is, from its properties; what is wrong is refused by name, with the way out."""

import pytest

from spindle.model.config import node_config
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings.typed_settings import Settings

GOOD = {
    "process.roles": "broker",
    "node.id": "3",
    "listeners": "PLAINTEXT://127.0.0.1:9092",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "100@127.0.0.1:9093",
    "log.dirs": "/d1,/d2",
}


def test_a_broker_is_read_from_kafkas_properties() -> None:
    config = node_config({**GOOD, "metadata.log.dir": "/m"})
    assert (config.node_id, config.is_broker, config.is_controller) == (3, True, False)
    assert config.listeners == (Endpoint("PLAINTEXT", "127.0.0.1", 9092),)
    assert config.quorum.voters == ((100, "127.0.0.1", 9093),)
    assert config.log_dirs == ("/d1", "/d2")
    assert config.directories == ("/d1", "/d2", "/m")
    assert config.warnings == ()


def test_the_first_log_dir_holds_the_metadata_where_nothing_else_is_said() -> None:
    config = node_config(GOOD)
    assert config.metadata_dir == "/d1"
    assert config.directories == ("/d1", "/d2")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"node.id": "x"}, "Invalid value x for configuration node.id: Not a number of type INT"),
        ({"node.id": "-1"}, "node.id: Value must be at least 0"),
        ({"num.partitions": "1_0"}, "Not a number of type INT"),
        ({"log.cleaner.min.cleanable.ratio": "0.1_5"}, "Not a number of type DOUBLE"),
        ({"log.cleanup.policy": "delete,"}, "'log.cleanup.policy' values must not be empty"),
        ({"process.roles": "zookeeper"}, "process.roles"),
        ({"listeners": "9092"}, "write NAME://host:port"),
        ({"listeners": "CONTROLLER://:9093"}, "a broker needs a listener"),
        ({"process.roles": "controller"}, "a controller needs one named CONTROLLER"),
        ({"log.dirs": ","}, "log.dirs is empty"),
        ({"controller.quorum.voters": "127.0.0.1:9093"}, "is not id@host:port"),
        ({"num.partitions": "0"}, "Invalid value 0 for configuration num.partitions"),
        ({"auto.create.topics.enable": "maybe"}, "either true or false"),
        ({"log.cleanup.policy": "shred"}, "must be one of: compact, delete"),
        ({"listener.security.protocol.map": "PLAINTEXT:TELEPATHY"}, "no such security protocol"),
        ({"listeners": "CLIENT://:9092"}, "No security protocol defined for listener CLIENT"),
        ({"advertised.listeners": "OTHER://:9092"}, "No security protocol defined"),
        ({"broker.id": "4"}, "differ"),
        (
            {"queued.max.request.bytes": "104857599"},
            "queued.max.request.bytes must be larger or equal to socket.request.max.bytes: it is "
            "104857599, and a request may have 104857600 bytes",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_way_out(change: dict[str, str], text: str) -> None:
    with pytest.raises(Unusable) as raised:
        node_config({**GOOD, **change})
    assert text in str(raised.value)


@pytest.mark.parametrize("room", ["-1", "0", "1000", "1001"])
def test_the_room_for_requests_is_off_or_takes_the_largest(room: str) -> None:
    node_config({**GOOD, "socket.request.max.bytes": "1000", "queued.max.request.bytes": room})


def test_missing_ids_and_voters_are_named() -> None:
    without_id = {k: v for k, v in GOOD.items() if k != "node.id"}
    with pytest.raises(Unusable, match=r"node\.id is missing"):
        node_config(without_id)
    assert node_config({**without_id, "broker.id": "5"}).node_id == 5
    without_voters = {k: v for k, v in GOOD.items() if k != "controller.quorum.voters"}
    with pytest.raises(Unusable, match=r"controller\.quorum\.voters is missing"):
        node_config(without_voters)


@pytest.mark.spec("N-01")
def test_a_misspelt_process_roles_names_process_roles() -> None:
    misspelt = {k: v for k, v in GOOD.items() if k != "process.roles"}
    with pytest.raises(Unusable, match=r"process\.roles"):
        node_config({**misspelt, "process.role": "broker"})
    with pytest.raises(Unusable, match=r"process\.roles is missing"):
        node_config(misspelt)


@pytest.mark.spec("S-04")
@pytest.mark.parametrize(
    ("name", "protocol"),
    [("SASL_SSL", "SASL_SSL"), ("CLIENT", "SASL_PLAINTEXT"), ("CLIENT", "SSL")],
)
def test_a_listener_has_the_protocol_of_the_map(name: str, protocol: str) -> None:
    change = {
        "listeners": f"{name}://127.0.0.1:9092",
        "listener.security.protocol.map": f"{name}:{protocol},CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": name,
    }
    assert node_config({**GOOD, **change}).protocol_of(name) == protocol


@pytest.mark.spec("N-01")
def test_kafkas_own_map_of_protocols_is_no_reason_to_refuse() -> None:
    protocols = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL"
    assert node_config({**GOOD, "listener.security.protocol.map": protocols}).warnings == ()


# --- protocols ------------------------------------------------------------------------------------


@pytest.mark.spec("S-06")
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"security.inter.broker.protocol": "SSL"}, "SSL"),
        ({"inter.broker.listener.name": "ssl"}, "SSL"),
        ({}, "PLAINTEXT"),
    ],
)
def test_brokers_reach_each_other_at_one_listener(change: dict[str, str], name: str) -> None:
    listeners = {"listeners": "PLAINTEXT://:1,SSL://:2"}
    config = node_config({**GOOD, **listeners, **change})
    assert config.inter_broker_listener == name
    assert config.protocol_of(name) is SecurityProtocol(name)
    assert config.protocol_of("CONTROLLER") is SecurityProtocol.PLAINTEXT


@pytest.mark.spec("S-06")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"security.inter.broker.protocol": "PLAINTEXT", "inter.broker.listener.name": "SSL"},
            "Only one of inter.broker.listener.name and security.inter.broker.protocol",
        ),
        ({"security.inter.broker.protocol": "SSL"}, "listeners has none of this name"),
        ({"inter.broker.listener.name": "OTHER"}, "listeners has none of this name"),
        (
            {"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT"},
            "add CONTROLLER:PLAINTEXT",
        ),
    ],
)
def test_protocols_that_contradict_each_other_are_refused(
    change: dict[str, str], told: str
) -> None:
    with pytest.raises(Unusable, match=told):
        node_config({**GOOD, **change})


@pytest.mark.spec("S-04")
def test_a_listener_has_settings_of_its_own_over_the_nodes() -> None:
    own = "listener.name.inside.ssl.client.auth"
    settings = Settings({"ssl.client.auth": "none", own: "required"})
    assert settings.of_listener("INSIDE").word("ssl.client.auth") == "required"
    assert settings.of_listener("OTHER").word("ssl.client.auth") == "none"
    assert settings.set_dynamic({own: "requested", "listener.name.inside.ssl.nothing": "1"}) == [
        "listener.name.inside.ssl.nothing: Spindle knows no such setting"
    ]
    assert settings.of_listener("INSIDE").word("ssl.client.auth") == "requested"


@pytest.mark.spec("S-06")
def test_a_controller_needs_no_listener_of_brokers() -> None:
    own = {"process.roles": "controller", "listeners": "CONTROLLER://:9093"}
    config = node_config({**GOOD, **own, "listener.security.protocol.map": "CONTROLLER:SSL"})
    assert config.protocols_in_use == {SecurityProtocol.SSL}
