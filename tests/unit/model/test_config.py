"""Settings from properties: read, bounded, refused by name with what would be right."""

import pytest

from spindle.model.config import NODE_SETTINGS, TOPIC_SETTINGS, Settings, node_config, topic_setting
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint

GOOD = {
    "process.roles": "broker",
    "node.id": "3",
    "listeners": "PLAINTEXT://127.0.0.1:9092",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "100@127.0.0.1:9093",
    "log.dirs": "/d1,/d2",
}


def test_a_broker_is_read_from_kafkas_properties() -> None:
    config = node_config({**GOOD, "metadata.log.dir": "/m", "unknown.setting": "kept"})
    assert (config.node_id, config.is_broker, config.is_controller) == (3, True, False)
    assert config.listeners == (Endpoint("PLAINTEXT", "127.0.0.1", 9092),)
    assert config.voters == ((100, "127.0.0.1", 9093),)
    assert config.log_dirs == ("/d1", "/d2")
    assert config.directories == ("/d1", "/d2", "/m")


def test_the_first_log_dir_holds_the_metadata_where_nothing_else_is_said() -> None:
    config = node_config(GOOD)
    assert config.metadata_dir == "/d1"
    assert config.directories == ("/d1", "/d2")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"node.id": "x"}, "node.id='x'"),
        ({"node.id": "-1"}, "between 0 and"),
        ({"process.roles": "zookeeper"}, "process.roles"),
        ({"listeners": "9092"}, "write NAME://host:port"),
        ({"listeners": "CONTROLLER://:9093"}, "a broker needs a listener"),
        ({"process.roles": "controller"}, "a controller needs one named CONTROLLER"),
        ({"log.dirs": ","}, "log.dirs is empty"),
        ({"controller.quorum.voters": "127.0.0.1:9093"}, "is not id@host:port"),
        ({"num.partitions": "0"}, "num.partitions='0'"),
        ({"auto.create.topics.enable": "maybe"}, "must be true or false"),
        ({"log.cleanup.policy": "shred"}, "must be delete, compact or both"),
        ({"listener.security.protocol.map": "PLAINTEXT:TELEPATHY"}, "no such security protocol"),
    ],
)
def test_what_is_wrong_is_named_with_the_way_out(change: dict[str, str], text: str) -> None:
    with pytest.raises(Unusable, match=text.replace("(", r"\(")):
        node_config({**GOOD, **change})


def test_missing_ids_and_voters_are_named() -> None:
    without_id = {k: v for k, v in GOOD.items() if k != "node.id"}
    with pytest.raises(Unusable, match=r"node\.id is missing"):
        node_config(without_id)
    without_voters = {k: v for k, v in GOOD.items() if k != "controller.quorum.voters"}
    with pytest.raises(Unusable, match=r"controller\.quorum\.voters is missing"):
        node_config(without_voters)


def test_dynamic_values_lie_over_the_files_until_they_are_taken_back() -> None:
    settings = Settings({"log.retention.ms": "5"})
    assert settings["log.retention.ms"] == 5
    settings.set_dynamic({"log.retention.ms": "7", "not.ours": "1"})
    assert settings["log.retention.ms"] == 7
    settings.set_dynamic({})
    assert settings["log.retention.ms"] == 5


def test_a_topics_setting_falls_back_to_the_nodes_and_then_to_the_default() -> None:
    node = Settings({"log.segment.bytes": "1048576"})
    assert topic_setting({}, node, "segment.bytes") == 1048576
    assert topic_setting({"segment.bytes": "2097152"}, node, "segment.bytes") == 2097152
    assert topic_setting({}, node, "delete.retention.ms") == 86_400_000


@pytest.mark.parametrize("name", sorted(NODE_SETTINGS))
def test_every_default_can_be_read(name: str) -> None:
    default = NODE_SETTINGS[name].default
    assert default is None or NODE_SETTINGS[name].read(default) is not None


def test_every_topic_setting_falls_back_to_a_setting_that_exists() -> None:
    for fallback, setting in TOPIC_SETTINGS.values():
        assert fallback is None or fallback in NODE_SETTINGS, setting.name
