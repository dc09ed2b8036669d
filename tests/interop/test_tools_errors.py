"""Wrong command lines, word for word: Apache Kafka's tools and ours, exit codes included (N-08).

No cluster runs: nothing here gets as far as asking one. All of Kafka's answers come from one
process, ours from this one.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from tests.support.apache_kafka import LOG_DIRS, METADATA_QUORUM, REASSIGN, STORAGE, ToolResult
from tests.support.kafka_tool_cases import run_cases

from spindle.cli import kafka_names
from spindle.cli.kafka_features import features
from spindle.cli.kafka_metadata_quorum import metadata_quorum

pytestmark = [pytest.mark.kafka, pytest.mark.spec("N-08")]

QUORUM = METADATA_QUORUM
FEATURES = "org.apache.kafka.tools.FeatureCommand"
CLUSTER = "U3BpbmRsZVRlc3RzMDAwMQ"
TOOLS: dict[str, Callable[[Sequence[str] | None], None]] = {
    LOG_DIRS: kafka_names.log_dirs,
    FEATURES: features,
    METADATA_QUORUM: metadata_quorum,
    REASSIGN: kafka_names.reassign_partitions,
    STORAGE: kafka_names.storage,
}
PROPERTIES = """node.id=1
process.roles=broker,controller
listeners=PLAINTEXT://127.0.0.1:19999,CONTROLLER://127.0.0.1:19998
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:19998
log.dirs=DIRS
"""
AT = ("--bootstrap-server", "127.0.0.1:1")
UP = (*AT, "upgrade")
FORMAT = ("format", "-c", "FOLDER/node.properties", "-t", CLUSTER)

Case = tuple[str, tuple[str, ...], str]
CASES: list[Case] = [
    # The tool, its arguments, and what both must say, on the same stream.
    (STORAGE, (), "kafka-storage: error: too few arguments"),
    (STORAGE, ("nonsense",), "kafka-storage: error: invalid choice: 'nonsense' (choose from 'info',"
     " 'format', 'version-mapping', 'feature-dependencies', 'random-uuid')"),
    (STORAGE, ("info",), "kafka-storage: error: argument --config/-c is required"),
    (STORAGE, ("format",), "is required"),  # Kafka's names one of the two, ours the other.
    (STORAGE, FORMAT[:3], "kafka-storage: error: argument --cluster-id/-t is required"),
    (STORAGE, (*FORMAT, "--nope"), "kafka-storage: error: unrecognized arguments:"),
    (STORAGE, ("random-uuid", "x"), "kafka-storage: error: unrecognized arguments:"),
    (STORAGE, ("info", "-c", "FOLDER/missing"), "FOLDER/missing"),
    (STORAGE, ("format", "-c", "FOLDER/missing", "-t", CLUSTER), "FOLDER/missing"),
    (STORAGE, ("info", "-c", "FOLDER/without.properties"), "node.id"),
    (STORAGE, ("format", "-c", "FOLDER/without.properties", "-t", CLUSTER), "node.id"),
    (STORAGE, (*FORMAT, "-f", "x"), "Can't parse feature=level string x: equals sign not found."),
    (STORAGE, (*FORMAT, "-f", "x=1"), "Unsupported feature: x. Supported features are: "),
    (STORAGE, (*FORMAT, "-f", "transaction.version=9"),
     "No feature:transaction.version with feature level 9"),
    (STORAGE, (*FORMAT, "-f", "transaction.version=x"),
     "Can't parse feature=level string transaction.version=x: unable to parse x as a short."),
    (STORAGE, (*FORMAT, "-r", "9.9"), "Unknown metadata.version '9.9'."),
    (STORAGE, ("version-mapping", "-r", "9.9"), "Unknown metadata.version '9.9'."),
    (STORAGE, ("feature-dependencies",), "kafka-storage: error: argument --feature/-f is required"),
    (STORAGE, ("feature-dependencies", "-f", "x=1"), "Unknown feature: x"),
    (STORAGE, ("feature-dependencies", "-f", "metadata.version=99"), "Unknown metadata.version 99"),
    (STORAGE, ("feature-dependencies", "-f", "transaction.version"),
     "Invalid feature format: transaction.version. Expected format: 'feature=version'"
     " (e.g. 'group.version=1')"),
    (STORAGE, ("feature-dependencies", "-f", "transaction.version=x"),
     "Invalid version format: x for feature transaction.version"),
    (STORAGE, ("feature-dependencies", "-f", "transaction.version=9"),
     "Feature level 9 is not supported for feature transaction.version"),
    (LOG_DIRS, (), "This tool helps to query log directory usage on the specified brokers."),
    (LOG_DIRS, ("--describe",), 'Missing required argument "[bootstrap-server]"'),
    (LOG_DIRS, AT, 'Missing required argument "[describe]"'),
    (LOG_DIRS, ("--nope",), "nope is not a recognized option"),
    (LOG_DIRS, (*AT, "--describe", "--command-config", "FOLDER/missing"), "FOLDER/missing"),
    (REASSIGN, (), "This tool helps to move topic partitions between replicas."),
    (REASSIGN, ("--nope",), "nope is not a recognized option"),
    (REASSIGN, ("--list",), "Please specify either --bootstrap-server or --bootstrap-controller"),
    (REASSIGN, (*AT, "--bootstrap-controller", "127.0.0.1:2", "--list"),
     "Please don't specify both --bootstrap-server and --bootstrap-controller"),
    (REASSIGN, (*AT, "--list", "--verify"), "Command must include exactly one action: --generate,"
     " --execute, --verify, --cancel, --list"),
    (REASSIGN, (*AT, "--generate"), 'Missing required argument "[topics-to-move-json-file]"'),
    (REASSIGN, (*AT, "--execute"), 'Missing required argument "[reassignment-json-file]"'),
    (REASSIGN, (*AT, "--cancel"), 'Missing required argument "[reassignment-json-file]"'),
    (REASSIGN, (*AT, "--verify", "--reassignment-json-file", "x", "--throttle", "5"),
     'Option "[throttle]" can\'t be used with action "[verify]"'),
    (REASSIGN, (*AT, "--verify", "--reassignment-json-file", "FOLDER/missing"),
     "Error: Unable to read file FOLDER/missing"),
    (QUORUM, (), "kafka-metadata-quorum: error: too few arguments"),
    (QUORUM, AT, "kafka-metadata-quorum: error: too few arguments"),
    (QUORUM, ("describe", "--status"), "is required"),
    (QUORUM, (*AT, "--bootstrap-controller", "x:1", "describe"),
     "argument --bootstrap-controller: not allowed with argument --bootstrap-server"),
    (QUORUM, (*AT, "describe"),
     "One of --status or --replication must be specified with describe sub-command"),
    (QUORUM, (*AT, "describe", "--status", "--replication"),
     "Only one of --status or --replication should be specified with describe sub-command"),
    (QUORUM, (*AT, "describe", "--status", "--human-readable"),
     "The option --human-readable is only supported along with --replication"),
    (QUORUM, (*AT, "--command-config", "FOLDER/missing", "describe", "--status"),
     "FOLDER/missing"),
    (QUORUM, (*AT, "add-controller"), "You must supply the configuration file of the controller"
     " you are adding when using add-controller."),
    (QUORUM, (*AT, "--command-config", "FOLDER/without.properties", "add-controller"),
     "node.id not found in configuration file. Is this a valid controller configuration file?"),
    (QUORUM, (*AT, "--command-config", "FOLDER/node.properties", "add-controller"),
     "Unable to read meta.properties from FOLDER/d1"),
    (QUORUM, (*AT, "remove-controller", "-i", "5"),
     "kafka-metadata-quorum: error: argument --controller-directory-id/-d is required"),
    (QUORUM, (*AT, "remove-controller", "-i", "-1", "-d", "x"),
     "Invalid negative --controller-id: -1"),
    (QUORUM, (*AT, "remove-controller", "-i", "5", "-d", "x"),
     "Failed to parse --controller-directory-id: "),
    (FEATURES, (), "Command line error: too few arguments. Type --help for help."),
    (FEATURES, AT, "Command line error: too few arguments. Type --help for help."),
    (FEATURES, ("nonsense",), "Command line error: invalid choice: 'nonsense' (choose from"
     " 'describe', 'upgrade', 'downgrade', 'disable', 'version-mapping', 'feature-dependencies')."
     " Type --help for help."),
    (FEATURES, ("describe",), "Command line error: You must specify either --bootstrap-controller"
     " or --bootstrap-server.. Type --help for help."),
    (FEATURES, (*AT, "--bootstrap-controller", "x:1", "describe"), "Command line error: argument"
     " --bootstrap-controller: not allowed with argument --bootstrap-server. Type --help for"
     " help."),
    (FEATURES, (*AT, "describe", "--nope"), "Command line error: unrecognized arguments:"),
    (FEATURES, (*AT, "describe", "--node-id", "x"), "Command line error: argument --node-id:"),
    (FEATURES, (*AT, "describe", "--node-id=-1"), "Invalid node id -1: must be non-negative."),
    (FEATURES, (*AT, "--command-config", "FOLDER/missing", "describe"), "FOLDER/missing"),
    (FEATURES, UP, "You must specify at least one feature to upgrade"),
    (FEATURES, (*AT, "downgrade"), "You must specify at least one feature to downgrade"),
    (FEATURES, (*AT, "disable"), "You must specify at least one feature to disable"),
    (FEATURES, (*UP, "--feature"), "Command line error: argument --feature: expected one argument"),
    (FEATURES, (*UP, "--feature", "x"), "Can't parse feature=level string x: equals sign not"
     " found."),
    (FEATURES, (*UP, "--feature", " x = y "), "Can't parse feature=level string x = y : unable to"
     " parse y as a short."),
    (FEATURES, (*UP, "--feature", "x=32768"), "unable to parse 32768 as a short."),
    (FEATURES, (*UP, "--feature", "x=0", "--feature", "y"), "The upgradeType flag should be set to"
     " SAFE_DOWNGRADE or UNSAFE_DOWNGRADE when the provided maxVersionLevel:0 is < 1."),
    (FEATURES, (*AT, "downgrade", "--feature", "x=-1"), "Cannot specify a negative version level."),
    (FEATURES, (*UP, "--feature", "x=+1", "--feature", "x=2"), "Feature x was specified more than"
     " once."),
    (FEATURES, (*AT, "disable", "--feature", "x", "--feature", "x"), "Feature x was specified more"
     " than once."),
    (FEATURES, (*UP, "--feature", "=1"), "Provided feature can not be empty."),
    (FEATURES, (*UP, "--metadata", "4.0", "--feature", "metadata.version=25"), "Feature"
     " metadata.version was specified more than once."),
    (FEATURES, (*UP, "--metadata", "9.9"), "Unknown metadata.version '9.9'. Supported"
     " metadata.version are: 3.3-IV3, 3.4-IV0,"),
    (FEATURES, (*UP, "--release-version", "9.9"), "Unknown metadata.version '9.9'. Supported"),
    (FEATURES, (*UP, "--release-version", "4.0", "--metadata", "4.0"), "Can not specify"
     " `release-version` with other feature flags."),
    (FEATURES, ("version-mapping", "--release-version", "9.9"), "Unknown metadata.version '9.9'."
     " Supported metadata.version are: 3.3-IV3, 3.4-IV0,"),
    (FEATURES, ("feature-dependencies",), "Command line error: argument --feature is required."
     " Type --help for help."),
    (FEATURES, ("feature-dependencies", "--feature", "x=1"), "Unknown feature: x"),
    (FEATURES, ("feature-dependencies", "--feature", "metadata.version=6"), "Unknown"
     " metadata.version 6"),
    (FEATURES, ("feature-dependencies", "--feature", "share.version=7"), "No feature:share.version"
     " with feature level 7"),
]  # fmt: skip
MAPPINGS = [(), ("4.0-IV3",), ("3.9",), ("3.3",)]
DEPENDENCIES = [
    ("eligible.leader.replicas.version=1",),
    ("transaction.version=2", "metadata.version=20"),
    ("kraft.version=0", "group.version=0", "kraft.version=1"),
]
NOT_SERVED = ("streams.version=",)


def named(option: str, values: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for value in values for word in (option, value))


TOLD: list[tuple[str, ...]] = [
    *(("version-mapping", *named("-r", release)) for release in MAPPINGS),
    *(("feature-dependencies", *named("-f", wishes)) for wishes in DEPENDENCIES),
]
RELEASES = [*MAPPINGS, ("4.2.1",), ("4.1-IV0",), ("4.3",)]
LEVELS = [*DEPENDENCIES, ("streams.version=1", "metadata.version=30", "share.version=0")]
TOLD_OF_ALL: list[tuple[str, ...]] = [
    *(("version-mapping", *named("--release-version", release)) for release in RELEASES),
    *(("feature-dependencies", *named("--feature", wishes)) for wishes in LEVELS),
]
"""Of `kafka-features`, which also tells what is not served here."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Properties of a node, whole and without its id."""
    folder = tmp_path_factory.mktemp("errors")
    text = PROPERTIES.replace("DIRS", f"{folder}/d1,{folder}/d2")
    (folder / "node.properties").write_text(text)
    (folder / "without.properties").write_text(text.replace("node.id=1\n", ""))
    return folder


