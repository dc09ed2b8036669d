"""`spindle replicas`: its document, its tables, and how a replica is named."""

from __future__ import annotations

import asyncio
import io
import json
from typing import cast

import pytest

from spindle.cli import accepting, replicas, roll
from spindle.cli.app import main
from spindle.cli.exits import End
from spindle.cli.replicas import ObservedReplicas, _show, document, parse_partition
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused, Unreachable
from spindle.client.results import BadReplica, DoubtfulGap, KeptBadCopy, ReplicaHealth
from spindle.model.errors import Error, Unusable
from spindle.model.ids import TopicPartition

BAD = BadReplica(TopicPartition("orders", 3), "bad CRC at 77", True, "is fetched again")
GAP = DoubtfulGap(TopicPartition("old", 0), 20, 30)
COPY = KeptBadCopy("orders-3.00ff-stray", 4096, 1_700_000_000_000, "bad CRC at 77")
SEEN = ObservedReplicas(
    {1: (ReplicaHealth("/d1", 2, 1_700_000_000_000, 50, 200, (COPY,), (BAD,), (GAP,)),)},
    {2: Unreachable("it is down")},
)
WELL = ObservedReplicas({1: (ReplicaHealth("/d1", 0, 0, 0, 0, (), ()),)}, {})


def test_the_document_tells_all() -> None:
    found = json.loads(json.dumps(document(SEEN)))
    (directory,) = found["logDirs"]
    assert (directory["broker"], directory["logDir"]) == (1, "/d1")
    assert directory["scrub"] == {
        "rounds": 2,
        "lastRoundMs": 1_700_000_000_000,
        "scrubbedBytes": 50,
        "totalBytes": 200,
    }
    assert directory["offline"] == [
        {
            "replica": "orders-3",
            "damaged": True,
            "reason": "bad CRC at 77",
            "outlook": "is fetched again",
        }
    ]
    assert directory["badCopies"][0]["bytes"] == 4096
    assert directory["gaps"] == [{"replica": "old-0", "firstOffset": 20, "nextOffset": 30}]
    assert found["silentBrokers"] == {"2": "it is down"}


def test_the_tables_name_what_is_bad(capsys: pytest.CaptureFixture[str]) -> None:
    _show(SEEN)
    told = " ".join(capsys.readouterr().out.split())
    for word in ("25 %", "orders-3", "bad CRC", "fetched again", "-stray", "20 to 29"):
        assert word in told
    _show(WELL)
    told = capsys.readouterr().out
    assert "no replica is offline on a good disk" in told
    assert "never" in told


WAITS = "no other replica has it: `spindle replicas accept-loss`"


def lost(name: str, damaged: bool = True, outlook: str = WAITS) -> BadReplica:
    topic, _, number = name.rpartition("-")
    return BadReplica(TopicPartition(topic, int(number)), "bad CRC", damaged, outlook)


FOUND = {
    2: (ReplicaHealth("/d2", 0, 0, 0, 0, (), (lost("b-1"), lost("b-0"), BAD)),),
    1: (
        ReplicaHealth("/d1", 0, 0, 0, 0, (), (lost("a-0"), lost("c-0", damaged=False))),
        ReplicaHealth("/d2", 0, 0, 0, 0, (), (lost("d-0"),)),
    ),
}


def test_only_what_waits_for_it_can_be_lost() -> None:
    assert [(x.broker, x.directory, str(x.name)) for x in accepting.losses(FOUND)] == [
        (1, "/d1", "a-0"), (1, "/d2", "d-0"), (2, "/d2", "b-0"), (2, "/d2", "b-1"),
    ]  # fmt: skip
    assert [str(x.name) for x in accepting.losses(FOUND, "/d1/")] == ["a-0"]
    with pytest.raises(Unusable, match="there is no log directory d1; there are: /d1, /d2"):
        accepting.losses(FOUND, "d1")


class Brokers:
    """An AdminClient of brokers that refuse one replica."""

    async def repair_replica(
        self, broker: int, name: TopicPartition, *, accept_loss: bool = False
    ) -> str:
        assert accept_loss
        if str(name) == "d-0":
            raise Unreachable("it is down")
        return f"lost: segment 0 of {broker}"


def test_one_that_fails_does_not_stop_the_others() -> None:
    wanted = accepting.losses(FOUND)
    ended = asyncio.run(accepting.accept(cast("AdminClient", Brokers()), wanted))
    assert [(str(x.loss.name), x.outcome, x.failed) for x in ended] == [
        ("a-0", "lost: segment 0 of 1", False),
        ("d-0", "it is down", True),
        ("b-0", "lost: segment 0 of 2", False),
        ("b-1", "lost: segment 0 of 2", False),
    ]


@pytest.mark.spec("N-06")
def test_a_broker_of_another_program_is_called_one() -> None:
    class Foreign:
        """An AdminClient of Apache Kafka's brokers."""

        async def repair_replica(self, *_: object, **__: object) -> str:
            raise Refused(Error.UNSUPPORTED_VERSION, "RepairReplica", "broker 1")

    with pytest.raises(Unusable, match="broker 1: it is not a broker of Spindle's"):
        asyncio.run(replicas.ordered(cast("AdminClient", Foreign()), 1, BAD.name, False))
    unserved = Refused(Error.UNSUPPORTED_VERSION, "DescribeBadReplicas", "broker 1")
    assert roll.silent_rows({1: replicas.why_silent(unserved)}, 5) == [
        ["1", "(all)", "not Spindle's", "-", "-"]
    ]
    right = Refused(Error.CLUSTER_AUTHORIZATION_FAILED, "DescribeBadReplicas", "broker 1")
    assert replicas.why_silent(right) is right


@pytest.mark.parametrize(
    ("given", "told", "code"),
    [
        (["--all", "1", "a-0"], "name a replica, or give --all", 2),
        (["1"], "name BROKER and TOPIC-PARTITION, or give --all", 2),
        (["1", "a-0", "--log-dir", "/d1"], "goes with --all", 2),
    ],
)
def test_all_and_one_do_not_mix(
    given: list[str], told: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replicas", "accept-loss", "-b", "127.0.0.1:1", *given])
    assert ended.value.code == code
    assert told in " ".join(capsys.readouterr().err.split())


def test_what_would_be_lost_is_shown_first_and_a_no_ends_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One question goes to the broker, what is damaged; no order follows it."""
    asked = []

    def with_admin(bootstrap: object, work: object, **limits: object) -> str:
        asked.append(str(bootstrap))
        return "orders-3 on broker 1: bad CRC at 77"

    monkeypatch.setattr(replicas, "with_admin", with_admin)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    with pytest.raises(SystemExit) as ended:
        main(["replicas", "accept-loss", "-b", "127.0.0.1:1", "1", "orders-3"])
    assert ended.value.code == End.REFUSED
    assert asked == ["127.0.0.1:1"]
    told = capsys.readouterr()
    text = told.err + told.out
    assert text.index("bad CRC at 77") < text.index("Give up the damaged records of orders-3")


@pytest.mark.parametrize("text", ["", "orders", "orders-", "-3", "orders-x", "orders-²"])
def test_what_names_no_replica_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match="TOPIC-PARTITION"):
        parse_partition(text)


def test_a_topic_may_have_dashes() -> None:
    assert parse_partition("a-b-12") == TopicPartition("a-b", 12)
