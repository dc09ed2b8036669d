"""The process in which tests run Apache Kafka's tools: each answers as in one of its own."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.apache_kafka import JVM, LOG_DIRS, STORAGE, run_tool
from tests.support.clients import values
from tests.support.local import Local
from tests.support.ports import free_port

pytestmark = pytest.mark.kafka

CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
OWN = (*JVM, "-Dtests.own=yes")
"""With these options a tool has a process of its own."""


@pytest.mark.parametrize(
    "words",
    [
        (STORAGE, "random-uuid", "--help"),
        (STORAGE, "no-such-action"),
        (STORAGE, "info", "-c", "/no such\tfile\nat all"),
        (LOG_DIRS, "--describe"),
        (LOG_DIRS, ""),
    ],
)
def test_codes_and_what_is_printed_are_those_of_a_process_of_its_own(
    words: tuple[str, ...], kafka_jars: Path
) -> None:
    told, alone = run_tool(kafka_jars, *words), run_tool(kafka_jars, *words, jvm=OWN)
    assert (told.code, told.stdout) == (alone.code, alone.stdout)
    # What a trace tells of its first callers differs.
    assert told.stderr.partition("\n\tat ")[0] == alone.stderr.partition("\n\tat ")[0]


def test_what_is_read_and_what_a_tool_leaves_for_its_end_count(
    kafka_jars: Path, tmp_path: Path
) -> None:
    """The producer of the console sends its last records when its process ends."""
    with Local(tmp_path, kafka_jars, brokers=1, directories=1) as cluster:
        cluster.start()
        cluster.create("t", [[1]])
        words = (CONSOLE_PRODUCER, "--topic", "t", "--timeout", "100000")
        for _ in range(2):
            cluster.tool(*words, stdin="a\nb\n")
        assert values(cluster.bootstrap, "t") == [b"a", b"b"] * 2


def test_tools_of_several_threads_run_beside_each_other_and_after_them(kafka_jars: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda _: run_tool(kafka_jars, STORAGE, "random-uuid"), range(4)))
    told.append(run_tool(kafka_jars, STORAGE, "random-uuid"))
    assert [done.code for done in told] == [0] * 5
    assert len({done.stdout for done in told}) == 5


def test_a_tool_that_does_not_end_tells_what_it_waits_for_and_the_next_one_runs(
    kafka_jars: Path,
) -> None:
    at = ("--bootstrap-server", f"127.0.0.1:{free_port()}")
    with pytest.raises(subprocess.TimeoutExpired) as late:
        run_tool(kafka_jars, LOG_DIRS, *at, "--describe", seconds=3)
    (note,) = late.value.__notes__
    assert "LogDirsCommand.execute" in note
    assert run_tool(kafka_jars, STORAGE, "random-uuid").code == 0
