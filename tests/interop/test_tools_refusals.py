"""What the tools say of wrong requests while a cluster runs: Apache Kafka's and ours (N-08).

Both ask one Spindle cluster. Compared are the exit code and the first line. Whatever differs is
listed here: our words say more, and we refuse what Kafka's tool passes over without a word.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.apache_kafka import LOG_DIRS, REASSIGN, ToolResult
from tests.support.kafka_tool_cases import run_cases
from tests.support.local import Local

from spindle.cli import kafka_names

pytestmark = [pytest.mark.kafka, pytest.mark.spec("N-08")]

TOOLS: dict[str, Callable[[Sequence[str] | None], None]] = {
    LOG_DIRS: kafka_names.log_dirs,
    REASSIGN: kafka_names.reassign_partitions,
}


def plan(*partitions: dict[str, Any]) -> dict[str, Any]:
    return {"version": 1, "partitions": list(partitions)}


def part(topic: Any = "t", partition: Any = 0, replicas: Any = (1,), **more: Any) -> dict[str, Any]:
    return {"topic": topic, "partition": partition, "replicas": replicas, **more}


FILES: dict[str, Any] = {
    "good": plan(part()),
    "unknown-topic": plan(part("nope")),
    "unknown-partition": plan(part(partition=7)),
    "unknown-broker": plan(part(replicas=[9])),
    "no-replicas": plan(part(replicas=[])),
    "twice-a-broker": plan(part(replicas=[1, 1])),
    "twice-a-partition": plan(part(), part()),
    "relative-directory": plan(part(log_dirs=["disk"])),
    "no-such-directory": plan(part(log_dirs=["/no/such"])),
    "directories-too-many": plan(part(log_dirs=["any", "any"])),
    "nothing": plan(),
    "version": {"version": 2, "partitions": [part()]},
    "no-version": {"partitions": [part()]},
    "text-for-a-number": plan(part(partition="x")),
    "number-for-a-topic": plan(part(topic=5)),
    "text-for-a-replica": plan(part(replicas=["x"])),
    "text-for-replicas": plan(part(replicas="1")),
    "object-for-partitions": {"version": 1, "partitions": {"t": 0}},
    "no-topic": plan({"partition": 0, "replicas": [1]}),
    "no-partition": plan({"topic": "t", "replicas": [1]}),
    "no-replicas-at-all": plan({"topic": "t", "partition": 0}),
    "a-list": [part()],
    "topics": {"version": 1, "topics": [{"topic": "t"}]},
    "topics-unknown": {"version": 1, "topics": [{"topic": "nope"}]},
    "topics-none": {"version": 1, "topics": []},
    "topics-version": {"version": 2, "topics": [{"topic": "t"}]},
    "topics-text": {"version": 1, "topics": ["t"]},
}
PLANS = [name for name in FILES if not name.startswith(("topics", "good"))]
RATES = ("--throttle", "--replica-alter-log-dirs-throttle", "--timeout")


class Case(NamedTuple):
    """A command line: its tool, what is asked, of which file or brokers, and a wrong option."""

    tool: str
    action: str
    what: str
    option: str = ""

    def arguments(self, at: Sequence[str], folder: Path) -> list[str]:
        """All words of it."""
        file = f"{folder}/{self.what}"
        match self.action:
            case "--describe":
                words = self.what.split("=")
            case "--generate":
                words = ["--topics-to-move-json-file", file, "--broker-list", self.option]
            case _:
                words = ["--reassignment-json-file", file, *filter(None, self.option.split("="))]
        return [*at, self.action, *words]


CASES = [
    *(Case(LOG_DIRS, "--describe", f"--broker-list={brokers}") for brokers in ("9", "x", "1,9")),
    Case(LOG_DIRS, "--describe", "--topic-list=nope"),
    *(Case(REASSIGN, verb, n) for verb in ("--execute", "--verify", "--cancel") for n in PLANS),
    *(Case(REASSIGN, "--execute", "good", f"{o}={value}") for o in RATES for value in ("-5", "x")),
    *(Case(REASSIGN, "--generate", n, "1") for n in FILES if n.startswith("topics-")),
    *(Case(REASSIGN, "--generate", "topics", brokers) for brokers in ("9", "x", "1,1", "")),
]
UNKNOWN = "Error: org.apache.kafka.common.errors.UnknownTopicOrPartitionException: "
WORDS: dict[str, tuple[str, str]] = {
    # Of a file, whatever is asked of it: Kafka's words, and ours.
    "text-for-a-number": (
        'Error: Expected `Integer` value, received "x"',
        'Error: an entry has no "partition" number: '
        '{"topic": "t", "partition": "x", "replicas": [1]}',
    ),
    "number-for-a-topic": (
        "Error: Expected `String` value, received 5",
        'Error: an entry has no "topic" text: {"topic": 5, "partition": 0, "replicas": [1]}',
    ),
    "text-for-a-replica": (
        'Error: Expected `Integer` value, received "x"',
        "Error: replicas of partition t-0: 'x' is not a broker id",
    ),
    "text-for-replicas": (
        'Error: Expected `JSON array` value, received "1"',
        'Error: partition t-0 has no list named "replicas"',
    ),
    "object-for-partitions": (
        'Error: Expected JSON array, received {"t":0}',
        'Error: the document has no list of objects named "partitions"',
    ),
    "no-topic": (
        "Error: No such field exists: `topic`",
        'Error: an entry has no "topic" text: {"partition": 0, "replicas": [1]}',
    ),
    "no-partition": (
        "Error: No such field exists: `partition`",
        'Error: an entry has no "partition" number: {"topic": "t", "replicas": [1]}',
    ),
    "no-replicas-at-all": (
        "Error: No such field exists: `replicas`",
        'Error: partition t-0 has no list named "replicas"',
    ),
    "a-list": (
        'Error: Expected JSON object, received [{"topic":"t","partition":0,"replicas":[1]}]',
        'Error: The input string is not a valid JSON object: write {"partitions": [...]}',
    ),
    # Of one command line.
    "--describe --broker-list=x": (
        'For input string: "x"',
        "broker list: 'x' is not a broker id; write e.g. 1,2,3",
    ),
    "--execute unknown-topic": (f"{UNKNOWN}Topic nope not found.", "Error: Topic nope not found."),
    "--execute unknown-partition": (
        f"{UNKNOWN}Unable to find partition: t-7",
        "Error: Unable to find partition: t-7",
    ),
    "--execute unknown-broker": (
        "Error: Unknown broker id 9",
        "Error: Unknown broker id 9; the brokers are: 1",
    ),
    "--execute no-replicas": (
        "Error: Partition replica list cannot be empty",
        "Error: Partition replica list cannot be empty: t-0",
    ),
    **{
        f"--execute good {option}=x": (
            f"Error: Cannot parse argument 'x' of option {option.removeprefix('--')}",
            f"argument {option}: invalid int value: 'x'",
        )
        for option in RATES
    },
    "--generate topics-unknown 1": (
        f"{UNKNOWN}Topic nope not found.",
        "Error: Topic nope not found.",
    ),
    "--generate topics-text 1": (
        'Error: Expected JSON object, received "t"',
        'Error: the document has no list of objects named "topics"',
    ),
    "--generate topics 9": (
        "Error: All brokers are currently fenced, or have all their log directories cordoned.",
        "Error: Unknown broker id 9; the brokers are: 1",
    ),
    "--generate topics x": (
        'Error: For input string: "x"',
        "Error: broker list: 'x' is not a broker id; write e.g. 1,2,3",
    ),
    "--generate topics 1,1": (
        "Error: Broker list contains duplicate entries: [1]",
        "Error: Broker list contains duplicate entries: 1",
    ),
    "--generate topics": (
        'Error: For input string: ""',
        'Missing required argument "[broker-list]"',
    ),
}
REFUSED = {
    # Kafka's tool goes on and ends with 0; a mistake of the user's would stay unseen.
    "no-replicas": "Error: Partition replica list cannot be empty: t-0",
    "twice-a-broker": "Error: Partition replica lists may not contain duplicate entries:"
    " t-0 contains multiple entries for 1",
    "twice-a-partition": "Error: Partition reassignment contains duplicate topic partitions: t-0",
    "nothing": "Error: Partition reassignment list cannot be empty",
    "topics-none": "Error: the list of topics to move is empty: name at least one",
}
NAMED = {
    # `--verify` and `--cancel` end with 1; ours say in their last line what is unknown.
    "unknown-topic": "Error: Topic nope not found.",
    "unknown-broker": "Error: Unknown broker id 9; the brokers are: 1",
}
IMPATIENT = "default.api.timeout.ms=4000\nrequest.timeout.ms=2000\n"
"""For Kafka's tool, which asks an unknown broker for a minute."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    with Local(tmp_path_factory.mktemp("refusals"), brokers=1) as cluster:
        cluster.start()
        cluster.create_on("t", 0, [1])
        yield cluster


