"""A plan from one sample, without Spark: what it says of devices, silent brokers and names."""

from __future__ import annotations

import pytest
from tests.support.made_samples import NOON, TERA, Logs, directory, log, uneven

from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.sampling import ClusterSample, rows
from spindle.pipeline.single_sample import propose, uses
from spindle.planning.load import Band

EVEN = PlanRequest(Band(0.05, 0.9))
GIGA = 1 << 30


def logs(topic: str, count: int) -> Logs:
    return {TopicPartition(topic, n): log(GIGA) for n in range(count)}


@pytest.mark.spec("P-03", "V-07")
def test_directories_on_one_device_share_its_space() -> None:
    shared = (TERA, TERA // 2)
    found = uses(
        1,
        (
            directory("/b", logs("t", 4), room=shared),
            directory("/a", logs("u", 2), room=(TERA, TERA // 2 - 1000)),
            directory("/c", logs("v", 1), room=(2 * TERA, TERA)),
            directory("/d", {}, online=False, room=None),
        ),
    )
    half = (6 * GIGA + TERA // 2 - 1000) // 2
    assert [(use.path, use.capacity, use.used) for use in found] == [
        ("/a", half, 2 * GIGA),
        ("/b", half, 4 * GIGA),
        ("/c", GIGA + TERA, GIGA),
        ("/d", None, 0),
    ]


@pytest.mark.spec("V-07", "N-06")
def test_brokers_of_which_nothing_can_be_planned_are_named() -> None:
    proposal = propose(uneven(3), EVEN, {})
    assert proposal.moves
    assert proposal.silent == ((6, "nothing listens there"),)
    assert proposal.unplanned == (5, 6)
    assert any(note.startswith("broker 5: nothing is planned: ") for note in proposal.notes)
    assert not any(5 in (move.broker, move.to) for move in proposal.moves)


def test_a_replica_that_is_moving_counts_where_it_goes() -> None:
    name = TopicPartition("t", 0)
    sample = ClusterSample(
        NOON,
        {
            1: (
                directory("/a", logs("t", 2), room=(TERA, TERA - 3 * GIGA)),
                directory("/b", {}, {name: log(1, future=True)}, room=(TERA, TERA - GIGA)),
            )
        },
    )
    assert propose(sample, EVEN, {}).moves == ()


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(Unusable, match="the cluster has no log directory 1:/nowhere"):
        propose(uneven(3), PlanRequest(EVEN.band, ("1:/nowhere",)), {})
    with pytest.raises(Unusable, match="no broker 6 has answered"):
        propose(uneven(3), PlanRequest(EVEN.band, ("6",), between=True), {})


def test_a_silent_broker_and_an_empty_directory_have_a_row_each() -> None:
    assert rows(6, TimeoutError(), NOON) == [
        {"sampled_at": NOON, "broker": 6, "broker_error": "TimeoutError"}
    ]
    (row,) = rows(1, (directory("/a", {}),), NOON)
    assert (row["directory"], row["directory_error"], row.get("topic")) == ("/a", None, None)
