"""Writes the dashboard for Grafana, operations/spindle-grafana.json: `python -m tools.dashboard`.

One table of panels: what each shows, in which unit, from which expressions. Three in a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

PAGE: Final = Path(__file__).parents[1] / "operations" / "spindle-grafana.json"
_WIDTH, _HEIGHT, _ROW = 8, 7, 24
_SOURCE: Final = {"type": "prometheus", "uid": "${source}"}
_OF = '{cluster=~"$cluster", instance=~"$instance"}'
_ALL = '{cluster=~"$cluster"}'
_OF_TOPIC = '{cluster=~"$cluster", instance=~"$instance", topic!="", topic=~"$topic"}'
_REQUESTS: Final = "kafka_network_requestmetrics_"
_GROUPS: Final = "kafka_coordinator_group_groupmetadatamanager_"


class Panel(NamedTuple):
    """One panel. `queries`: (expression, legend)."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    is_figure: bool = False
    """One number, red at any other than `good`."""
    good: float = 0


_TRAFFIC = "kafka_server_brokertopicmetrics_"


def _by_topic(name: str) -> tuple[tuple[str, str], ...]:
    rate = f"rate({_TRAFFIC}{name}_total{_OF_TOPIC}[5m])"
    return ((f"topk(10, sum by (topic) ({rate}))", "{{topic}}"),)


def _count(metric: str, how: str = "sum") -> tuple[tuple[str, str], ...]:
    return ((f"{how}({metric}{_ALL})", ""),)


def _each(metric: str) -> tuple[tuple[str, str], ...]:
    return ((f"{metric}{_OF}", "{{instance}}"),)


def _rate(metric: str) -> tuple[tuple[str, str], ...]:
    return ((f"rate({metric}{_OF}[5m])", "{{instance}}"),)


def _time(request: str) -> tuple[tuple[str, str], ...]:
    labels = f'cluster=~"$cluster", instance=~"$instance", request="{request}"'
    return tuple(
        (
            f'max by (instance) ({_REQUESTS}totaltimems{{{labels}, quantile="{q}"}})',
            f"{{{{instance}}}} p{q[2:]}",
        )
        for q in ("0.50", "0.99")
    )


_DISK = "kafka_log_logmanager_"
_MOVES = "kafka_server_alterlogdirsreplication_"
_CONTROLLER = "kafka_controller_kafkacontroller_"
_RAFT = "kafka_server_raft_metrics_"
_ON_DISK = "{{instance}} {{logDirectory}}"

