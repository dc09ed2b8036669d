"""The metrics pages of running nodes: the tables' names, types and labels, and true values."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import consumer, produce, taken
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import eventually

from spindle.model.metric_tables import (
    all_metrics,
    between_directories,
    client_figures,
    controllers,
    disk_figures,
    led_groups,
    node_figures,
    traffic,
)
from spindle.model.metric_tables import replication_figures as of
from spindle.model.statistics import Metric

pytestmark = pytest.mark.spec("K858-08")

RECORDS = 40
SIZE = 1000
TABLE = {metric.name: metric for section in all_metrics.SECTIONS for metric in section.metrics}
OF_MOVES = (
    between_directories.MOVE_DONE,
    between_directories.MOVE_LEFT,
    between_directories.MOVE_SHARE,
)
"""Shown while a move lasts."""
ELSEWHERE = {
    metric.name
    for metric in (
        node_figures.CERTIFICATE,  # of listeners with TLS
        node_figures.LOGINS,  # of listeners with SASL
        node_figures.FAILED_LOGINS,
        node_figures.RENEWED,
        node_figures.EXPIRED,
        *client_figures.SECTION.metrics,  # of clients with quotas
        led_groups.SHARE_IN_FLIGHT,  # of share groups
        led_groups.SHARE_LOCK_TIMEOUTS,
        *OF_MOVES,
    )
}
"""On no page of this cluster: other tests look at them."""


class Row(NamedTuple):
    """One line of a page, and what the page says of its type."""

    name: str
    labels: dict[str, str]
    value: float
    family: str
    kind: str


def rows(cluster: Local, node: int) -> list[Row]:
    port = cluster.nodes[node].settings["metrics.port"]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
        text = page.read().decode()
    return [
        Row(s.name, s.labels, s.value, family.name, family.type)
        for family in text_string_to_metric_families(text)
        for s in family.samples
    ]


def value(found: list[Row], metric: Metric, end: str = "", **labels: str) -> float:
    """The one row with just these labels; `end`: of a summary's `_count` or `_sum`."""
    (row,) = (r for r in found if r.name == metric.name + end and r.labels == labels)
    return row.value


