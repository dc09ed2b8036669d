"""Metrics for Prometheus on a loopback port, read from the node's own statistics when asked.

Names are Kafka's MBean names in Prometheus form (`kafka_log_logmanager_offlinelogdirectorycount`),
so that dashboards made for Apache Kafka are easily kept. Knows no machine: a node hands out
(name, labels, value) and this room gives it a form.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from spindle.node.node import Node


class NodeCollector(Collector):
    """Asks the node at each scrape."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def collect(self) -> Iterator[Metric]:
        """All of the node's figures, as gauges."""
        families: dict[str, GaugeMetricFamily] = {}
        # A copy first: the node lives on another thread than the scrape.
        for sample in list(self._node.statistics()):
            family = families.get(sample.name)
            if family is None:
                family = GaugeMetricFamily(sample.name, sample.help, labels=list(sample.labels))
                families[sample.name] = family
            family.add_metric(list(sample.labels.values()), sample.value)
        yield from families.values()


@contextmanager
def serve_metrics(port: int | None, node: Node) -> Iterator[None]:
    """Serve `/metrics` on 127.0.0.1:port while the context lasts; nothing where port is None."""
    if port is None:
        yield
        return
    registry = CollectorRegistry()
    registry.register(NodeCollector(node))
    server, thread = start_http_server(port, "127.0.0.1", registry)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
