"""Voters join and leave a quorum whose log says which they are (KIP-853)."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from tests.unit.core.raft.quorum import FakeNode, Quorum
from tests.unit.core.raft.quorum_disk import Disk, batch, directory_of

from spindle.core.raft.voter_history import VoterHistory
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_LEVELS
from spindle.model.ids import Endpoint, VersionRange
from spindle.model.quorum_voters import (
    DYNAMIC,
    KRaftVersion,
    QuorumAt,
    Voter,
    VoterKey,
    Voters,
    static_voters,
)

pytestmark = pytest.mark.spec("C-05")


def voter(id: int, disk: int = 0) -> Voter:
    return Voter(id, directory_of(id, disk), (), KRAFT_LEVELS)


def voters(*ids: int) -> Voters:
    return Voters(tuple(voter(id) for id in ids))


def change(quorum: Quorum, what: Voter | VoterKey) -> Refusal | None:
    """Ask the leader for a change, and wait for its answer."""
    leader = quorum.await_leader()
    said: list[Refusal | None] = []
    leader.ask_change(what, said.append)
    assert quorum.run(10, lambda: bool(said)), "no answer"
    return said[0]


def settled(quorum: Quorum, *ids: int) -> bool:
    """Whether each of these nodes knows that they are the voters."""
    return all(quorum.nodes[id].raft.state.voters == ids for id in ids)


def alone(observers: int = 2, seed: int = 1) -> Quorum:
    """Node 1 is the only voter; its log is not empty any more."""
    quorum = Quorum(1, seed, observers, dynamic=True)
    quorum.await_leader()
    quorum.run(2)
    return quorum


def test_a_quorum_begins_as_it_was_formatted_and_grows_by_one_at_a_time() -> None:
    quorum = alone()
    assert change(quorum, voter(2)) is None
    assert change(quorum, voter(3)) is None
    assert quorum.run(5, lambda: settled(quorum, 1, 2, 3))
    quorum.kill(1)
    assert quorum.await_leader().me in (2, 3)


def test_one_change_at_a_time() -> None:
    quorum = alone()
    leader = quorum.await_leader()
    said: list[Refusal | None] = []
    leader.ask_change(voter(2), said.append)
    leader.ask_change(voter(3), said.append)
    refused = said.pop()
    assert refused is not None
    assert refused.error == Error.REQUEST_TIMED_OUT
    assert quorum.run(5, lambda: said == [None])


@pytest.mark.parametrize(
    ("what", "error"),
    [
        (voter(1), Error.DUPLICATE_VOTER),
        (voter(1, disk=1), Error.DUPLICATE_VOTER),
        (voter(2, disk=1), Error.REQUEST_TIMED_OUT),  # It has never fetched with that directory.
        (VoterKey(2, directory_of(2)), Error.VOTER_NOT_FOUND),
        (VoterKey(1, directory_of(1, 1)), Error.VOTER_NOT_FOUND),
        (VoterKey(1, directory_of(1)), Error.VOTER_NOT_FOUND),  # the last one
    ],
)
def test_what_is_refused(what: Voter | VoterKey, error: Error) -> None:
    refusal = change(alone(), what)
    assert refusal is not None
    assert refusal.error == error


def test_static_voters_do_not_change() -> None:
    quorum = Quorum(3)
    quorum.await_leader()
    quorum.run(2)
    for what in (voter(4), VoterKey(2)):
        refusal = change(quorum, what)
        assert refusal is not None
        assert refusal.error == Error.UNSUPPORTED_VERSION


def test_a_node_that_does_not_answer_does_not_become_a_voter() -> None:
    quorum = alone()
    quorum.crash(2)
    refusal = change(quorum, voter(2))
    assert refusal is not None
    assert refusal.error == Error.REQUEST_TIMED_OUT
    assert quorum.await_leader().raft.state.voters == (1,)
    assert change(quorum, voter(3)) is None, "the next change is not held up"


def test_a_node_without_the_quorums_version_does_not_become_a_voter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quorum = alone()
    answer = VersionRange(0, 0)
    monkeypatch.setattr(FakeNode, "ask_levels", lambda self, voter, then: then(answer))
    refusal = change(quorum, voter(2))
    assert refusal is not None
    assert refusal.error == Error.INVALID_REQUEST


def test_a_leader_that_is_removed_leads_until_that_is_committed() -> None:
    quorum = alone()
    assert change(quorum, voter(2)) is None
    assert change(quorum, voter(3)) is None
    first = quorum.await_leader()
    assert change(quorum, first.own.key) is None
    assert quorum.run(5, lambda: quorum.leader is not None and quorum.leader is not first)
    quorum.run(10)
    assert quorum.await_leader().raft.state.voters == (2, 3)
    assert not first.raft.state.is_voter
    end = quorum.await_leader().lead_append()
    assert quorum.run(5, lambda: first.raft.log.high_watermark == end), "it observes"


def test_a_change_that_is_not_committed_is_undone_with_the_leader() -> None:
    quorum = Quorum(3, observers=1, dynamic=True)
    old = quorum.await_leader()
    quorum.run(2)
    others = [v for v in (1, 2, 3) if v != old.me]
    quorum.cut = {frozenset((old.me, v)) for v in others}
    said: list[Refusal | None] = []
    old.ask_change(voter(4), said.append)
    quorum.run(1)
    assert old.raft.state.voters == (1, 2, 3, 4), "it counts at once"
    assert quorum.run(20, lambda: quorum.leader not in (None, old))
    quorum.leader.lead_append()  # type: ignore[union-attr]
    quorum.cut = set()
    assert quorum.run(20, lambda: settled(quorum, 1, 2, 3))
    assert said
    assert said[0] is not None


def test_a_voter_with_another_disk_is_another_voter() -> None:
    quorum = Quorum(3, dynamic=True)
    quorum.await_leader()
    quorum.run(2)
    lost = next(v for v in (1, 2, 3) if v != quorum.await_leader().me)
    quorum.kill(lost)
    quorum.nodes[lost].disk = Disk(directory=directory_of(lost, 1))
    back = quorum.restart(lost)
    back.raft.state.history.restart(0, QuorumAt())
    end = quorum.await_leader().lead_append()
    assert quorum.run(5, lambda: back.raft.log.high_watermark == end)
    assert not back.raft.state.is_voter
    assert change(quorum, VoterKey(lost, directory_of(lost))) is None
    assert change(quorum, voter(lost, disk=1)) is None
    assert quorum.run(5, lambda: back.raft.state.is_voter)


def test_a_controller_joins_by_itself_where_it_may() -> None:
    quorum = Quorum(1, observers=2, dynamic=True, joins=True)
    assert quorum.run(30, lambda: settled(quorum, 1, 2, 3))


def test_a_controller_with_a_new_disk_takes_the_place_of_its_old_vote() -> None:
    quorum = Quorum(3, dynamic=True, joins=True)
    leader = quorum.await_leader()
    quorum.run(2)
    lost = next(v for v in (1, 2, 3) if v != leader.me)
    quorum.kill(lost)
    quorum.nodes[lost].disk = Disk(directory=directory_of(lost, 1))
    back = quorum.restart(lost)
    back.raft.state.history.restart(0, QuorumAt())
    assert quorum.run(30, lambda: back.raft.state.is_voter)
    assert quorum.await_leader().raft.state.voters == (1, 2, 3)


@pytest.mark.parametrize("seed", range(60))
def test_random_changes_and_faults_keep_every_promise(seed: int) -> None:
    """The invariants of `Quorum`, and: each committed set differs from the last by one voter."""
    quorum = Quorum(1 + seed % 3, seed, observers=3, dynamic=True)
    rng = random.Random(seed)
    dead: set[int] = set()
    changed: list[Refusal | None] = []
    for _ in range(80):
        event, leader = rng.random(), quorum.leader
        if event < 0.12 and len(dead) < 2:
            victim = rng.choice([me for me in quorum.nodes if me not in dead])
            quorum.kill(victim) if rng.random() < 0.5 else quorum.crash(victim)
            dead.add(victim)
        elif event < 0.24 and dead:
            back = rng.choice(sorted(dead))
            dead.discard(back)
            quorum.restart(back)
        elif event < 0.32:
            quorum.cut = {frozenset(rng.sample(quorum.servers, 2)) for _ in range(3)}
        elif event < 0.42:
            quorum.cut = set()
            quorum.loss = rng.choice((0.0, 0.0, 0.1, 0.3))
        elif event < 0.75 and leader is not None:
            id = rng.choice(quorum.servers)
            what = voter(id).key if id in leader.raft.state.voters else voter(id)
            leader.ask_change(what, changed.append)
        elif leader is not None:
            leader.lead_append(rng.randrange(1, 4))
        quorum.run(rng.uniform(0.01, 1.5))
    heal(quorum, dead)
    sets = committed_sets(quorum)
    for before, after in pairwise(sets):
        assert len(set(before.voters) ^ set(after.voters)) <= 1
    assert changed.count(None) <= len(sets), "what was acknowledged is committed"


def heal(quorum: Quorum, dead: set[int]) -> None:
    """All is well again: there is a leader, and all nodes get what it appends."""
    quorum.cut, quorum.loss = set(), 0.0
    for me in dead:
        quorum.restart(me)
    quorum.run(20)  # A leader that was removed leaves meanwhile.
    end = quorum.await_leader(60).lead_append()
    assert quorum.run(60, lambda: all(n.raft.log.high_watermark >= end for n in nodes(quorum)))


def nodes(quorum: Quorum) -> list[FakeNode]:
    return [node for node in quorum.nodes.values() if node.alive]


def committed_sets(quorum: Quorum) -> list[Voters]:
    """The sets of voters in the committed log, in order."""
    found = [record for b in quorum.committed if b.is_control for _, record in quorum.read(b)]
    return [quorum.first, *(record for record in found if isinstance(record, Voters))]


# --- the history ------------------------------------------------------------------------------


def history(*records: tuple[int, Voters | KRaftVersion]) -> VoterHistory:
    said = dict(records)
    static = static_voters([(1, "h", 9)])
    found = VoterHistory(static, lambda b: [(b.base_offset, said[b.base_offset])])
    for offset, _ in records:
        found.on_appended(batch(offset, 1, control=True))
    return found


def test_configured_voters_hold_until_the_log_says_more() -> None:
    found = history()
    assert (found.latest.ids, found.offset, found.is_dynamic) == ((1,), -1, False)
    assert found.latest.has(VoterKey(1, directory_of(1))), "by its number alone"


def test_the_newest_set_holds_and_truncation_undoes_it() -> None:
    found = history((5, KRaftVersion(DYNAMIC)), (6, voters(1, 2)), (9, voters(1, 2, 3)))
    told: list[tuple[int, ...]] = []
    found.told.append(lambda: told.append(found.latest.ids))
    assert (found.latest.ids, found.offset, found.level) == ((1, 2, 3), 9, DYNAMIC)
    assert found.as_of(9) == QuorumAt(DYNAMIC, voters(1, 2))
    assert found.as_of(6) == QuorumAt(DYNAMIC, None)
    found.on_truncated(9)
    assert found.latest == voters(1, 2)
    found.on_truncated(5)
    assert (found.latest.ids, found.is_dynamic) == ((1,), False)
    assert told == [(1, 2), (1,)]


def test_what_held_at_the_logs_new_start_still_holds() -> None:
    found = history((5, KRaftVersion(DYNAMIC)), (6, voters(1, 2)), (9, voters(1, 2, 3)))
    found.on_start_moved(20)
    assert found.as_of(20) == QuorumAt(DYNAMIC, voters(1, 2, 3))
    found.restart(50, QuorumAt(DYNAMIC, voters(3)))
    assert (found.latest.ids, found.offset) == ((3,), 49)


def test_a_voter_is_found_by_its_directory() -> None:
    some = voters(1, 2)
    assert some.has(VoterKey(2, directory_of(2)))
    assert not some.has(VoterKey(2, directory_of(2, 1)))
    assert some.added(voter(2, 1)) is None
    assert some.removed(VoterKey(2, directory_of(2))) == voters(1)
    moved = Voter(2, directory_of(2), (Endpoint("C", "h", 9),), KRAFT_LEVELS)
    assert some.updated(moved) == Voters((voter(1), moved))
    assert some.updated(voter(2, 1)) is None


# --- a static quorum becomes a dynamic one ------------------------------------------------------


def raised(quorum: Quorum, level: int = DYNAMIC) -> Refusal | None:
    """Ask the leader for a level of kraft.version, and wait for its answer."""
    leader = quorum.await_leader()
    said: list[Refusal | None] = []
    try:
        leader.raft.changes.upgrade(level, said.append)
    except Refusal as refusal:
        return refusal
    assert quorum.run(10, lambda: bool(said)), "no answer"
    return said[0]


def static(count: int) -> Quorum:
    """Static voters with directories, which their leader has heard of."""
    quorum = Quorum(count, named_disks=True)
    quorum.await_leader()
    quorum.run(6)
    return quorum


@pytest.mark.parametrize("count", [1, 3])
def test_a_static_quorum_becomes_a_dynamic_one_and_its_voters_change(count: int) -> None:
    quorum = static(count)
    assert raised(quorum) is None
    found = quorum.await_leader().raft.log.voters
    assert (found.level, found.latest.ids) == (DYNAMIC, tuple(range(1, count + 1)))
    assert [v.directory_id for v in found.latest.voters] == [
        directory_of(v) for v in found.latest.ids
    ]
    assert raised(quorum) is None, "it is that already"
    back = raised(quorum, 0)
    assert back is not None
    assert back.error == Error.INVALID_UPDATE_VERSION
    if count == 3:
        gone = next(v for v in (1, 2, 3) if v != quorum.await_leader().me)
        assert change(quorum, VoterKey(gone, directory_of(gone))) is None
        quorum.kill(gone)
        left = tuple(v for v in (1, 2, 3) if v != gone)
        quorum.kill(quorum.await_leader().me)
        assert quorum.run(1) is False
        for voter in left:
            if not quorum.nodes[voter].alive:
                quorum.restart(voter)
        assert quorum.await_leader().raft.state.voters == left


def test_a_voter_that_has_not_said_what_it_is_holds_the_upgrade_up() -> None:
    quorum = Quorum(3, named_disks=True)
    leader = quorum.await_leader()
    silent = next(v for v in (1, 2, 3) if v != leader.me)
    quorum.crash(silent)
    quorum.run(6)
    refusal = raised(quorum)
    assert refusal is not None
    assert refusal.error == Error.INVALID_UPDATE_VERSION
    assert f"voters [{silent}] have not said so" in str(refusal)
    quorum.restart(silent)
    quorum.run(6)
    assert raised(quorum) is None


def test_another_leader_hears_it_again() -> None:
    quorum = static(3)
    first = quorum.await_leader()
    quorum.kill(first.me)
    quorum.run(10)
    quorum.restart(first.me)
    quorum.run(10)
    assert quorum.await_leader().me != first.me
    assert raised(quorum) is None


def test_an_upgrade_that_is_not_committed_is_undone_with_its_leader() -> None:
    quorum = static(3)
    old = quorum.await_leader()
    others = [v for v in (1, 2, 3) if v != old.me]
    quorum.cut = {frozenset((old.me, v)) for v in others}
    said: list[Refusal | None] = []
    old.raft.changes.upgrade(DYNAMIC, said.append)
    assert quorum.run(20, lambda: quorum.leader not in (None, old))
    assert old.raft.log.voters.is_dynamic, "it counts at once"
    quorum.leader.lead_append()  # type: ignore[union-attr]
    quorum.cut = set()
    quorum.run(20)
    assert not any(node.raft.log.voters.is_dynamic for node in quorum.nodes.values())
    assert said
    assert said[0] is not None