ROWS: Final[tuple[tuple[str, tuple[Panel, ...]], ...]] = (
    (
        "Is all well?",
        (
            Panel(
                "Partitions without a leader",
                "none",
                _count(_CONTROLLER + "offlinepartitionscount", "max"),
                True,
            ),
            Panel(
                "Partitions out of sync",
                "none",
                _count("kafka_server_replicamanager_underreplicatedpartitions"),
                True,
            ),
            Panel(
                "Partitions below min.insync.replicas",
                "none",
                _count("kafka_server_replicamanager_underminisrpartitioncount"),
                True,
            ),
            Panel(
                "Log directories offline", "none", _count(_DISK + "offlinelogdirectorycount"), True
            ),
            Panel(
                "Active controllers", "none", _count(_CONTROLLER + "activecontrollercount"), True, 1
            ),
            Panel("Brokers fenced", "none", _count(_CONTROLLER + "fencedbrokercount", "max"), True),
        ),
    ),
    (
        "Traffic",
        (
            Panel("Records in", "cps", _by_topic("messagesin")),
            Panel("Bytes in", "Bps", _by_topic("bytesin")),
            Panel("Bytes out", "Bps", _by_topic("bytesout")),
            Panel("Replication in", "Bps", _rate(_TRAFFIC + "replicationbytesin_total")),
            Panel("Requests of producers", "reqps", _by_topic("totalproducerequests")),
            Panel(
                "Failed requests",
                "reqps",
                (*_by_topic("failedproducerequests"), *_by_topic("failedfetchrequests")),
            ),
        ),
    ),
    (
        "Requests",
        (
            Panel(
                "Requests by API",
                "reqps",
                (
                    (
                        f"sum by (request) (rate({_REQUESTS}requests_total{_OF}[5m]))",
                        "{{request}}",
                    ),
                ),
            ),
            Panel("Time of Produce", "ms", _time("Produce")),
            Panel("Time of consumers' Fetch, waiting included", "ms", _time("FetchConsumer")),
            Panel(
                "Idle share of the event loop",
                "percentunit",
                _each("kafka_network_socketserver_networkprocessoravgidlepercent"),
            ),
            Panel(
                "Open connections",
                "none",
                (
                    (
                        f"kafka_server_socket_server_metrics_connection_count{_OF}",
                        "{{instance}} {{listener}}",
                    ),
                ),
            ),
            Panel(
                "Requests that wait",
                "none",
                _each("kafka_server_delayedoperationpurgatory_purgatorysize"),
            ),
        ),
    ),
    (
        "Replicas",
        (
            Panel("Leaders", "none", _each("kafka_server_replicamanager_leadercount")),
            Panel("Replicas", "none", _each("kafka_server_replicamanager_partitioncount")),
            Panel(
                "ISRs made smaller and larger",
                "cps",
                (
                    (
                        f"rate(kafka_server_replicamanager_isrshrinks_total{_OF}[5m])",
                        "{{instance}} smaller",
                    ),
                    (
                        f"rate(kafka_server_replicamanager_isrexpands_total{_OF}[5m])",
                        "{{instance}} larger",
                    ),
                ),
            ),
            Panel(
                "Followers behind, at most",
                "none",
                _each("kafka_server_replicafetchermanager_maxlag"),
            ),
            Panel(
                "Largest topics",
                "bytes",
                (
                    (
                        f"topk(10, sum by (topic) (kafka_log_log_size{_OF_TOPIC}))",
                        "{{topic}}",
                    ),
                ),
            ),
            Panel(
                "Replicas offline", "none", _each("kafka_server_replicamanager_offlinereplicacount")
            ),
        ),
    ),
    (
        "Disks",
        (
            Panel(
                "Used share",
                "percentunit",
                (
                    (
                        f"1 - {_DISK}logdirectoryusablebytes{_OF}"
                        f" / {_DISK}logdirectorytotalbytes{_OF}",
                        _ON_DISK,
                    ),
                ),
            ),
            Panel("Free", "bytes", ((f"{_DISK}logdirectoryusablebytes{_OF}", _ON_DISK),)),
            Panel("Time of a call", "s", ((f"{_DISK}logdirectorycallseconds{_OF}", _ON_DISK),)),
            Panel(
                "Moves: copied",
                "Bps",
                (
                    (
                        f"rate({_MOVES}pairbytes_total{_OF}[1m])",
                        "{{instance}} {{source}} to {{target}}",
                    ),
                ),
            ),
            Panel(
                "Moves: left",
                "bytes",
                ((f"{_MOVES}pairbytesleft{_OF}", "{{instance}} {{source}} to {{target}}"),),
            ),
            Panel(
                "Damage and what was set aside",
                "none",
                (
                    (f"increase({_DISK}scrubbadlogs_total{_OF}[1h])", "found " + _ON_DISK),
                    (f"{_DISK}badcopies{_OF}", "set aside " + _ON_DISK),
                    (f"{_DISK}straylogs{_OF}", "stray " + _ON_DISK),
                ),
            ),
        ),
    ),
    (
        "Groups",
        (
            Panel(
                "Lag",
                "none",
                (
                    (
                        "topk(10, sum by (consumergroup, topic) (kafka_consumergroup_lag"
                        '{cluster=~"$cluster", topic=~"$topic"}))',
                        "{{consumergroup}} {{topic}}",
                    ),
                ),
            ),
            Panel(
                "Groups", "none", _each("kafka_coordinator_group_groupmetadatamanager_numgroups")
            ),
            Panel(
                "Groups that rebalance",
                "none",
                (
                    (
                        f"{_GROUPS}numgroupspreparingrebalance{_OF}"
                        f" + {_GROUPS}numgroupscompletingrebalance{_OF}",
                        "{{instance}}",
                    ),
                ),
            ),
        ),
    ),
    (
        "Controllers and processes",
        (
            Panel("Metadata: committed", "none", _each(_RAFT + "high_watermark")),
            Panel("Epoch of the quorum", "none", _each(_RAFT + "current_epoch")),
            Panel(
                "Metadata not applied yet",
                "none",
                (
                    (
                        f"{_RAFT}high_watermark{_OF} - 1"
                        f" - kafka_server_broker_metadata_metrics_last_applied_record_offset{_OF}",
                        "{{instance}}",
                    ),
                ),
            ),
            Panel(
                "Processor",
                "percentunit",
                ((f"rate(process_cpu_seconds_total{_OF}[1m])", "{{instance}}"),),
            ),
            Panel("Memory", "bytes", _each("process_resident_memory_bytes")),
            Panel("Open files and sockets", "none", _each("process_open_fds")),
        ),
    ),
)


