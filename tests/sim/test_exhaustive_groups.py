"""Every interleaving of a group of KIP-848: members, their coordinator, its log, missed answers
(C-02), and what the same search finds where the code is wrong.

What is searched is the production code itself. Longer forms: `make explore`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from spindle.core.groups import member_reconciliation
from spindle.core.groups.consumer_group import ConsumerGroup
from spindle.core.groups.consumer_group_metadata import ConsumerGroupMetadata
from spindle.core.groups.consumer_values import CurrentRecord
from spindle.core.groups.turns import TurnTaking
from spindle.sim.exhaustive.membership import MembershipSituation
from spindle.sim.exhaustive.membership_bounds import PROMISES, MembershipBounds
from spindle.sim.exhaustive.state_space import SearchReport, explore


def searched(**bounds: int) -> SearchReport:
    """All that can happen within these bounds."""
    return explore(MembershipBounds(**bounds), begin=MembershipSituation)


@pytest.mark.spec("C-02", "C-03")
@pytest.mark.parametrize(
    ("within", "least"),
    [
        ({"losses": 1}, 1500),
        ({"coordinators": 1}, 2500),
        ({"leaves": 1}, 1200),
        ({"growths": 1, "members": 1, "partitions": 1}, 20),
    ],
)
def test_a_group_keeps_its_promises(within: dict[str, int], least: int) -> None:
    report = searched(**within)
    assert report.broken is None, f"{report.broken}"
    assert report.complete
    assert report.rests > 0
    assert report.states >= least
    print(f"{within}: all {report.states} states, {report.steps} steps;", len(PROMISES), "held")


def _gives_what_others_hold(member: Any, target: Any) -> Any:
    return _next(member, replace(target, is_held=lambda topic, number: False))


def _believes_all_is_given_up(owned: Any, held: Any) -> bool:
    return False


def _forgets_what_is_revoked(self: ConsumerGroupMetadata, record: Any) -> None:
    """A batch keeps no partition that its member has yet to give up."""
    if isinstance(record, CurrentRecord) and record.value is not None:
        record = replace(record, value=record.value._replace(revoking={}))
    _apply(self, record)


def _does_not_wait(
    self: TurnTaking,
    records: Any,
    turn: Any,
    then: Callable[[int], None],
    undo: Callable[[], None] = lambda: None,
) -> None:
    """What is appended counts before it is committed."""
    self._append(records, lambda _: None)
    then(0)


def _never_looks(self: ConsumerGroup, names: Any) -> None:
    """No member hears of a topic's new partitions."""


_next = member_reconciliation._next
_apply = ConsumerGroupMetadata.apply


@pytest.mark.spec("C-02")
@pytest.mark.parametrize(
    ("where", "name", "wrong", "within", "what"),
    [
        (member_reconciliation, "_next", _gives_what_others_hold, {}, "hold partition"),
        (member_reconciliation, "_owns", _believes_all_is_given_up, {}, "hold partition"),
        (
            ConsumerGroupMetadata,
            "apply",
            _forgets_what_is_revoked,
            {"coordinators": 1},
            "another group in the log|hold partition",
        ),
        (TurnTaking, "_write", _does_not_wait, {"coordinators": 1}, "was refused|epoch|hold"),
        (
            ConsumerGroup,
            "on_topics_changed",
            _never_looks,
            {"growths": 1, "members": 1},
            "partitions, ",
        ),
    ],
)
def test_the_search_finds_what_is_wrong(
    where: Any,
    name: str,
    wrong: Any,
    within: dict[str, int],
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, name, wrong)
    report = searched(**within)
    assert report.broken is not None
    said, way = report.broken
    assert any(part in said for part in what.split("|")), said
    assert way
