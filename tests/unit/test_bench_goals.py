"""What the bench asks for, and what it can tell without a broker: targets, requests, growth."""

from __future__ import annotations

import itertools
import re
import resource
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench import beside, four_moves, partition_counts, raw_clients, raw_requests, serving
from bench.options import QUICK, parsed
from bench.plan import shared_measures
from bench.raw_clients import API_VERSIONS_VERSION, METADATA_VERSION, answered, frame_of
from bench.raw_link import Link, percentile
from bench.report import Table, render
from bench.sections import OF_GOALS, SECTIONS, wanted
from bench.targets import OWN, TARGETS

from spindle.wire.apis import Key
from spindle.wire.framing import decode_header

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def test_what_shares_clusters_stands_in_the_order_of_the_sections() -> None:
    names = [measure.name for measure in shared_measures(parsed([]))]
    assert names == [name for name in SECTIONS if name in names]
    assert names == list(beside.SECTIONS)


def test_goals_are_all_sections_but_those_of_other_trades() -> None:
    assert wanted("goals") == list(OF_GOALS)
    assert set(SECTIONS) - set(OF_GOALS) == {"planner", "sources", "hostile"}
    assert wanted("goals,planner") == ["planner", *OF_GOALS]
    assert wanted("small") == ["small", "small-single"]


def test_every_section_is_described() -> None:
    text = DOCUMENT.read_text()
    assert [name for name in SECTIONS if not re.search(rf"^\| `{name}` \|", text, re.M)] == []


def test_a_quick_run_is_short_and_is_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    options = parsed(["--quick", "--window", "7"])
    assert (options.rounds, options.window, options.partitions) == (1, 7, (50, 100))
    assert vars(options).keys() >= QUICK.keys()
    for words, why in (
        (["--quick", "--write", "x.md"], "--quick: its figures say nothing"),
        (["--only", "nothing"], "--only: no section is called like 'nothing'"),
        (["--partitions", "0"], "a cluster has one partition at least"),
        (["--only", "partitions,start", "--alone"], "--alone: only partitions are measured"),
    ):
        with pytest.raises(SystemExit):
            parsed(words)
        assert why in capsys.readouterr().err


def test_counts_of_partitions_grow() -> None:
    assert parsed([]).partitions == (2_000, 10_000)
    assert parsed(["--partitions", "50000,2000"]).partitions == (2_000, 50_000)
    assert serving.topics_of(2_500, "many") == {"many-0": 1000, "many-1000": 1000, "many-2000": 500}


def test_growth_is_that_of_a_figure_beside_that_of_the_partitions() -> None:
    before = {"RSS MB": 100.0, "idle CPU cores": 0.0}
    after = {"RSS MB": 200.0, "idle CPU cores": 0.1}
    figure = "10000 beside 2000 partitions: RSS MB, growth / linear"
    assert partition_counts.grown(2_000, 10_000, before, after) == {figure: 0.4}
    assert OWN[figure] == ("<=", 1.0)


def test_a_machine_that_lets_a_process_open_too_little_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 20_000))
    with pytest.raises(AssertionError, match="may open 20000 files here; 50000 partitions take"):
        partition_counts.allowed(50_000)


def test_figures_of_spindle_alone_replace_none_beside_apache_kafka() -> None:
    assert parsed(["--only", "partitions", "--alone"]).alone
    assert partition_counts.named(2_000, "RSS MB", True) == "2000 partitions, alone: RSS MB"
    assert partition_counts.named(2_000, "RSS MB", True) not in TARGETS


def test_each_figure_of_the_goals_has_its_target() -> None:
    asked = {
        **dict.fromkeys(four_moves.AT_REST.values(), 0.9),
        four_moves.BESIDE_LOAD: 0.5,
        "leader's disk fails: gap s": 0.2,
        "broker is killed: gap s": 1.0,
    }
    assert {figure: OWN[figure][1] for figure in asked} == asked
    ratios = {
        "produce MB/s": 2.0,
        "produce MB/s, 1 replica": 1.2,
        "small requests/s": 2.0,
        "latency p99 ms": 0.3,
        raw_requests.LEADING: 1.0,
        "start to the first record s": 0.15,
        "restart with 1000 partitions, SIGKILL: all served after s": 0.15,
        "memory MB": 0.2,
        "50000 partitions: idle CPU cores": 1.0,
    }
    assert {figure: TARGETS[figure][1] for figure in ratios} == ratios
    table: Table = {"memory MB": {"spindle": [30.0], "kafka": [100.0]}}
    assert "| memory MB | 30 | 100 | 0.3 | ratio <= 0.2 | MISSED | 1 |" in render(table, "x", "y")


def test_raw_requests_are_what_they_are_called() -> None:
    for what, key, version in (
        ("metadata", Key.METADATA, METADATA_VERSION),
        ("api-versions", Key.API_VERSIONS, API_VERSIONS_VERSION),
    ):
        frame = frame_of(what, "t")
        assert struct.unpack_from(">i", frame)[0] == len(frame) - 4
        header, _ = decode_header(frame[4:])
        assert (header.api_key, header.version) == (key, version)


def test_raw_clients_count_answers_that_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = itertools.count()  # A second passes from one look for answers to the next.
    monkeypatch.setattr(raw_clients, "time", SimpleNamespace(monotonic=lambda: next(looks)))
    with _answering(pieces=(b"\x00\x00\x00\x08\x00", b"\x00\x00\x01abcd")) as port:
        told = answered(frame_of("metadata", "t"), port, 3, 24)
        # Each look finds one or two pieces on one to three of the connections.
        assert 10 <= told["requests"] <= 3 * 23
        assert told["requests_per_s"] == told["requests"] / 24
        with Link(port) as link:
            assert link.seconds(frame_of("metadata", "t")) > 0


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(n) for n in range(100, 0, -1)]
    assert percentile(values, 99) == 100.0
    assert percentile(values, 50) == 51.0
    assert percentile([3.0], 99) == 3.0


@contextmanager
def _answering(pieces: tuple[bytes, ...]) -> Iterator[int]:
    """A server that answers each request with these bytes."""

    def serve(link: socket.socket) -> None:
        with link, suppress(ConnectionError):  # The client hangs up without the last answer.
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while link.recv(1 << 16):
                for piece in pieces:
                    link.sendall(piece)

    def accept() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            links.append(threading.Thread(target=serve, args=(link,), daemon=True))
            links[-1].start()

    links: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        for ended in (thread, *links):
            ended.join()
