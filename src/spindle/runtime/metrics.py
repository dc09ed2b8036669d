"""Metrics for Prometheus on a loopback port, read from the node's own statistics when asked.

Names are Kafka's MBean names in Prometheus form (`kafka_log_logmanager_offlinelogdirectorycount`),
so that dashboards made for Apache Kafka are easily kept. Knows no machine: a node hands out
(name, labels, value) and this room gives it a form. Names say the type: `..._total` is a counter,
what has quantiles is a summary with its `_count` and `_sum`, the rest are gauges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from spindle.model.statistics import Sample

Samples = Callable[[], list[Sample]]
_COUNTED, _OF_A_SUMMARY = "_total", ("_count", "_sum")


class NodeCollector(Collector):
    """Asks for the node's figures at each scrape."""

    def __init__(self, samples: Samples) -> None:
        self._samples = samples

    def collect(self) -> Iterator[Metric]:
        """All of the node's figures, each with its type."""
        samples = self._samples()
        summaries = {sample.name for sample in samples if "quantile" in sample.labels}
        families: dict[str, Metric] = {}
        for sample in samples:
            name, kind = _family(sample.name, summaries)
            family = families.setdefault(name, Metric(name, sample.help, kind))
            family.add_sample(sample.name, dict(sample.labels), sample.value)
        yield from families.values()


def _family(name: str, summaries: set[str]) -> tuple[str, str]:
    """What a sample belongs to, and of which type that is."""
    for end in _OF_A_SUMMARY:
        if name.removesuffix(end) in summaries:
            return name.removesuffix(end), "summary"
    if name in summaries:
        return name, "summary"
    if name.endswith(_COUNTED):
        return name.removesuffix(_COUNTED), "counter"
    return name, "gauge"


def serve_metrics(port: int, samples: Samples) -> AbstractContextManager[str]:
    """Serve `/metrics` on 127.0.0.1:port (0: a free one) while the context lasts; host:port.

    `samples` is called on the scrape's thread: it must fetch the figures from the node's own.
    OSError where the port cannot be had.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(NodeCollector(samples))
    return _until_end(*start_http_server(port, "127.0.0.1", registry))


@contextmanager
def _until_end(server: WSGIServer, thread: Thread) -> Iterator[str]:
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
