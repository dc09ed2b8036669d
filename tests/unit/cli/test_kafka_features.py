"""`kafka-features`: what it prints, which lines it takes, and what it asks of a cluster."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.support.commands import call_tool
from tests.support.fake_broker import FakeBroker
from tools.messages.entities import make

from spindle.cli import kafka_feature_lines as lines
from spindle.cli.kafka_features import features
from spindle.client.failures import Refused
from spindle.client.results import FeatureMetadata
from spindle.model.errors import Error
from spindle.model.feature_rules import UpgradeType
from spindle.model.ids import VersionRange
from spindle.wire.apis import Key

pytestmark = [pytest.mark.spec("N-04"), pytest.mark.usefixtures("only_idle_time")]

AT = ("--bootstrap-server", "127.0.0.1:1")
TOLD = FeatureMetadata(
    supported={
        "metadata.version": VersionRange(7, 99),
        "group.version": VersionRange(0, 1),
        "a.feature.whose.name.is.longer.than.forty.characters": VersionRange(0, 1),
    },
    finalized={"metadata.version": 30, "group.version": 1},
    epoch=None,
)


def test_features_have_the_columns_of_kafkas_tool() -> None:
    assert lines.feature_lines(TOLD) == [
        "Feature: a.feature.whose.name.is.longer.than.forty.characters  SupportedMinVersion: 0   "
        "             SupportedMaxVersion: 1                FinalizedVersionLevel: 0              "
        "  Epoch: -",
        "Feature: group.version                             SupportedMinVersion: 0                "
        "SupportedMaxVersion: 1                FinalizedVersionLevel: 1                Epoch: -",
        "Feature: metadata.version                          SupportedMinVersion: 3.3-IV3          "
        "SupportedMaxVersion: UNKNOWN 99       FinalizedVersionLevel: 4.3-IV0          Epoch: -",
    ]


def test_documents_have_numbers() -> None:
    found: Any = lines.features_document(TOLD)
    assert json.loads(json.dumps(found)) == found
    assert (found["release"], found["epoch"]) == ("4.3-IV0", None)
    assert found["features"][2] == {
        "feature": "metadata.version",
        "supportedMinVersion": 7,
        "supportedMaxVersion": 99,
        "finalizedVersionLevel": 30,
    }


REFUSAL = Refused(Error.INVALID_UPDATE_VERSION, "UpdateFeatures", "b", "No.")


@pytest.mark.parametrize(
    ("change", "dry_run", "expected"),
    [
        ("upgrade", False, ["Could not upgrade a to 1. No.", "b was upgraded to 2."]),
        ("downgrade", True, ["Can not downgrade a to 1. No.", "b can be downgraded to 2."]),
        ("disable", False, ["Could not disable a. No.", "b was disabled."]),
    ],
)
def test_each_feature_has_a_line(change: str, dry_run: bool, expected: list[str]) -> None:
    outcomes = {"b": None, "a": REFUSAL}
    told = lines.outcome_lines(change, {"a": 1, "b": 2}, outcomes, dry_run=dry_run)
    assert list(told) == expected


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ((), "too few arguments"),
        (("describe",), "You must specify either --bootstrap-controller or --bootstrap-server."),
        (("feature-dependencies",), "argument --feature is required"),
        (
            (*AT, "--bootstrap-controller", "x:1", "describe"),
            "argument --bootstrap-controller: not allowed with argument --bootstrap-server",
        ),
    ],
)
def test_a_wrong_line_is_said_in_one_line(line: tuple[str, ...], words: str) -> None:
    done = call_tool(features, *line)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr == f"Command line error: {words}. Type --help for help.\n"


UP = (*AT, "upgrade")
NONSENSE = [
    ((*AT, "describe", "--node-id=-1"), "Invalid node id -1: must be non-negative."),
    (UP, "You must specify at least one feature to upgrade"),
    ((*AT, "disable"), "You must specify at least one feature to disable"),
    ((*UP, "--feature", "x"), "Can't parse feature=level string x: equals sign not found."),
    ((*UP, "--feature", "x= y"), "Can't parse feature=level string x= y: unable to parse y as a"
     " short."),
    ((*UP, "--feature", "x=99999"), "Can't parse feature=level string x=99999: unable to parse"
     " 99999 as a short."),
    ((*UP, "--feature", "x=0"), "The upgradeType flag should be set to SAFE_DOWNGRADE or"
     " UNSAFE_DOWNGRADE when the provided maxVersionLevel:0 is < 1."),
    ((*AT, "downgrade", "--feature", "x=-1"), "Cannot specify a negative version level."),
    ((*UP, "--feature", "x=1", "--feature", "x=2"), "Feature x was specified more than once."),
    ((*UP, "--metadata", "4.0", "--feature", "metadata.version=25"),
     "Feature metadata.version was specified more than once."),
    ((*UP, "--feature", "=1"), "Provided feature can not be empty."),
    ((*UP, "--release-version", "4.3", "--metadata", "4.3"),
     "Can not specify `release-version` with other feature flags."),
    (("feature-dependencies", "--feature", "x=1"), "Unknown feature: x"),
    (("feature-dependencies", "--feature", "metadata.version=6"), "Unknown metadata.version 6"),
    (("feature-dependencies", "--feature", "group.version=7"),
     "No feature:group.version with feature level 7"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), NONSENSE)
def test_what_makes_no_sense_is_not_asked(line: tuple[str, ...], words: str) -> None:
    done = call_tool(features, *line)
    assert (done.code, done.stderr) == (1, f"{words}\n")


@pytest.mark.parametrize("line", [("version-mapping",), (*UP,), (*AT, "downgrade")])
def test_an_unknown_release_is_answered_with_the_known_ones(line: tuple[str, ...]) -> None:
    done = call_tool(features, *line, "--release-version", "9.9")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith("Unknown metadata.version '9.9'. Supported metadata.version are:")


def test_a_release_maps_to_the_levels_that_kafka_gives_it() -> None:
    told = call_tool(features, "version-mapping", "--release-version", "4.2.1")
    assert (told.code, told.lines()) == (
        0,
        [
            "metadata.version=29 (4.2.1)",
            "kraft.version=1",
            "transaction.version=2",
            "group.version=1",
            "eligible.leader.replicas.version=1",
            "share.version=1",
            "streams.version=1",
        ],
    )
    found = json.loads(call_tool(features, "version-mapping", "--json").stdout)
    assert (found["release"], found["features"]["metadata.version"]) == ("4.3-IV0", 30)


def test_each_feature_has_its_dependencies() -> None:
    wishes = ("eligible.leader.replicas.version=1", "metadata.version=20")
    line = ("feature-dependencies", *(word for wish in wishes for word in ("--feature", wish)))
    assert call_tool(features, *line).lines() == [
        "eligible.leader.replicas.version=1 requires:",
        "    metadata.version=23 (4.0-IV1)",
        "metadata.version=20 (3.8-IV0) has no dependencies.",
    ]
    found = json.loads(call_tool(features, *line, "--json").stdout)
    assert [one["requires"] for one in found["features"]] == [{"metadata.version": 23}, {}]


# -- asking a cluster ----------------------------------------------------------------------------


@contextmanager
def broker(script: Callable[[Any, Any], Any]) -> Iterator[FakeBroker]:
    """A broker that answers UpdateFeatures so."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    fake = FakeBroker(1)
    fake.on(Key.UPDATE_FEATURES, script)
    try:
        asyncio.run_coroutine_threadsafe(fake.__aenter__(), loop).result(10)
        yield fake
    finally:
        asyncio.run_coroutine_threadsafe(fake.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def done(request: Any, types: Any) -> Any:
    return make(types.UpdateFeaturesResponse)


def refused(request: Any, types: Any) -> Any:
    return make(
        types.UpdateFeaturesResponse,
        error_code=Error.INVALID_UPDATE_VERSION,
        error_message="Not now.",
    )


def asked(fake: FakeBroker) -> list[Any]:
    return [entity for key, entity in fake.asked if key == Key.UPDATE_FEATURES]


@pytest.mark.parametrize(
    ("line", "upgrade", "dry_run"),
    [
        (("upgrade", "--feature", "x=1", "--dry-run"), UpgradeType.UPGRADE, True),
        (("downgrade", "--feature", "x=1"), UpgradeType.SAFE_DOWNGRADE, False),
        (("downgrade", "--feature", "x=1", "--unsafe"), UpgradeType.UNSAFE_DOWNGRADE, False),
    ],
)
def test_the_kind_of_change_is_asked_for(
    line: tuple[str, ...], upgrade: UpgradeType, dry_run: bool
) -> None:
    with broker(done) as fake:
        told = call_tool(features, "--bootstrap-server", fake.bootstrap, *line)
    assert (told.code, told.stderr) == (0, "")
    (request,) = asked(fake)
    (update,) = request.feature_updates
    assert (update.feature, update.max_version_level, update.upgrade_type) == ("x", 1, upgrade)
    assert request.validate_only is dry_run


def test_a_refusal_is_that_of_each_feature() -> None:
    line = ("disable", "--feature", "y", "--feature", "x")
    with broker(refused) as fake:
        told = call_tool(features, "--bootstrap-server", fake.bootstrap, *line)
        found = call_tool(features, "--bootstrap-server", fake.bootstrap, *line, "--json")
    assert told.lines() == ["Could not disable x. Not now.", "Could not disable y. Not now."]
    assert (told.code, told.stderr) == (1, "2 out of 2 operation(s) failed.\n")
    assert found.code == 1
    assert json.loads(found.stdout)["features"] == [
        {"feature": "x", "level": 0, "error": "Not now."},
        {"feature": "y", "level": 0, "error": "Not now."},
    ]


def test_the_results_of_older_controllers_are_read_one_by_one() -> None:
    def mixed(request: Any, types: Any) -> Any:
        results = (("x", Error.NONE, None), ("y", Error.INVALID_UPDATE_VERSION, "Not y."))
        return make(
            types.UpdateFeaturesResponse,
            results=tuple(
                make(types.UpdatableFeatureResult, feature=name, error_code=code,
                     error_message=words)
                for name, code, words in results
            ),
        )  # fmt: skip

    with broker(mixed) as fake:
        fake.versions[Key.UPDATE_FEATURES] = (0, 1)
        line = ("upgrade", "--feature", "x=1", "--feature", "y=1")
        told = call_tool(features, "--bootstrap-server", fake.bootstrap, *line)
    assert told.lines() == ["x was upgraded to 1.", "Could not upgrade y to 1. Not y."]
    assert told.code == 1


def test_a_release_leaves_out_what_neither_we_nor_the_cluster_serve() -> None:
    with broker(done) as fake:
        line = ("upgrade", "--release-version", "4.3")
        told = call_tool(features, "--bootstrap-server", fake.bootstrap, *line)
    (request,) = asked(fake)
    wished = {update.feature: update.max_version_level for update in request.feature_updates}
    assert wished["metadata.version"] == 30
    assert wished["kraft.version"] == 1
    assert "streams.version" not in wished
    assert told.stderr == ("streams.version is left out: this cluster does not support level 1\n")


def test_the_deprecated_flag_is_said_and_obeyed() -> None:
    with broker(done) as fake:
        line = ("--bootstrap-server", fake.bootstrap, "upgrade", "--metadata", "4.0")
        told = call_tool(features, *line)
        document = call_tool(features, *line, "--json")
    assert told.lines() == [
        " `metadata` flag is deprecated and may be removed in a future release.",
        "metadata.version was upgraded to 25.",
    ]
    assert json.loads(document.stdout)["change"] == "upgrade"
    assert "deprecated" in document.stderr
