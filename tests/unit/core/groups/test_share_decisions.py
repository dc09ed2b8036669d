"""What a share group decides (KIP-932)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.consumer_world import FakeSurroundings, topic_id_of

from spindle.core.groups.consumer_values import ShareGroupLimits
from spindle.core.groups.share_decisions import ShareDraft
from spindle.core.groups.share_group_metadata import ShareGroupMetadata
from spindle.core.groups.share_group_values import ShareBeat

pytestmark = pytest.mark.spec("C-04")


class OnceASecond(FakeSurroundings):
    """Assignments are made once in a second."""

    def share_limits(self, group_id: str) -> ShareGroupLimits:
        return ShareGroupLimits(assignment_interval=1_000)


def beat(epoch: int) -> ShareBeat:
    return ShareBeat(
        group_id="g", member_id="a", epoch=epoch, topics=("t",), client=("client", "host")
    )


@pytest.mark.parametrize(("wall_ms", "assigned"), [(5_000_500, False), (1_000_000, True)])
def test_a_clock_that_was_ahead_keeps_no_group_waiting(wall_ms: int, assigned: bool) -> None:
    """The target was made at 5,000,000 ms, as that coordinator saw it."""
    around = OnceASecond({"t": 2})
    first = ShareDraft(ShareGroupMetadata("g"), around, 5_000_000)
    epoch = first.beat(beat(0), True).epoch
    made = first.initialize(())
    first.settle(made)
    second = ShareDraft(first.group, around, wall_ms)
    answer = second.beat(beat(epoch), False)
    assert (answer.assignment or {}) == ({topic_id_of("t"): (0, 1)} if assigned else {})


def test_a_topic_that_is_gone_is_given_up_before_the_next_target_is_made() -> None:
    """As Apache Kafka's testPartitionAssignmentWithChangingTopics has it: the epoch stays."""
    around = OnceASecond({"t": 2, "u": 1})
    said = replace(beat(0), topics=("t", "u"))
    first = ShareDraft(ShareGroupMetadata("g"), around, 5_000_000)
    epoch = first.beat(said, True).epoch
    first.settle(first.initialize(()))
    second = ShareDraft(first.group, around, 5_001_000)
    answer = second.beat(replace(beat(epoch), topics=None), False)
    assert answer.assignment == {topic_id_of("t"): (0, 1), topic_id_of("u"): (0,)}
    del around.topics["u"]
    third = ShareDraft(second.group, around, 5_001_100)
    told = third.beat(replace(beat(answer.epoch), topics=None), True)
    assert (told.epoch, told.assignment) == (answer.epoch, {topic_id_of("t"): (0, 1)})
    fourth = ShareDraft(third.group, around, 5_002_100)
    later = fourth.beat(replace(beat(answer.epoch), topics=None), False)
    assert later.epoch == answer.epoch + 1
