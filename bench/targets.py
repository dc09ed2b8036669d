"""What is to hold: of the ratio to Apache Kafka, and of Spindle's own figures; by figure."""

from __future__ import annotations

from bench import failover, four_moves, hostile, partition_counts, raw_requests, starts

Limit = tuple[str, float]

_COUNTS = (*partition_counts.COUNTS, partition_counts.ON_DEMAND)
_LEAST = partition_counts.COUNTS[0]

TARGETS: dict[str, Limit] = {
    "produce MB/s": (">=", 2.0),
    "produce MB/s, 1 replica": (">=", 1.2),
    "consume MB/s": (">=", 1.0),
    "consume MB/s, 100 B": (">=", 1.0),
    "consume server CPU s/GB": ("<=", 1.0),
    "consume server CPU s/GB, 100 B": ("<=", 1.0),
    "start to serving s": ("<=", 0.3),
    "memory MB": ("<=", 0.2),
    "small requests/s": (">=", 2.0),
    "small requests/s, 1 replica": (">=", 1.0),
    "small requests/s, 1 replica, 1 in flight": (">=", 1.0),
    "small requests, server CPU us each, 1 replica": ("<=", 1.0),
    "small requests, server CPU us each, 1 replica, 1 in flight": ("<=", 1.0),
    "latency p50 ms": ("<=", 1.0),
    "latency p99 ms": ("<=", 0.3),
    **{f"{raw_requests.named(api)}: requests/s": (">=", 1.0) for api in raw_requests.ASKED},
    "move MB/s": (">=", 3.0),
    "move CPU s/GB": ("<=", 0.3),
    "acks=all p99, moving / at rest": ("<=", 1.0),
    starts.FIRST: ("<=", 0.15),
    **{starts.restart(starts.PARTITIONS, how): ("<=", 0.15) for how in starts.ENDS},
    "disk of leaders and followers fails: gap s": ("<=", 0.05),
    "controller killed: topic made after s": ("<=", 1.0),
    f"disk of {failover.LEADERS} leaders dies: all led after s": ("<=", 1.0),
    f"disk of {failover.LEADERS} leaders dies: bytes that tell it": ("<=", 1.0),
    **{
        partition_counts.named(count, figure): ("<=", 1.0)
        for count in _COUNTS
        for figure in partition_counts.FIGURES
    },
}
"""Ratios spindle / Apache Kafka that must hold."""
OWN: dict[str, Limit] = {
    "move / cp+fsync": (">=", 0.9),
    **dict.fromkeys(four_moves.AT_REST.values(), (">=", 0.9)),
    four_moves.BESIDE_LOAD: (">=", 0.5),
    "planner: within brokers, core s": ("<", 3.0),
    "planner: within brokers, bytes / bound, median": ("<", 1.005),
    "planner: within brokers, bytes / bound, p99": ("<", 1.02),
    "planner: between brokers, bytes / bound of brokers": ("<", 1.05),
    "planner: between brokers, all bytes / bound of disks": ("<", 1.10),
    "planner: 5000 brokers, between them, core s": ("<", 60.0),
    "planner: 5000 brokers, bytes / bound of brokers": ("<=", 1.05),
    "planner: Parquet to JSON with Spark, s": ("<", 30.0),
    "planner: Parquet to JSON with Spark, MB": ("<", 2000.0),
    "acks=all p99, moving / at rest": ("<=", 1.5),
    "append block at the swap p99 ms": ("<=", 20.0),
    f"{hostile.BESIDE}: requests / without them": (">=", 0.9),
    f"{hostile.BESIDE}: per processor second / without": (">=", 0.9),
    f"{hostile.BESIDE}: the same at half the load": (">=", 0.9),
    f"{hostile.BESIDE}: good connections lost": ("<=", 0.0),
    f"{hostile.BESIDE}: memory grown by MB": ("<=", hostile.BOUND_MB),
    f"{hostile.BESIDE}: longest input, CPU ms": ("<=", hostile.HOLD_MS),
    "leader's disk fails: gap s": ("<", 0.2),
    "follower's disk fails: gap s": ("<", 0.2),
    "disk of leaders and followers fails: gap s": ("<", 0.2),
    "broker is killed: gap s": ("<", 1.0),
    **{
        partition_counts.growth(count, _LEAST, figure): ("<=", 1.0)
        for count in _COUNTS[1:]
        for figure in partition_counts.FIGURES
    },
}
"""Figures of spindle alone that must hold."""
