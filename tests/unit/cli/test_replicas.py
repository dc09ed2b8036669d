"""`spindle replicas`: its document, its tables, and how a replica is named."""

from __future__ import annotations

import pytest

from spindle.cli.replicas import Seen, _show, document, parse_partition
from spindle.client.failures import Unreachable
from spindle.client.results import BadReplica, KeptBadCopy, ReplicaHealth
from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition

BAD = BadReplica(TopicPartition("orders", 3), "bad CRC at 77", True, "is fetched anew")
COPY = KeptBadCopy("orders-3.00ff-stray", 4096, 1_700_000_000_000, "bad CRC at 77")
SEEN = Seen(
    {1: (ReplicaHealth("/d1", 2, 1_700_000_000_000, 50, 200, (COPY,), (BAD,)),)},
    {2: Unreachable("it is down")},
)
WELL = Seen({1: (ReplicaHealth("/d1", 0, 0, 0, 0, (), ()),)}, {})


def test_the_document_tells_all() -> None:
    found = document(SEEN)
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
            "outlook": "is fetched anew",
        }
    ]
    assert directory["badCopies"][0]["bytes"] == 4096
    assert found["silentBrokers"] == {"2": "it is down"}


def test_the_tables_name_what_is_bad(capsys: pytest.CaptureFixture[str]) -> None:
    _show(SEEN)
    told = " ".join(capsys.readouterr().out.split())
    for word in ("25 %", "orders-3", "bad CRC", "fetched anew", "-stray"):
        assert word in told
    _show(WELL)
    told = capsys.readouterr().out
    assert "no replica is offline on a good disk" in told
    assert "never" in told


@pytest.mark.parametrize("text", ["", "orders", "orders-", "-3", "orders-x", "orders-²"])
def test_what_names_no_replica_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match="TOPIC-PARTITION"):
        parse_partition(text)


def test_a_topic_may_have_dashes() -> None:
    assert parse_partition("a-b-12") == TopicPartition("a-b", 12)
