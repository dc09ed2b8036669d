"""Counters by topic and of all topics: totals never go back."""

from __future__ import annotations

from spindle.model.metric_tables.traffic import BYTES_IN, BYTES_OUT, REPLICATION_IN
from spindle.node.replicas.broker_topic_stats import BrokerTopicStats


def figures(stats: BrokerTopicStats) -> dict[tuple[str, str], float]:
    return {(s.name, s.labels.get("topic", "")): s.value for s in stats.statistics()}


def test_topics_have_rows_of_their_own_and_a_total() -> None:
    stats = BrokerTopicStats()
    stats.of("a").bytes_in += 5
    stats.of("b").bytes_in += 7
    stats.of("b").replication_in += 3
    found = figures(stats)
    assert found[BYTES_IN.name, "a"] == 5
    assert found[BYTES_IN.name, "b"] == 7
    assert found[BYTES_IN.name, ""] == 12
    assert found[BYTES_OUT.name, ""] == 0
    assert found[REPLICATION_IN.name, ""] == 3
    assert (REPLICATION_IN.name, "b") not in found


def test_what_was_counted_of_a_topic_that_is_gone_stays_in_the_total() -> None:
    stats = BrokerTopicStats()
    stats.of("a").bytes_in += 5
    stats.keep({"b"})
    assert (BYTES_IN.name, "a") not in figures(stats)
    assert figures(stats)[BYTES_IN.name, ""] == 5
    stats.of("a").bytes_in += 1
    found = figures(stats)
    assert (found[BYTES_IN.name, "a"], found[BYTES_IN.name, ""]) == (1, 6)