def wait_for(
    cluster: Local, node: int, wanted: float, metric: Metric, end: str = "", **labels: str
) -> None:
    def look() -> bool:
        found = rows(cluster, node)
        return any(
            r.name == metric.name + end and r.labels == labels and r.value == wanted for r in found
        )

    eventually(look, f"{metric.name}{end}{labels} is {wanted}", 30)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Two brokers and a controller, with records, a group, and a move behind them."""
    settings = {"offsets.topic.replication.factor": "2", "offsets.topic.num.partitions": "1"}
    with Local(tmp_path_factory.mktemp("metrics"), brokers=2, settings=settings) as local:
        for node in local.nodes.values():
            node.settings["metrics.port"] = str(free_port())
            local.write_config(node)
        local.start()
        local.create("watched", [[1, 2], [2, 1]])
        local.create_on("moved", 0, [1])
        for topic in ("watched", "moved"):
            produce(local.bootstrap, topic, [b"x" * SIZE] * RECORDS)
        reader = consumer(local.bootstrap, "metered")
        reader.subscribe(["watched"])
        taken(reader, RECORDS)
        reader.commit(asynchronous=False)
        local.alter({("moved", 0, 1): 1})
        local.until(lambda: local.disk_of("moved", 0, 1) == 1, "the replica has moved")
        shown_while_it_moves = {metric.name for metric in OF_MOVES}
        local.until(
            lambda: not shown_while_it_moves & {row.name for row in rows(local, 1)},
            "the move has no row any more",
        )
        yield local
        reader.close()


def test_what_is_on_a_page_is_in_a_table_with_its_labels_and_its_type(cluster: Local) -> None:
    for node in cluster.nodes:
        for row in rows(cluster, node):
            if row.name.startswith(("process_", "python_")):
                continue
            base = TABLE.get(row.name) or TABLE[row.name.rpartition("_")[0]]
            assert row.kind == base.kind, row
            labels = row.labels.keys() - ({"quantile"} if base.summary else set())
            assert labels in (set(base.labels), set()), row


def test_all_that_is_in_a_table_is_on_a_page(cluster: Local) -> None:
    shown = {row.family for node in cluster.nodes for row in rows(cluster, node)}
    names = {name.removesuffix("_total") for name in TABLE.keys() - ELSEWHERE}
    assert names - shown == set()
    assert {name.removesuffix("_total") for name in ELSEWHERE} & shown == set()


def test_brokers_and_controllers_tell_of_the_process(cluster: Local) -> None:
    for node in cluster.nodes:
        names = {row.name for row in rows(cluster, node)}
        assert {"process_cpu_seconds_total", "process_open_fds", "process_max_fds"} <= names


def test_traffic_is_counted_by_topic_and_in_all(cluster: Local) -> None:
    one, two = rows(cluster, 1), rows(cluster, 2)
    assert value(one, traffic.MESSAGES_IN, topic="watched") == RECORDS
    size = value(one, traffic.BYTES_IN, topic="watched")
    assert RECORDS * SIZE < size < RECORDS * SIZE * 1.2
    assert value(one, traffic.BYTES_OUT, topic="watched") >= size
    assert value(one, traffic.MESSAGES_IN) >= 2 * RECORDS
    assert value(one, traffic.PRODUCE_REQUESTS, topic="watched") >= 1
    assert value(one, traffic.FETCH_REQUESTS, topic="watched") >= 1
    assert value(two, traffic.REPLICATION_IN) >= size
    assert value(one, traffic.REPLICATION_OUT) >= size


def test_a_deleted_topic_has_no_row_and_stays_in_the_total(cluster: Local) -> None:
    cluster.create("short", [[1]])
    produce(cluster.bootstrap, "short", [b"y"] * 7)
    found = rows(cluster, 1)
    assert value(found, traffic.MESSAGES_IN, topic="short") == 7
    before = value(found, traffic.MESSAGES_IN)
    for done in cluster.admin.delete_topics(["short"]).values():
        done.result(20)

    def gone() -> bool:
        return not any(row.labels.get("topic") == "short" for row in rows(cluster, 1))

    eventually(gone, "the topic's rows are gone", 30)
    assert value(rows(cluster, 1), traffic.MESSAGES_IN) >= before


def test_requests_have_counts_and_times(cluster: Local) -> None:
    found = rows(cluster, 1)
    made = sum(
        r.value
        for r in found
        if r.name == traffic.REQUESTS.name and r.labels["request"] == "Produce"
    )
    assert made >= 2
    assert value(found, traffic.TOTAL_TIME, "_count", request="Produce") == made
    median = value(found, traffic.TOTAL_TIME, request="Produce", quantile="0.50")
    longest = value(found, traffic.TOTAL_TIME, request="Produce", quantile="0.999")
    assert 0 < median <= longest
    apis = {r.labels["request"] for r in found if r.name == traffic.TOTAL_TIME.name}
    assert {"FetchConsumer", "FetchFollower", "Metadata", "ApiVersions"} <= apis
    assert "BrokerHeartbeat" in {r.labels.get("request") for r in rows(cluster, CONTROLLER_ID)}


def test_replicas_and_groups_are_counted(cluster: Local) -> None:
    one, two = rows(cluster, 1), rows(cluster, 2)
    assert value(one, of.LOG_END, topic="watched", partition="0") == RECORDS
    assert value(one, of.HIGH_WATERMARK, topic="watched", partition="0") == RECORDS
    assert value(two, of.LOG_END, topic="watched", partition="0") == RECORDS
    assert value(one, of.IN_SYNC, topic="watched", partition="0") == 2
    assert value(one, of.REPLICAS, topic="watched", partition="0") == 2
    assert value(one, of.LOG_SIZE, topic="moved", partition="0") > RECORDS * SIZE
    leaders = value(one, of.LEADERS) + value(two, of.LEADERS)
    assert leaders == 4  # watched, moved, __consumer_offsets
    assert value(one, of.PARTITIONS) + value(two, of.PARTITIONS) == 7
    coordinator = next(
        found
        for found in (one, two)
        if any(r.labels.get("consumergroup") == "metered" for r in found)
    )
    assert value(coordinator, led_groups.GROUPS_STABLE) == 1
    committed = [r for r in coordinator if r.name == led_groups.COMMITTED.name]
    assert {r.labels["partition"]: r.value for r in committed}["0"] == RECORDS


def test_a_stopped_broker_is_seen_by_its_leaders_and_by_the_controller(cluster: Local) -> None:
    controller = rows(cluster, CONTROLLER_ID)
    assert value(controller, controllers.ACTIVE) == 1
    assert value(controller, controllers.ACTIVE_BROKERS) == 2
    assert value(controller, controllers.TOPICS) == 3
    assert value(controller, controllers.ALL_PARTITIONS) == 4
    assert value(controller, controllers.STATE, state="leader") == 1
    assert value(rows(cluster, 1), controllers.STATE, state="observer") == 1
    cluster.stop_node(2, kill=True)
    wait_for(cluster, CONTROLLER_ID, 1, controllers.FENCED_BROKERS)
    wait_for(cluster, 1, 1, of.IS_UNDER_REPLICATED, topic="watched", partition="1")
    assert value(rows(cluster, 1), of.UNDER_REPLICATED) >= 2
    cluster.start_node(2)
    wait_for(cluster, 1, 0, of.UNDER_REPLICATED)
    wait_for(cluster, CONTROLLER_ID, 0, controllers.FENCED_BROKERS)


def test_rows_of_partitions_can_be_switched_off(cluster: Local) -> None:
    cluster.stop_node(2)
    node = cluster.nodes[2]
    node.settings["metrics.partitions.enable"] = "false"
    cluster.write_config(node)
    cluster.start_node(2)
    found = rows(cluster, 2)
    assert not any("partition" in row.labels for row in found)
    assert any(row.name == disk_figures.OFFLINE_DIRECTORIES.name for row in found)
