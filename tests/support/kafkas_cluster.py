"""Spindle clusters for Apache Kafka's own tests: a process that takes orders in lines.

`tests/support/java` speaks to it. First the shape (`brokers N`, `controllers N`, `disks N`,
`level N` of metadata.version, `feature NAME=LEVEL`, `set NAME=VALUE`, `own NODE NAME=VALUE`), then
`run`, answered with both bootstrap addresses and the brokers' files, then `stop ID` and `start ID`,
then `end`. The next cluster may follow: one process serves many, one at a time. A cluster ends with
the input, too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from spindle.model.feature_rules import FINALIZED, METADATA_VERSION, finalized_at
from spindle.model.metadata_records import FeatureLevel
from tests.support.local import Local

FIRST_CONTROLLER = 3000
"""As in the clusters that Kafka's tests make for themselves."""


def main() -> None:
    """Serve cluster after cluster until the input ends."""
    while serve_one():
        pass


def serve_one() -> bool:
    """Serve one cluster from its shape to its end; whether there was one."""
    brokers, controllers, disks = 1, 1, 1
    newest = level = FINALIZED[METADATA_VERSION]
    settings = {  # Those of Kafka's own test clusters, which its tests build on.
        "default.replication.factor": "1",
        "log.cleaner.dedupe.buffer.size": "2097152",
    }
    features: dict[str, int] = {}
    own: dict[int, dict[str, str]] = {}
    for line in sys.stdin:
        order, _, rest = line.rstrip("\n").partition(" ")
        name, _, value = rest.partition("=")
        match order:
            case "brokers":
                brokers = int(rest)
            case "controllers":
                controllers = int(rest)
            case "disks":
                disks = int(rest)
            case "level":
                level = min(int(rest), newest)  # Kafka's tests may begin above what is released.
            case "feature":
                features[name] = int(value)
            case "set":
                settings[name] = value
            case "own":
                node, _, name = name.partition(" ")
                own.setdefault(int(node), {})[name] = value
            case _:
                break
    else:
        return False
    with (
        tempfile.TemporaryDirectory() as folder,
        Local(
            Path(folder, "nodes"),
            brokers=brokers,
            controllers=controllers,
            directories=disks,
            settings=settings,
            first_broker=0,
            first_controller=FIRST_CONTROLLER,
            first_records=[
                FeatureLevel(name=name, level=finalized)
                for name, finalized in {**finalized_at(level), **features}.items()
                if finalized
            ],
        ) as cluster,
    ):
        for node in cluster.brokers:
            # Kafka's tests expect clients to learn this name.
            node.settings["advertised.listeners"] = f"PLAINTEXT://localhost:{node.port}"
            node.settings.update(own.get(node.node_id, {}))
            cluster.write_config(node)
        cluster.start()
        run(cluster)
    print("done", flush=True)
    return True


def run(cluster: Local) -> None:
    """Do as the test asks, until it has ended."""
    files = [str(node.config) for node in cluster.brokers]
    print(cluster.bootstrap, cluster.controllers, *files, flush=True)
    for line in sys.stdin:
        order, _, id = line.strip().partition(" ")
        match order:
            case "end":
                return
            case "stop":
                cluster.stop_node(int(id))
            case _:
                cluster.start_node(int(id))
        print("done", flush=True)


if __name__ == "__main__":
    main()
