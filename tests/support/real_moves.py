"""What tests of moves over processes share: slow moves, records, what lies in directories."""

from __future__ import annotations

from tests.support.clients import produce
from tests.support.local import Local

MB = 1_000_000
RATE_LIMIT = "replica.alter.log.dirs.io.max.bytes.per.second"
STANDING = 20_000
"""Bytes/s of all moves of a broker at which a move of megabytes takes minutes: it all but stands,
and is under way still when a test goes on, however late that is."""
_COPIED = "kafka_server_alterlogdirsreplication_bytes_total"


def configure(cluster: Local, name: str, value: str | None) -> None:
    """Set a dynamic setting of all brokers, which then know it; None: take it back."""
    cluster.configure_all({name: value})


def limit_moves(cluster: Local, rate: int | None) -> None:
    """Let all brokers' moves copy so many bytes/s; None: as fast as they can."""
    configure(cluster, RATE_LIMIT, None if rate is None else str(rate))


def copied(cluster: Local, broker: int) -> float:
    """Bytes that a broker's moves have copied since it started; its `metrics.port` must be set."""
    return cluster.metrics(broker)[_COPIED]


def fill(cluster: Local, topic: str, size: int) -> list[bytes]:
    """Write records of a kilobyte, `size` bytes of them."""
    given = [b"%06d" % n + b"." * 994 for n in range(size // 1000)]
    produce(cluster.bootstrap, topic, given, **{"batch.size": 20_000})
    return given


def folders(cluster: Local, broker: int, topic: str) -> dict[int, list[str]]:
    """What each directory of a broker holds of a topic: the names' endings."""
    return {
        number: sorted(
            "plain" if entry.name == f"{topic}-0" else entry.name.rsplit("-", 1)[1]
            for entry in directory.iterdir()
            if entry.name.startswith(f"{topic}-0")
        )
        for number, directory in enumerate(cluster.nodes[broker].log_dirs)
    }


def rests(cluster: Local, broker: int, topic: str, disk: int) -> bool:
    """Whether a replica lies in this directory and nothing of it in any other."""
    found = folders(cluster, broker, topic)
    return found == {n: ["plain"] if n == disk else [] for n in found}


def future_bytes(cluster: Local, broker: int, topic: str, disk: int) -> int:
    """Bytes of the copy that a move is making; 0 where it is just being named another way."""
    logs = cluster.nodes[broker].log_dirs[disk].glob(f"{topic}-0.*-future/*.log")
    try:
        return sum(log.stat().st_size for log in logs)
    except FileNotFoundError:
        return 0
