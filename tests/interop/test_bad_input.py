"""What no client should send: a Spindle cluster refuses it, serves the others, and does not grow.

The tests share one cluster of two brokers and bring it the same bad input at every run (the random
numbers have a seed). Afterwards each asks for the same: all processes live, use little more memory
and no more files, the records are there and new ones come.
"""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conformance.test_wire_entities import of_layout
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import eventually
from tools.messages.entities import encode, make, ms, request_class, request_types
from tools.messages.frames import decode_response, encode_request
from tools.messages.layout import layout_of

from spindle.model.errors import Error
from spindle.runtime.os_disk import OsDisk
from spindle.storage.formatting import format_blank
from spindle.wire.apis import TABLE, Key

GROWTH_MAX = 80 << 20
"""Bytes by which a process may grow under all of this."""
CANNOT_START = 1
UNLAWFUL = {Key.VOTE, Key.BEGIN_QUORUM_EPOCH, Key.END_QUORUM_EPOCH, Key.UNREGISTER_BROKER}
"""The receiver believes any sender of these: no login comes before them."""
WHOLE = [
    (key, version)
    for key, api in TABLE.items()
    for version in range(max(api.min, api.max - 2), api.max + 1)
    if key not in UNLAWFUL
]
SETTINGS = {
    "offsets.topic.replication.factor": "2",
    "default.replication.factor": "2",
    # However slow this machine is, no broker loses its partitions for that.
    "broker.session.timeout.ms": "30000",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Two brokers with two directories each, and a topic with a record in it."""
    with Local(tmp_path_factory.mktemp("bad"), brokers=2, settings=SETTINGS) as cluster:
        cluster.start()
        cluster.create("good", [[1, 2], [2, 1]])
        produce(cluster.bootstrap, "good", [b"before"])
        yield cluster


@pytest.fixture(autouse=True)
def unharmed(cluster: Local) -> Iterator[None]:
    """The cluster is as well after a test as it was before."""
    before = {id: process.memory_info().rss for id, process in processes(cluster).items()}
    written = len(values(cluster.bootstrap, "good"))
    yield
    produce(cluster.bootstrap, "good", [b"after"])
    assert len(values(cluster.bootstrap, "good")) > written
    cluster.become("good", {0: (1, {1, 2}), 1: (2, {1, 2})})
    for id, process in processes(cluster).items():
        eventually(
            lambda p=process, b=before[id]: p.memory_info().rss - b < GROWTH_MAX,
            f"node {id} has given back what it took",
            10,
        )
        eventually(lambda p=process: inward(cluster, p) < 40, "connections are closed", 10)


def processes(cluster: Local) -> dict[int, psutil.Process]:
    """All nodes' processes; they must run."""
    found = {}
    for node in cluster.nodes.values():
        assert node.process is not None
        assert node.process.poll() is None, cluster.tail(node.node_id)
        found[node.node_id] = psutil.Process(node.process.pid)
    return found


def inward(cluster: Local, process: psutil.Process) -> int:
    """Connections that a node holds."""
    return sum(1 for c in process.net_connections() if c.status == psutil.CONN_ESTABLISHED)


def ports(cluster: Local) -> list[int]:
    """Every listener of the cluster."""
    controller = cluster.nodes[CONTROLLER_ID].controller_port
    assert controller is not None
    return [*(node.port for node in cluster.brokers), controller]


def connect(port: int) -> socket.socket:
    """A connection to a listener."""
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def poke(port: int, *pieces: bytes) -> bytes:
    """Send bytes, say that there are no more, and take what comes until the other side hangs up."""
    with connect(port) as link:
        answer = b""
        try:
            for piece in pieces:
                link.sendall(piece)
            link.shutdown(socket.SHUT_WR)
            while chunk := link.recv(65536):
                answer += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer


def frame(key: int, version: int, body: bytes, client: bytes = b"bad") -> bytes:
    """A request with a header that says so, whatever the body holds."""
    api = TABLE.get(Key(key)) if key in Key.__members__.values() else None
    tags = b"\0" if api is not None and api.is_flexible(version) else b""
    head = struct.pack(">hhih", key, version, 7, len(client)) + client + tags
    return struct.pack(">i", len(head) + len(body)) + head + body


def ask(port: int, request: Any) -> Any:
    """Send a request and read its answer."""
    with connect(port) as link:
        link.sendall(encode_request(request, 1, "bad"))
        with link.makefile("rb") as stream:
            (size,) = struct.unpack(">i", stream.read(4))
            return decode_response(request, stream.read(size))


# -- bytes -----------------------------------------------------------------------------------


def test_random_bytes_hostile_lengths_and_frames_cut_short(cluster: Local) -> None:
    rng = random.Random(1)
    whole = frame(Key.API_VERSIONS, 0, b"")
    for port in ports(cluster):
        for _ in range(60):
            poke(port, rng.randbytes(rng.randrange(1, 2000)))
        for length in (-1, -(2**31), 2**31 - 1, 100 * 2**20 + 1, 0):
            assert poke(port, struct.pack(">i", length) + b"x" * 50) == b""
        for cut in range(len(whole)):
            assert poke(port, whole[:cut]) == b""
        assert poke(port, b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n") == b""


def test_unknown_apis_and_versions(cluster: Local) -> None:
    for port in ports(cluster):
        for key in (-1, 4, 7, 500, 32767):
            assert poke(port, frame(key, 0, b"")) == b""
        for key in (Key.PRODUCE, Key.METADATA, Key.FETCH, Key.DESCRIBE_LOG_DIRS):
            for version in (-1, TABLE[key].max + 1, 32767):
                assert poke(port, frame(key, version, b"")) == b""
        answer = poke(port, frame(Key.API_VERSIONS, 99, b""))
        assert answer[4:10] == struct.pack(">ih", 7, Error.UNSUPPORTED_VERSION)


def test_good_headers_with_garbage_behind_them(cluster: Local) -> None:
    rng = random.Random(2)
    for port in ports(cluster):
        for key, api in TABLE.items():
            for version in sorted({max(api.min, api.max - 1), api.max}):
                whole = encode(make(request_class(key, version)))
                for _ in range(3):
                    poke(port, frame(key, version, rng.randbytes(rng.randrange(60))))
                    poke(port, frame(key, version, bytes(rng.choices((0, 1, 2, 255), k=30))))
                    broken = bytearray(whole + rng.randbytes(rng.randrange(3)))
                    if broken:
                        broken[rng.randrange(len(broken))] = rng.randrange(256)
                    poke(port, frame(key, version, bytes(broken)))


@settings(
    max_examples=400, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(data=st.data())
def test_whole_requests_with_any_content(cluster: Local, data: st.DataObject) -> None:
    key, version = data.draw(st.sampled_from(WHOLE))
    entity = data.draw(of_layout(layout_of(request_class(key, version))))
    for port in ports(cluster):
        poke(port, frame(key, version, encode(entity)))


# -- well formed, but not meant well -----------------------------------------------------------


def test_requests_that_ask_for_too_much_are_refused(cluster: Local) -> None:
    port = cluster.nodes[1].port
    types = request_types(Key.CREATE_TOPICS, 7)

    def created(**fields: Any) -> int:
        topic = make(types.CreatableTopic, **{"replication_factor": 1, **fields})
        request = make(types.CreateTopicsRequest, topics=(topic,), timeout=ms(10_000))
        return int(ask(port, request).topics[0].error_code)

    assert created(name="huge", num_partitions=2**31 - 1) == Error.POLICY_VIOLATION
    assert created(name="none", num_partitions=0) == Error.INVALID_PARTITIONS
    few = created(name="many", num_partitions=1, replication_factor=32767)
    assert few == Error.INVALID_REPLICATION_FACTOR
    for name in ("", "..", "a/b", "x" * 250, "nul\0"):
        assert created(name=name, num_partitions=1) == Error.INVALID_TOPIC_EXCEPTION, name
    types = request_types(Key.CREATE_PARTITIONS, 3)
    grown = make(types.CreatePartitionsTopic, name="good", count=2**31 - 1, assignments=None)
    request = make(types.CreatePartitionsRequest, topics=(grown,), timeout=ms(10_000))
    assert ask(port, request).results[0].error_code == Error.POLICY_VIOLATION
    types = request_types(Key.METADATA, 12)
    names = tuple(make(types.MetadataRequestTopic, name=f"no-{n}") for n in range(20_000))
    request = make(types.MetadataRequest, topics=names, allow_auto_topic_creation=False)
    assert len(ask(port, request).topics) == 20_000
    # Requests made at random before this may have made topics: none of these here has.
    there = set(cluster.admin.list_topics(timeout=10).topics)
    assert there.isdisjoint(
        {"huge", "none", "many", "x" * 250, *(f"no-{n}" for n in range(20_000))}
    )


def test_a_batch_that_lies_is_refused(cluster: Local) -> None:
    types = request_types(Key.PRODUCE, 9)

    def produced(records: bytes) -> int:
        data = make(types.PartitionProduceData, index=0, records=records)
        topic = make(types.TopicProduceData, name="good", partition_data=(data,))
        request = make(types.ProduceRequest, acks=-1, timeout=ms(5000), topic_data=(topic,))
        answer = ask(cluster.nodes[1].port, request)
        return int(answer.responses[0].partition_responses[0].error_code)

    (log,) = cluster.nodes[1].log_dirs[cluster.disk_of("good", 0, 1)].glob("good-0/*.log")
    good = log.read_bytes()[:200]
    good = good[: 12 + struct.unpack_from(">i", good, 8)[0]]
    rng = random.Random(3)
    refused = {Error.CORRUPT_MESSAGE, Error.INVALID_RECORD, Error.UNSUPPORTED_FOR_MESSAGE_FORMAT}
    for _ in range(60):
        broken = bytearray(good)
        broken[rng.randrange(8, len(broken))] ^= 1 << rng.randrange(8)
        assert produced(bytes(broken[: rng.randrange(1, len(broken) + 1)])) in refused
    assert produced(good + good) in refused
    assert produced(b"") in refused


# -- connections -----------------------------------------------------------------------------


def test_idle_and_slow_connections_hold_no_other_client_up(cluster: Local) -> None:
    whole = frame(Key.METADATA, 0, struct.pack(">i", 0))
    with ExitStack() as stack:
        for port in ports(cluster):
            for n in range(200):
                link = stack.enter_context(connect(port))
                if n % 4 == 1:
                    link.sendall(whole[: n % len(whole)])
                elif n % 4 == 2:
                    # A hundred megabytes are promised, ten bytes come.
                    link.sendall(struct.pack(">i", 100_000_000) + b"0123456789")
                elif n % 4 == 3:
                    # Answers are asked for and never read.
                    link.sendall(whole * 20)
        produce(cluster.bootstrap, "good", [b"meanwhile"] * 10)
        assert values(cluster.bootstrap, "good")[-1] is not None
        cluster.become("good", {0: (1, {1, 2}), 1: (2, {1, 2})})


# -- nodes that should not be there ------------------------------------------------------------


def test_a_broker_of_another_cluster_is_turned_away(cluster: Local, tmp_path: Path) -> None:
    config = properties(tmp_path, cluster)
    disk = OsDisk()
    for name in ("d1", "metadata"):
        format_blank(disk, [str(tmp_path / name)], "QW5vdGhlckNsdXN0ZXIhIQ", 9, 0)
    done = run("spindle", "broker", "-c", str(config), seconds=40)
    assert done.code == CANNOT_START, done
    *lines, last = done.stderr.splitlines()
    controller = ports(cluster)[-1]
    assert last.startswith(
        "error: this broker belongs to cluster QW5vdGhlckNsdXN0ZXIhIQ, the controller at"
        f" 127.0.0.1:{controller} to cluster {cluster.cluster_id}: correct"
    ), done.stderr
    assert len(lines) < 10, "it says so once"
    assert "Traceback" not in done.stderr


def test_a_second_broker_of_an_id_is_turned_away(cluster: Local, tmp_path: Path) -> None:
    changes = {"node_id": "1", "initial_broker_registration_timeout_ms": "6000"}
    config = properties(tmp_path, cluster, **changes)
    paths = [str(tmp_path / name) for name in ("d1", "metadata")]
    format_blank(OsDisk(), paths, cluster.cluster_id, 1, 0)
    done = run("spindle", "broker", "-c", str(config), seconds=40)
    assert done.code == CANNOT_START, done
    assert done.stderr.count("another process runs as broker 1") == 2, "once, and in the end"
    assert "two brokers have node.id=1" in done.stderr.splitlines()[-1]


def properties(folder: Path, cluster: Local, **changes: str) -> Path:
    """A broker's properties file; `changes` with `_` for `.`, an empty value leaves out."""
    lines = {
        "process.roles": "broker",
        "node.id": "9",
        "listeners": f"PLAINTEXT://127.0.0.1:{free_port()}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.voters": cluster.voters,
        "log.dirs": str(folder / "d1"),
        "metadata.log.dir": str(folder / "metadata"),
        **{name.replace("_", "."): value for name, value in changes.items()},
    }
    path = folder / "server.properties"
    path.write_text("".join(f"{name}={value}\n" for name, value in lines.items() if value))
    return path


def no_file(path: Path) -> None:
    path.unlink()


def a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def no_text(path: Path) -> None:
    path.write_bytes(b"node.id=\\uZZZZ\n\xff\xfe")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (no_file, "server.properties: No such file or directory"),
        (a_directory, "server.properties: Is a directory"),
        (no_text, "is not a properties file"),
        ({"node_id": ""}, "node.id is missing"),
        ({"node_id": "nine"}, "Invalid value nine for configuration node.id"),
        (
            {"process_roles": "broker,king"},
            "broker,king for configuration process.roles",
        ),
        ({"listeners": "127.0.0.1:9092"}, "write NAME://host:port"),
        ({"log_dirs": ","}, "log.dirs is empty"),
        ({"controller_quorum_voters": "1:9"}, "is not id@host:port"),
        ({}, "is not formatted"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_node_that_cannot_start_says_what_to_change(
    cluster: Local, tmp_path: Path, damage: dict[str, str] | Callable[[Path], None], says: str
) -> None:
    changes = damage if isinstance(damage, dict) else {}
    config = properties(tmp_path, cluster, **changes)
    if not isinstance(damage, dict):
        damage(config)
    done = run("spindle", "broker", "-c", str(config))
    assert (done.code, done.stdout) == (CANNOT_START, ""), done
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.spec("K858-03")
def test_two_directories_with_the_same_id_are_refused(cluster: Local, tmp_path: Path) -> None:
    config = properties(tmp_path, cluster, log_dirs=f"{tmp_path / 'd1'},{tmp_path / 'd2'}")
    paths = [str(tmp_path / name) for name in ("d1", "d2", "metadata")]
    format_blank(OsDisk(), paths, cluster.cluster_id, 9, 0)
    (tmp_path / "d2/meta.properties").write_bytes((tmp_path / "d1/meta.properties").read_bytes())
    done = run("spindle", "broker", "-c", str(config))
    assert done.code == CANNOT_START, done
    assert f"{paths[0]} and {paths[1]} have the same directory.id" in done.stderr