def expressions() -> Iterator[str]:
    """What the panels ask for."""
    for _, panels in ROWS:
        for panel in panels:
            yield from (expression for expression, _ in panel.queries)


def dashboard() -> str:
    """The JSON that Grafana imports."""
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS:
        panels.append(_placed(_bar(title), len(panels), 0, top, _ROW, 1))
        for number, panel in enumerate(row):
            x, y = number % 3 * _WIDTH, top + 1 + number // 3 * _HEIGHT
            panels.append(_placed(_shown(panel), len(panels), x, y, _WIDTH, _HEIGHT))
        top += 1 + -(-len(row) // 3) * _HEIGHT
    whole = {
        "title": "Spindle",
        "uid": "spindle",
        "tags": ["kafka", "spindle"],
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": list(_variables())},
        "panels": panels,
    }
    return json.dumps(whole, indent=1) + "\n"


def _bar(title: str) -> dict[str, Any]:
    return {"type": "row", "title": title, "collapsed": False, "panels": []}


def _shown(panel: Panel) -> dict[str, Any]:
    defaults: dict[str, Any] = {"unit": panel.unit}
    if panel.is_figure:
        steps: list[dict[str, Any]] = [
            {"color": "green" if not panel.good else "red", "value": None}
        ]
        if panel.good:
            steps += [{"color": "green", "value": panel.good}]
        steps += [{"color": "red", "value": panel.good + 1}]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
    return {
        "type": "stat" if panel.is_figure else "timeseries",
        "title": panel.title,
        "datasource": _SOURCE,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + number),
                "datasource": _SOURCE,
                "expr": expression,
                "legendFormat": legend,
            }
            for number, (expression, legend) in enumerate(panel.queries)
        ],
    }


def _placed(panel: dict[str, Any], id: int, x: int, y: int, w: int, h: int) -> dict[str, Any]:
    return {"id": id + 1, "gridPos": {"x": x, "y": y, "w": w, "h": h}, **panel}


def _variables() -> Iterable[dict[str, Any]]:
    yield {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    for name, query in (
        ("cluster", "label_values(kafka_server_kafkaserver_connections, cluster)"),
        (
            "instance",
            'label_values(kafka_server_kafkaserver_connections{cluster=~"$cluster"}, instance)',
        ),
        ("topic", 'label_values(kafka_log_log_size{cluster=~"$cluster"}, topic)'),
    ):
        yield {
            "name": name,
            "type": "query",
            "datasource": _SOURCE,
            "query": {"query": query, "refId": name},
            "refresh": 2,
            "multi": True,
            "includeAll": True,
            "allValue": ".*",
            "current": {"text": "All", "value": "$__all"},
        }


if __name__ == "__main__":
    PAGE.write_text(dashboard(), encoding="utf-8")