@pytest.fixture(scope="module")
def theirs(folder: Path, kafka_jars: Path) -> Iterator[ToolResult]:
    """What Kafka's tools answer, case by case."""
    lines = [(tool, *arguments) for tool, arguments, _ in CASES]
    lines += [(STORAGE, *arguments) for arguments in TOLD]
    lines += [(FEATURES, *arguments) for arguments in TOLD_OF_ALL]
    lines = [tuple(word.replace("FOLDER", str(folder)) for word in line) for line in lines]
    return iter(run_cases(kafka_jars, lines, 240))


def ours(tool: str, arguments: Sequence[str]) -> ToolResult:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            TOOLS[tool](arguments)
        except SystemExit as end:
            code = int(end.code or 0)
    return ToolResult(code, out.getvalue(), err.getvalue())


def test_wrong_command_lines_are_reported_as_kafka_does(
    folder: Path, theirs: Iterator[ToolResult]
) -> None:
    different = []
    for tool, arguments, words in CASES:
        words = words.replace("FOLDER", str(folder))
        kafkas = next(theirs)
        spindles = ours(tool, [word.replace("FOLDER", str(folder)) for word in arguments])
        for name, told in (("Kafka's", kafkas), ("ours", spindles)):
            stream = told.stdout if words.startswith("Error: ") else told.stderr
            if told.code != 1 or words not in " ".join(stream.split()):
                different.append((name, tool, arguments, told))
        assert "Traceback" not in spindles.stderr
    assert not different
    assert sorted(os.listdir(folder)) == ["node.properties", "without.properties"]
    for arguments in TOLD:
        kafkas, spindles = next(theirs), ours(STORAGE, arguments)
        assert spindles.code == kafkas.code == 0
        # Spindle reports what it does not serve by its own level: 0.
        served = [line for line in kafkas.lines() if not line.startswith(NOT_SERVED)]
        assert [line for line in spindles.lines() if not line.startswith(NOT_SERVED)] == served
        assert [line.partition("=")[0] for line in spindles.lines()] == [
            line.partition("=")[0] for line in kafkas.lines()
        ]
    for arguments in TOLD_OF_ALL:
        kafkas, spindles = next(theirs), ours(FEATURES, arguments)
        assert (spindles.code, spindles.stdout) == (kafkas.code, kafkas.stdout), arguments


def test_an_empty_cluster_id_is_refused(folder: Path) -> None:
    # Kafka's tool takes it, and makes directories that no cluster's tells from any other's.
    told = ours(STORAGE, (*FORMAT[:2], str(folder / "node.properties"), "-t", ""))
    assert (told.code, told.stdout) == (1, "")
    assert "the cluster id is empty: make one with random-uuid" in told.stderr
