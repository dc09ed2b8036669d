"""`spindle disks` with Apache Kafka's brokers and with ours: what both can, and clear words."""

from __future__ import annotations

import json

import pytest
from tests.support.apache_kafka import LOG_DIRS, ApacheKafka, ToolResult
from tests.support.commands import call
from tests.support.waiting import eventually

pytestmark = pytest.mark.kafka


def disks(cluster: ApacheKafka, *words: str) -> ToolResult:
    return call("disks", *words[:1], "-b", cluster.bootstrap, *words[1:])


def shown(cluster: ApacheKafka, path: str) -> dict[str, object]:
    done = call("disks", "-b", cluster.bootstrap, "--json")
    assert done.code == 0, done
    (found,) = (d for d in json.loads(done.stdout)["disks"] if d["logDir"] == path)
    return dict(found)


def in_kafkas_eyes(cluster: ApacheKafka, broker: int, path: str) -> list[str]:
    """Replicas in a directory, by Kafka's own tool."""
    done = cluster.run_tool(
        LOG_DIRS, "--bootstrap-server", cluster.bootstrap, "--describe",
        "--broker-list", f"{broker}",
    )  # fmt: skip
    assert done.code == 0, done
    (told,) = json.loads(done.lines()[2])["brokers"]
    (found,) = (d for d in told["logDirs"] if d["logDir"] == path)
    return [p["partition"] for p in found["partitions"]]


@pytest.mark.spec("B-19")
def test_a_directory_is_cordoned_drained_and_let_in_again(cluster: ApacheKafka) -> None:
    # Broker 2: its metadata log is in its first directory, so the second may be pulled.
    first, path = cluster.log_dirs(2)
    assert disks(cluster, "cordon", "2", first).code == 0
    cluster.create_topic("to-drain", "2:1,1:2")
    cluster.produce("to-drain", 200)
    assert disks(cluster, "uncordon", "2", first).code == 0
    wanted = {"to-drain-0", "to-drain-1"}
    eventually(lambda: wanted <= set(in_kafkas_eyes(cluster, 2, path)), "both are there", 60)

    done = disks(cluster, "drain", "2", path)
    assert done.code == 0, done
    assert done.lines()[-1] == (
        f"safe to pull: {path} on broker 2 is empty, and gets nothing new (cordoned)"
    ), done
    assert in_kafkas_eyes(cluster, 2, path) == []
    assert shown(cluster, path)["state"] == "online, cordoned"
    cluster.create_topic("after-drain", "2,2,2")
    assert in_kafkas_eyes(cluster, 2, path) == []

    assert disks(cluster, "uncordon", "2", path).code == 0
    assert shown(cluster, path)["state"] == "online"
    cluster.create_topic("let-in", "2,2,2,2,2,2")
    eventually(lambda: in_kafkas_eyes(cluster, 2, path) != [], "it is used again", 60)


@pytest.mark.spec("B-19", "B-23")
def test_the_disk_of_the_metadata_is_emptied_but_not_to_be_pulled(cluster: ApacheKafka) -> None:
    first, _ = cluster.log_dirs(2)
    done = eventually(
        lambda: (
            answered if (answered := disks(cluster, "drain", "2", first, "--json")).stdout else None
        ),
        "the drain is answered",
        60,
    )
    told = json.loads(done.stdout)
    assert (done.code, told["safeToPull"]) == (1, False), done
    assert "the broker's metadata log is there" in told["notes"][0]
    cancelled = disks(cluster, "drain", "--cancel", "2", first)
    assert cancelled.code == 0, cancelled
    assert shown(cluster, first)["state"] == "online"


@pytest.mark.spec("B-13")
@pytest.mark.parametrize(
    ("order", "way_out"),
    [
        ("probe", "the broker's log"),
        ("online", "restart the broker when the disk works"),
        ("offline", "take it out of log.dirs and restart"),
        ("replace", "kafka-storage format -g"),
    ],
)
def test_what_apache_kafka_cannot_do_is_said(
    apache_cluster: ApacheKafka, order: str, way_out: str
) -> None:
    path = apache_cluster.log_dirs(2)[1]
    done = disks(apache_cluster, order, "2", path)
    assert (done.code, done.stdout) == (1, ""), done
    assert f"is not a broker of Spindle's: it cannot {order} a log directory" in done.stderr
    assert way_out in done.stderr
    seen = shown(apache_cluster, path)
    assert (seen["state"], seen["health"], seen["history"]) == ("online", None, None)


def test_what_is_not_there_is_named(cluster: ApacheKafka) -> None:
    paths = ", ".join(cluster.log_dirs(1))
    for command in ("drain", "cordon"):
        done = disks(cluster, command, "1", "/nowhere")
        assert done.code == 1
        assert done.stderr == (
            f"error: broker 1 has no log directory /nowhere; its directories are: {paths}\n"
        )
    done = disks(cluster, "drain", "9", "/nowhere")
    assert (done.code, "there is no broker 9" in done.stderr) == (1, True), done
    assert call("disks").code == 2
