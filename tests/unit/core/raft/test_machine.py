"""Elections, commits and failovers of the quorum machine, in virtual time."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.unit.core.raft.quorum import TIMING, FakeNode, Quorum
from tests.unit.core.raft.quorum_disk import Disk, batch

from spindle.core.raft.raft_values import (
    NO_NODE,
    Ballot,
    ElectionState,
    FetchAnswer,
    FetchPosition,
    Heard,
    VoteAnswer,
)
from spindle.core.raft.roles import FollowerState, ResignedState
from spindle.model.errors import Error
from spindle.model.offsets import OffsetAndEpoch


def test_a_quorum_of_one_leads_after_its_vote_is_durable() -> None:
    quorum = Quorum(voters=1)
    node = quorum.nodes[1]
    leader = quorum.await_leader()
    assert leader is node
    assert node.disk.state == ElectionState(1, 1, 1)
    assert quorum.run(1, lambda: node.raft.log.high_watermark == 1)
    assert node.terms == [1]


def test_a_quorum_of_one_commits_what_is_durable_at_once() -> None:
    quorum = Quorum(voters=1)
    node = quorum.await_leader()
    quorum.run(1)
    end = node.lead_append(5)
    assert node.raft.log.high_watermark < end
    assert quorum.run(0.1, lambda: node.raft.log.high_watermark == end)


def test_a_restarted_leader_never_leads_the_same_epoch_again() -> None:
    quorum = Quorum(voters=1)
    quorum.await_leader()
    quorum.run(1)
    quorum.crash(1)
    node = quorum.restart(1)
    assert isinstance(node.raft.state.role, ResignedState)
    assert node.raft.state.leader == NO_NODE
    quorum.await_leader()
    assert node.terms == [2]


def test_three_voters_elect_one_and_commit_with_a_majority() -> None:
    quorum = Quorum(voters=3)
    leader = quorum.await_leader()
    end = leader.lead_append(3)
    assert quorum.run(2, lambda: leader.raft.log.high_watermark == end)
    assert quorum.run(
        2, lambda: all(n.raft.log.high_watermark == end for n in quorum.nodes.values())
    )


def test_nothing_commits_without_a_majority() -> None:
    quorum = Quorum(voters=3)
    leader = quorum.await_leader()
    quorum.run(1)
    before = leader.raft.log.high_watermark
    for me in quorum.voters:
        if me != leader.me:
            quorum.crash(me)
    leader.lead_append()
    quorum.run(2)
    assert leader.raft.log.high_watermark == before


def test_a_leader_without_a_majority_resigns() -> None:
    quorum = Quorum(voters=3)
    leader = quorum.await_leader()
    for me in quorum.voters:
        if me != leader.me:
            quorum.crash(me)
    assert quorum.run(5, lambda: leader.raft.state.term is None)


def test_a_dead_leader_is_replaced_and_its_committed_records_stay() -> None:
    quorum = Quorum(voters=3)
    first = quorum.await_leader()
    end = first.lead_append(4)
    assert quorum.run(2, lambda: first.raft.log.high_watermark == end)
    quorum.crash(first.me)
    assert quorum.run(20, lambda: quorum.leader is not None and quorum.leader is not first)
    second = quorum.await_leader()
    assert second.raft.state.epoch > first.raft.state.epoch
    assert quorum.run(2, lambda: second.raft.log.high_watermark > end)


def test_an_old_leader_that_comes_back_drops_what_was_never_committed() -> None:
    quorum = Quorum(voters=3, seed=3)
    first = quorum.await_leader()
    quorum.run(1)
    others = [me for me in quorum.voters if me != first.me]
    quorum.cut = {frozenset((first.me, other)) for other in others}
    lost = first.lead_append(7)
    assert quorum.run(20, lambda: quorum.leader is not None and quorum.leader is not first)
    second = quorum.leader
    assert second is not None
    quorum.run(0.1)
    second.lead_append(2)
    quorum.run(1)
    quorum.cut = set()
    quorum.await_leader()
    mark = second.raft.log.high_watermark
    assert quorum.run(5, lambda: first.raft.log.high_watermark >= mark)
    assert first.raft.log.end == second.raft.log.end < lost + 3
    assert first.raft.log.epochs.entries == second.raft.log.epochs.entries


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("voters", [3, 5])
def test_a_killed_leader_is_replaced_long_before_fetches_time_out(seed: int, voters: int) -> None:
    quorum = Quorum(voters, seed)
    first = quorum.await_leader()
    quorum.run(2)
    quorum.kill(first.me)
    assert quorum.run(
        TIMING.fetch_timeout * 0.75,
        lambda: quorum.leader is not None and quorum.leader is not first,
    )


def test_a_leader_killed_with_another_voter_is_replaced_soon_too() -> None:
    quorum = Quorum(voters=5)
    first = quorum.await_leader()
    quorum.run(2)
    quorum.kill(first.me)
    quorum.kill(next(me for me in quorum.voters if me != first.me))
    assert quorum.run(1.5, lambda: quorum.leader is not None and quorum.leader is not first)


def test_a_voter_that_only_the_leader_refuses_disturbs_no_voter() -> None:
    quorum = Quorum(voters=3)
    leader = quorum.await_leader()
    quorum.run(1)
    epoch = leader.raft.state.epoch
    lonely = next(me for me in quorum.voters if me != leader.me)
    quorum.refused = {(lonely, leader.me)}
    saves = quorum.saves
    quorum.run(30)
    assert leader.raft.state.term is not None
    assert leader.raft.state.epoch == epoch
    assert quorum.saves == saves, "no vote was cast and no epoch spent"
    quorum.refused = set()
    end = leader.lead_append()
    assert quorum.run(5, lambda: quorum.nodes[lonely].raft.log.high_watermark == end)


def test_a_leader_that_is_only_slow_is_waited_for() -> None:
    quorum = Quorum(voters=3)
    leader = quorum.await_leader()
    quorum.run(2)
    quorum.crash(leader.me)  # Its host is gone, too: nothing refuses, nothing answers.
    quorum.run(TIMING.fetch_timeout * 0.7)
    assert quorum.leader is None
    roles = [n.raft.state.role for n in quorum.nodes.values() if n.alive]
    assert all(isinstance(role, FollowerState) for role in roles)


def test_a_leader_that_stops_has_a_successor_at_once() -> None:
    quorum = Quorum(voters=3)
    first = quorum.await_leader()
    quorum.run(2)
    began = quorum.out.now
    gone: list[float] = []
    first.raft.shut_down(lambda: gone.append(quorum.out.now - began))
    assert quorum.run(5, lambda: quorum.leader is not None and quorum.leader is not first)
    assert quorum.out.now - began < 0.5
    quorum.run(2)
    assert len(gone) == 1
    assert gone[0] < 0.1


def test_a_leader_that_no_voter_hears_stops_all_the_same() -> None:
    quorum = Quorum(voters=3)
    first = quorum.await_leader()
    for me in quorum.voters:
        if me != first.me:
            quorum.crash(me)
    gone: list[bool] = []
    first.raft.shut_down(lambda: gone.append(True))
    quorum.run(5)
    assert gone == [True]


def test_a_voter_cut_off_does_not_disturb_voters_that_have_a_leader() -> None:
    quorum = Quorum(voters=3)
    leader = quorum.await_leader()
    epoch = leader.raft.state.epoch
    lonely = next(me for me in quorum.voters if me != leader.me)
    quorum.cut = {frozenset((lonely, me)) for me in quorum.voters if me != lonely}
    quorum.run(15)
    quorum.cut = set()
    quorum.run(5)
    assert leader.raft.state.epoch == epoch
    assert quorum.nodes[lonely].raft.state.leader == leader.me


def test_an_observer_finds_the_leader_and_copies_the_log() -> None:
    quorum = Quorum(voters=1, observers=1)
    leader = quorum.await_leader()
    end = leader.lead_append(3)
    observer = quorum.nodes[2]
    assert quorum.run(3, lambda: observer.raft.log.high_watermark == end)
    assert isinstance(observer.raft.state.role, FollowerState)
    term = leader.raft.state.term
    assert term is not None
    assert quorum.run(2, lambda: term.observers[2].end == end)


def test_nothing_is_fetched_while_the_log_is_written() -> None:
    quorum = Quorum(3, seed=4, observers=1)
    leader, observer = quorum.await_leader(), quorum.nodes[4].raft
    assert quorum.run(5, lambda: observer.log.end == leader.raft.log.end)
    leader.lead_append()
    assert quorum.run(5, lambda: observer.log.lock.is_held)
    observer._follow(leader.me)  # As on hearing of a leader; the node itself asserts the rest.
    assert observer.log.lock.is_held
    assert quorum.run(5, lambda: observer.log.end == leader.raft.log.end)


def test_what_a_leader_says_beyond_the_log_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    quorum = Quorum(1, seed=4, observers=1)
    quorum.await_leader()
    leader, observer = quorum.nodes[1], quorum.nodes[2]
    assert quorum.run(5, lambda: observer.raft.log.high_watermark == leader.raft.log.end > 0)
    end = observer.raft.log.end
    asked = []

    def serve(replica: int, position: FetchPosition, answer: Callable[[FetchAnswer], None]) -> None:
        asked.append(position)
        gap = (batch(position.offset + 5, leader.raft.state.epoch),) if len(asked) % 2 else ()
        answer(FetchAnswer(leader.raft.state.heard(), position.offset + 9, batches=gap))

    monkeypatch.setattr(leader, "serve", serve)
    assert quorum.run(20, lambda: len(asked) > 4)
    assert observer.raft.log.end == end
    assert observer.raft.log.high_watermark == end


def test_an_observer_keeps_looking_while_no_voter_leads_and_never_stands() -> None:
    quorum = Quorum(voters=1, observers=1)
    quorum.await_leader()
    quorum.crash(1)
    observer = quorum.nodes[2]
    quorum.run(30)
    assert observer.raft.state.epoch == 1
    quorum.restart(1)
    assert quorum.run(10, lambda: observer.raft.state.epoch == 2)


def test_a_cut_below_the_high_watermark_stops_the_node() -> None:
    quorum = Quorum(voters=1, observers=1)
    leader = quorum.await_leader()
    end = leader.lead_append(3)
    observer = quorum.nodes[2]
    assert quorum.run(3, lambda: observer.raft.log.high_watermark == end)
    quorum.crash(1)
    quorum.nodes[1].disk.batches.clear()
    quorum.committed = []  # The very promise that a lost log breaks.
    quorum.restart(1)
    assert quorum.run(10, lambda: observer.halted is not None)
    assert "lost its log" in str(observer.halted)


def test_a_node_behind_a_snapshot_loads_it_and_goes_on_from_its_end() -> None:
    quorum = Quorum(voters=1)
    leader = quorum.await_leader()
    quorum.run(1)
    leader.lead_append(9)
    quorum.run(1)
    leader.raft.log.on_snapshot(OffsetAndEpoch(10, 1))
    quorum.nodes[2] = observer = FakeNode(quorum, 2, Disk())
    observer.raft.start(None)
    leader.lead_append(2)
    assert quorum.run(5, lambda: observer.raft.log.high_watermark == 12)
    assert observer.disk.snapshot == (10, 1)
    assert observer.raft.log.start == 10


# --- single requests --------------------------------------------------------------------------


def _follower() -> tuple[Quorum, FakeNode]:
    quorum = Quorum(voters=3)
    quorum.await_leader()
    quorum.run(1)
    node = next(n for n in quorum.nodes.values() if isinstance(n.raft.state.role, FollowerState))
    return quorum, node


def _vote(quorum: Quorum, node: FakeNode, ballot: Ballot) -> VoteAnswer:
    answers: list[VoteAnswer] = []
    node.raft.on_vote(ballot, answers.append)
    assert quorum.run(1, lambda: bool(answers))
    return answers[0]


def _lone_voter(epoch: int) -> tuple[Quorum, FakeNode]:
    """A voter that no other node talks to, in an epoch whose leader it does not know."""
    quorum = Quorum(voters=3)
    node = quorum.nodes[2]
    for other in (1, 3):
        quorum.nodes[other].alive = False
    node.raft.state.save(ElectionState(epoch))
    return quorum, node


def test_a_vote_of_an_old_epoch_is_fenced() -> None:
    quorum, node = _follower()
    leader = 2 if node.me == 1 else 1
    node.raft.on_begin_epoch(leader, 7, lambda _: None)
    answer = _vote(quorum, node, Ballot(3, 6, OffsetAndEpoch(99, 5), False))
    assert answer.heard == Heard(Error.FENCED_LEADER_EPOCH, 7, leader)
    assert not answer.granted


@pytest.mark.parametrize(
    ("candidate", "epoch", "last", "pre_vote"),
    [
        (3, 7, OffsetAndEpoch(99, 7), False),
        (3, 7, OffsetAndEpoch(99, 8), True),
        (3, 5, OffsetAndEpoch(99, 5), False),
        (3, 7, OffsetAndEpoch(-1, 5), False),
        (3, 7, OffsetAndEpoch(99, -1), True),
        (-1, 7, OffsetAndEpoch(99, 5), False),
        (2, 7, OffsetAndEpoch(99, 5), False),
    ],
)
def test_a_candidate_that_cannot_be_is_refused_and_its_epoch_is_not_taken(
    candidate: int, epoch: int, last: OffsetAndEpoch, pre_vote: bool
) -> None:
    quorum, node = _lone_voter(6)
    answer = _vote(quorum, node, Ballot(candidate, epoch, last, pre_vote))
    assert answer == VoteAnswer(Heard(Error.INVALID_REQUEST, 6, NO_NODE), False)


def test_what_is_meant_for_another_voter_tells_of_epoch_and_leader_all_the_same() -> None:
    quorum, node = _lone_voter(6)
    votes: list[VoteAnswer] = []
    node.raft.on_vote(Ballot(3, 7, OffsetAndEpoch(99, 5), False), votes.append, is_for_us=False)
    assert quorum.run(1, lambda: bool(votes))
    assert votes == [VoteAnswer(Heard(Error.INVALID_VOTER_KEY, 7, NO_NODE), False)]
    begun: list[Heard] = []
    node.raft.on_begin_epoch(1, 8, begun.append, is_for_us=False)
    assert quorum.run(1, lambda: bool(begun))
    assert begun == [Heard(Error.INVALID_VOTER_KEY, 8, 1)]
    assert isinstance(node.raft.state.role, FollowerState)


@pytest.mark.parametrize("epoch", [6, 7])
def test_a_leader_that_resigns_is_the_leader_of_its_epoch(epoch: int) -> None:
    quorum, node = _lone_voter(6)
    heard: list[Heard] = []
    node.raft.on_end_epoch(1, epoch, (3, 2), heard.append)
    assert quorum.run(0.5, lambda: bool(heard))
    assert heard == [Heard(Error.NONE, epoch, 1)]
    node.raft.on_end_epoch(-1, epoch, (), heard.append)
    assert heard[1].error == Error.INVALID_REQUEST


def test_a_pre_vote_is_refused_while_the_leader_answers() -> None:
    quorum, node = _follower()
    epoch = node.raft.state.epoch
    ballot = Ballot(3, epoch, OffsetAndEpoch(99, epoch), True)
    assert not _vote(quorum, node, ballot).granted


def test_a_vote_is_durable_before_it_is_answered_and_given_once() -> None:
    quorum, node = _follower()
    epoch = node.raft.state.epoch + 5
    answer = _vote(quorum, node, Ballot(3, epoch, OffsetAndEpoch(99, 5), False))
    assert answer.granted
    assert node.disk.state == ElectionState(epoch, NO_NODE, 3)
    again = _vote(quorum, node, Ballot(3, epoch, OffsetAndEpoch(99, 5), False))
    assert again.granted
    other = _vote(quorum, node, Ballot(1, epoch, OffsetAndEpoch(99, 5), False))
    assert not other.granted


def test_a_voter_that_knows_the_leader_of_an_epoch_gives_no_vote_in_it() -> None:
    quorum, node = _follower()
    leader, other = (id for id in (1, 2, 3) if id != node.me)
    epoch = node.raft.state.epoch + 5
    node.raft.on_begin_epoch(leader, epoch, lambda _: None)
    assert not _vote(quorum, node, Ballot(other, epoch, OffsetAndEpoch(99, 5), False)).granted


def test_a_candidate_with_a_shorter_log_gets_no_vote() -> None:
    quorum, node = _follower()
    ballot = Ballot(3, node.raft.state.epoch + 5, OffsetAndEpoch(0, 0), False)
    assert not _vote(quorum, node, ballot).granted


def test_a_candidate_that_is_no_voter_gets_no_vote() -> None:
    quorum, node = _follower()
    ballot = Ballot(77, node.raft.state.epoch + 5, OffsetAndEpoch(99, 5), False)
    assert not _vote(quorum, node, ballot).granted


@pytest.mark.parametrize(
    ("position", "error"),
    [
        (FetchPosition(1, 0, -1, 0, 0), Error.INVALID_REQUEST),
        (FetchPosition(1, -1, 0, 0, 0), Error.INVALID_REQUEST),
        (FetchPosition(1, 0, 2, 0, 0), Error.INVALID_REQUEST),
        (FetchPosition(0, 0, 0, 0, 0), Error.FENCED_LEADER_EPOCH),
        (FetchPosition(9, 0, 0, 0, 0), Error.UNKNOWN_LEADER_EPOCH),
        (FetchPosition(1, 0, 0, 0, 0), Error.NONE),
    ],
)
def test_a_leader_checks_epochs_and_offsets_of_a_fetch(
    position: FetchPosition, error: Error
) -> None:
    quorum = Quorum(voters=1)
    leader = quorum.await_leader()
    quorum.run(1)
    assert leader.raft.leader_log.on_fetch(7, position).error == error


def test_a_follower_is_not_the_leader() -> None:
    _, node = _follower()
    position = FetchPosition(node.raft.state.epoch, 0, 0, 0, 0)
    assert node.raft.leader_log.on_fetch(7, position).error == Error.NOT_LEADER_OR_FOLLOWER


def test_an_epoch_without_quorum_state_is_that_of_the_log() -> None:
    quorum = Quorum(voters=1)
    disk = Disk(None, [batch(0, 4), batch(1, 6)])
    quorum.nodes[1] = node = FakeNode(quorum, 1, disk)
    node.raft.start(None)
    quorum.await_leader()
    assert node.terms == [7]


@pytest.mark.parametrize("seed", range(25))
def test_random_crashes_cuts_and_appends_keep_every_promise(seed: int) -> None:
    """The invariants are in `Quorum`: one leader an epoch, one committed history."""
    quorum = Quorum(voters=3, seed=seed, observers=1)
    rng = random.Random(seed)
    dead: set[int] = set()
    for _ in range(60):
        event = rng.random()
        leader = quorum.leader
        if event < 0.15 and len(dead) < 2:
            victim = rng.choice([me for me in quorum.nodes if me not in dead])
            if rng.random() < 0.5:
                quorum.crash(victim)
            else:
                quorum.kill(victim)
            dead.add(victim)
        elif event < 0.4 and dead:
            back = rng.choice(sorted(dead))
            dead.discard(back)
            quorum.restart(back)
        elif event < 0.5:
            quorum.cut = {frozenset(rng.sample(quorum.voters, 2))}
        elif event < 0.6:
            quorum.cut = set()
        elif leader is not None and not leader.raft.log.lock.is_held:
            leader.lead_append(rng.randrange(1, 4))
        quorum.run(rng.uniform(0.01, 1.5))
    quorum.cut = set()
    for me in sorted(dead):
        quorum.restart(me)
    leader = quorum.await_leader(60)
    end = leader.raft.log.end
    assert quorum.run(
        30, lambda: all(n.raft.log.high_watermark >= end for n in quorum.nodes.values())
    )
    assert not any(n.halted for n in quorum.nodes.values())
