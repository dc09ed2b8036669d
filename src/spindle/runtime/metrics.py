"""Metrics for Prometheus on a port of their own, read from the node's statistics when asked.

Names are Kafka's MBean names in Prometheus form (`kafka_log_logmanager_offlinelogdirectorycount`),
so that dashboards made for Apache Kafka are easily kept. Knows no machine: a node hands out
(name, labels, value) and this room gives it a form. Names say the type: `..._total` is a counter,
what has quantiles is a summary with its `_count` and `_sum`, the rest are gauges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import NamedTuple
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
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


class MetricsAddress(NamedTuple):
    """Where metrics are served, and by which certificate (PEM files); None: by plain http."""

    port: int
    host: str = "127.0.0.1"
    certificate: str | None = None
    key: str | None = None

    def url(self, port: int) -> str:
        """The page's address; `port`: the one that was had."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'http' if self.certificate is None else 'https'}://{host}:{port}/metrics"


def serve_metrics(address: MetricsAddress, samples: Samples) -> AbstractContextManager[str]:
    """Serve `/metrics` there (port 0: a free one) while the context lasts; the page's URL.

    `samples` is called on the scrape's thread: it must fetch the figures from the node's own.
    OSError where the address cannot be had, or a file cannot be read or used.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(NodeCollector(samples))
    ProcessCollector(registry=registry)
    server, thread = start_http_server(
        address.port, address.host, registry, certfile=address.certificate, keyfile=address.key
    )
    return _until_end(server, thread, address)


@contextmanager
def _until_end(server: WSGIServer, thread: Thread, address: MetricsAddress) -> Iterator[str]:
    try:
        yield address.url(server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