def ours(tool: str, arguments: Sequence[str]) -> ToolResult:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            TOOLS[tool](arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return ToolResult(code, out.getvalue(), err.getvalue())


def lines_of(told: ToolResult) -> list[str]:
    lines = [*told.stdout.splitlines(), *told.stderr.splitlines()]
    return [line for line in lines if line.strip()] or [""]


def test_wrong_requests_end_as_with_kafkas_tools_but_for_what_is_listed(
    cluster: Local, kafka_jars: Path, tmp_path: Path
) -> None:
    for name, document in FILES.items():
        (tmp_path / name).write_text(json.dumps(document))
    (tmp_path / "impatient").write_text(IMPATIENT)
    at = ("--bootstrap-server", cluster.bootstrap)
    hasty = (*at, "--command-config", f"{tmp_path}/impatient")
    asked = [
        (c.tool, *c.arguments(hasty if c.what == "unknown-broker" else at, tmp_path)) for c in CASES
    ]
    differ: dict[str, tuple[str, str]] = {}
    for case, theirs in zip(CASES, run_cases(kafka_jars, asked, 100), strict=True):
        mine = ours(case.tool, case.arguments(at, tmp_path))
        whole = " ".join(filter(None, case[1:]))
        told, kafkas = lines_of(mine), lines_of(theirs)[0]
        if case.action != "--execute" and case.what in REFUSED:
            assert (theirs.code, mine.code, told) == (0, 1, [REFUSED[case.what]]), whole
            continue
        assert mine.code == theirs.code, f"{whole}: {told}, Kafka's: {lines_of(theirs)}"
        if case.action in ("--verify", "--cancel") and case.what in NAMED:
            assert (mine.code, told[-1]) == (1, NAMED[case.what]), whole
        if told[0] != kafkas:
            differ[case.what if case.what in WORDS else whole] = (kafkas, told[0])
    assert differ == WORDS
