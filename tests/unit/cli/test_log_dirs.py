"""The document and the table of log directories, from values."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from spindle.cli import replicas
from spindle.cli.disks import ordering as disks
from spindle.cli.log_dirs import DescribedLogDirs, _show, ask, document, narrowed
from spindle.cli.roll import DOWN, silent_rows
from spindle.client.admin import AdminClient
from spindle.client.cluster import NoSuchBroker
from spindle.client.failures import Refused, Unreachable
from spindle.client.results import LogDescription, LogDirDescription
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

A0, B1 = TopicPartition("a", 0), TopicPartition("b-c", 1)
FOUND = DescribedLogDirs(
    {
        1: (
            LogDirDescription(
                "/d1", Error.NONE, 1000, 400, False, {A0: LogDescription(10, 0, False)}, {}
            ),
            LogDirDescription(
                "/d2", Error.NONE, 1000, 400, True, {B1: LogDescription(7, 2, False)},
                {A0: LogDescription(4, 6, True)},
            ),
            LogDirDescription("/d3", Error.KAFKA_STORAGE_ERROR, None, None, False, {}, {}),
            LogDirDescription("/d4", Error.UNKNOWN_SERVER_ERROR, None, None, False, {}, {}),
        )
    },
    {2: Unreachable("it is down")},
)  # fmt: skip


def _as_json(of: dict[str, object]) -> Any:
    return json.loads(json.dumps(of))


@pytest.mark.spec("K113-21")
def test_the_document_is_kafkas() -> None:
    (broker,) = _as_json(document(FOUND))["brokers"]
    assert broker["broker"] == 1
    one, two, three, four = broker["logDirs"]
    assert one == {
        "partitions": [{"partition": "a-0", "size": 10, "offsetLag": 0, "isFuture": False}],
        "error": None,
        "logDir": "/d1",
    }
    assert [p["partition"] for p in two["partitions"]] == ["b-c-1", "a-0"]
    assert [p["isFuture"] for p in two["partitions"]] == [False, True]
    assert three["error"] == "org.apache.kafka.common.errors.KafkaStorageException"
    assert four["error"] == "org.apache.kafka.common.errors.UnknownServerException"
    assert document(FOUND)["version"] == 1
    assert document(FOUND, more=True)["silentBrokers"] == {"2": "it is down"}
    assert _as_json(document(FOUND, more=True))["brokers"][0]["logDirs"][1]["isCordoned"] is True


@pytest.mark.spec("K113-21")
def test_topics_and_directories_narrow_it() -> None:
    (directories,) = narrowed(FOUND, ["b-c"], []).brokers.values()
    assert [sorted(map(str, d.current)) for d in directories] == [[], ["b-c-1"], [], []]
    assert not any(d.future for d in directories)
    (directories,) = narrowed(FOUND, [], ["/d3", "/d1"]).brokers.values()
    assert [d.path for d in directories] == ["/d1", "/d3"]


@pytest.mark.spec("K113-21")
def test_the_table_shows_states_space_and_moves(capsys: pytest.CaptureFixture[str]) -> None:
    _show(FOUND)
    lines = capsys.readouterr().out.splitlines()

    def row(text: str) -> str:
        (found,) = (line for line in lines if text in line)
        return found

    assert "online, cordoned" in row("online, cordoned")
    dead = row("offline (KAFKA_STORAGE_ERROR)")
    assert "/d3" in dead
    assert dead.split()[-5:] == ["-"] * 5, "what an offline directory has is unknown, not nothing"
    move = row("a-0-1")
    assert "/d1" in move
    assert "/d2" in move
    assert "40%" in move


class Settled:
    """What an AdminClient's answers by broker are, once they are there."""

    def __init__(self, answers: dict[int, Any]) -> None:
        self._answers = answers

    async def settled(self) -> dict[int, Any]:
        return self._answers


class Leaving:
    """A cluster whose broker 3 is there when the commands begin, and not when it is asked."""

    async def describe_cluster(self) -> Any:
        return SimpleNamespace(brokers={1: None, 3: None})

    async def registered_brokers(self) -> list[int]:
        return [1, 3]

    def _asked(self, brokers: Sequence[int]) -> Settled:
        return Settled({1: (), 3: NoSuchBroker("there is no broker 3; the brokers are: 1")})

    describe_log_dirs = describe_disks = describe_bad_replicas = _asked


@pytest.mark.spec("N-06")
def test_of_a_broker_that_leaves_meanwhile_it_is_not_said_that_there_is_none() -> None:
    admin = cast("AdminClient", Leaving())
    for look in (
        lambda: ask(admin, [1, 3]),
        lambda: disks.look(admin, []),
        lambda: replicas._ask(admin, []),
    ):
        silent = asyncio.run(cast("Any", look)()).silent
        assert {b: str(why) for b, why in silent.items()} == {
            3: "it is down: it left the cluster while it was asked"
        }
        assert [row[2] for row in silent_rows(silent, 4)] == [DOWN]


@pytest.mark.spec("N-06", "V-08")
def test_a_broker_that_refuses_has_answered() -> None:
    refusal = Refused(Error.CLUSTER_AUTHORIZATION_FAILED, "DescribeLogDirs", "broker 1 (h:1)")
    assert silent_rows({1: refusal}, 4) == [["1", "(all)", "refused", "-"]]
