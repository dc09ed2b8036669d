"""What has come in and gone out, by topic, since the start (Kafka's BrokerTopicStats).

Counted where records pass, in plain numbers; put together when the metrics are asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from typing import Final

from spindle.model.metric_tables import traffic as of
from spindle.model.statistics import Sample
from spindle.node.replicas.delayed_fetch import FetchedPartition

_BY_TOPIC: Final = {
    "messages_in": of.MESSAGES_IN,
    "bytes_in": of.BYTES_IN,
    "bytes_out": of.BYTES_OUT,
    "produce_requests": of.PRODUCE_REQUESTS,
    "failed_produce": of.FAILED_PRODUCE,
    "fetch_requests": of.FETCH_REQUESTS,
    "failed_fetch": of.FAILED_FETCH,
}
_OF_ALL: Final = {
    "replication_in": of.REPLICATION_IN,
    "replication_out": of.REPLICATION_OUT,
}


@dataclass(slots=True, eq=False)
class BrokerTopicMetrics:
    """The counters of one topic. Bytes are those of batches; requests count by partition."""

    messages_in: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    replication_in: int = 0
    replication_out: int = 0
    produce_requests: int = 0
    failed_produce: int = 0
    fetch_requests: int = 0
    failed_fetch: int = 0

    def values(self) -> dict[str, int]:
        """All of them by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class BrokerTopicStats:
    """The counters of all topics."""

    def __init__(self) -> None:
        self.followers: set[int] = set()
        """The connections of followers: their fetches are counted apart."""
        self._topics: dict[str, BrokerTopicMetrics] = {}
        self._gone: dict[str, int] = dict.fromkeys(BrokerTopicMetrics().values(), 0)
        """What was counted of topics that are not here any more: totals never go back."""

    def of(self, topic: str) -> BrokerTopicMetrics:
        """The counters of a topic."""
        found = self._topics.get(topic)
        if found is None:
            found = self._topics[topic] = BrokerTopicMetrics()
        return found

    def on_sent(self, outcomes: list[FetchedPartition], follower: bool) -> None:
        """A fetch is answered with what was found."""
        for outcome in outcomes:
            if outcome.size and outcome.hosted is not None:
                counted = self.of(outcome.hosted.name.topic)
                if follower:
                    counted.replication_out += outcome.size
                else:
                    counted.bytes_out += outcome.size

    def keep(self, topics: Collection[str]) -> None:
        """Only these topics are here: the others have no rows of their own any more."""
        for topic in self._topics.keys() - topics:
            for name, value in self._topics.pop(topic).values().items():
                self._gone[name] += value

    def statistics(self) -> Iterator[Sample]:
        """All topics together, then each."""
        topics = {topic: counted.values() for topic, counted in self._topics.items()}
        totals = dict(self._gone)
        for values in topics.values():
            for name, value in values.items():
                totals[name] += value
        for name, metric in (_BY_TOPIC | _OF_ALL).items():
            yield metric.of(totals[name])
        for topic, values in topics.items():
            for name, metric in _BY_TOPIC.items():
                yield metric.of(values[name], topic)
