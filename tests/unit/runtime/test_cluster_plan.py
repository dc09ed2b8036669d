"""What a folder says of a local cluster's nodes, in the form of every release."""

import pytest

from spindle.model.errors import Unusable
from spindle.runtime.cluster_plan import ClusterPlan, QuorumKind, new_plan, parse


@pytest.mark.parametrize(
    ("text", "brokers", "controllers", "quorum"),
    [
        ("9 10 11\n", (10, 11), {100: 9}, "static"),
        ("9 10 11\ncontrollers=1\n", (10, 11), {100: 9}, "static"),
        ("9 10 11 12\ncontrollers=3\n", (10,), {100: 9, 101: 11, 102: 12}, "static"),
        ("9 10 11 12\ncontrollers=2 combined\n", (10, 11), {1: 9, 2: 12}, "static"),
        ("9 10 11\ndynamic controllers=100\n", (10, 11), {100: 9}, "dynamic"),
        ("9 10 11 12\ndynamic controllers=104,101\n", (10, 11), {104: 9, 101: 12}, "dynamic"),
        ("9 10 11 12\ndynamic controllers=2,100\n", (10, 11), {2: 9, 100: 12}, "dynamic"),
    ],
)
def test_a_text_says_which_nodes_there_are(
    text: str, brokers: tuple[int, ...], controllers: dict[int, int], quorum: QuorumKind
) -> None:
    plan = parse(text)
    assert plan == ClusterPlan(brokers, controllers, quorum)
    assert parse(plan.text) == plan


@pytest.mark.parametrize("text", ["", "x y\n", "9\nfour\n", "9 10\ndynamic controllers=a\n"])
def test_a_text_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match="does not say where"):
        parse(text)


def test_a_new_cluster_has_its_controllers_first_or_combined() -> None:
    apart = new_plan([9, 10, 11, 12], 2, False, "dynamic")
    assert (apart.brokers, apart.controllers) == ((10, 11), {100: 9, 101: 12})
    assert (apart.is_combined, apart.next_id, apart.free_id) == (False, 102, 102)
    both = new_plan([9, 10, 11, 12], 2, True, "dynamic")
    assert (both.brokers, both.controllers) == ((10, 11), {1: 9, 2: 12})
    assert (both.is_combined, both.next_id, both.free_id) == (True, 100, 100)
    with pytest.raises(Unusable, match="3 of 2 brokers cannot be controllers too"):
        new_plan([9, 10, 11, 12, 13], 3, True, "dynamic")


def test_controllers_come_and_go() -> None:
    plan = new_plan([9, 10, 11, 12, 13], 2, True, "dynamic")
    assert plan.next_id == 3
    assert plan.added(3, 14).removed(1).controllers == {2: 13, 3: 14}
    assert plan.removed(1).next_id == 1
    apart = new_plan([9, 10, 11], 2, False, "dynamic").removed(100)
    assert apart.next_id == 100
