"""Metrics for Prometheus on a loopback port, read from the node's own statistics when asked.

Names are Kafka's MBean names in Prometheus form (`kafka_log_logmanager_offlinelogdirectorycount`),
so that dashboards made for Apache Kafka are easily kept. Knows no machine: a node hands out
(name, labels, value) and this room gives it a form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from spindle.model.statistics import Sample

Samples = Callable[[], list[Sample]]


class NodeCollector(Collector):
    """Asks for the node's figures at each scrape."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples

    def collect(self) -> Iterator[Metric]:
        """All of the node's figures, as gauges."""
        families: dict[str, GaugeMetricFamily] = {}
        for sample in self._samples():
            family = families.get(sample.name)
            if family is None:
                family = GaugeMetricFamily(sample.name, sample.help, labels=list(sample.labels))
                families[sample.name] = family
            family.add_metric(list(sample.labels.values()), sample.value)
        yield from families.values()


@contextmanager
def serve_metrics(port: int, samples: Samples) -> Iterator[None]:
    """Serve `/metrics` on 127.0.0.1:port while the context lasts.

    `samples` is called on the scrape's thread: it must fetch the figures from the node's own.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(NodeCollector(samples))
    server, thread = start_http_server(port, "127.0.0.1", registry)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
