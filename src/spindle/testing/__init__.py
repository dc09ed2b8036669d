"""A cluster for the tests of an application: real brokers on loopback, and their faults, in Python.

    import spindle.testing

    with spindle.testing.cluster(brokers=3, log_dirs=2) as cluster:
        client = Producer({"bootstrap.servers": cluster.bootstrap_servers})
        cluster.broker(1).disk(0).fail()

Any Kafka client can connect. Nothing but this package is needed: no Docker, no JVM, no root. pytest
finds the fixtures `spindle_cluster` and `spindle_cluster_factory` by itself (`pytest_plugin`).
"""

from spindle.testing.background import warm_up
from spindle.testing.cluster_instance import SETTINGS, ClusterInstance, NodeBug, cluster
from spindle.testing.node_instance import BrokerInstance, DiskInstance, NodeInstance

__all__ = [
    "SETTINGS",
    "BrokerInstance",
    "ClusterInstance",
    "DiskInstance",
    "NodeBug",
    "NodeInstance",
    "cluster",
    "warm_up",
]
