"""Elections: the leader when a broker leaves, comes, or when a client asks (KIP-460).

`change.change` knows the rules; here stands which partitions take part. Called by the modules that
fence, unfence and lose directories, by the ElectLeaders handler and by the periodic check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from spindle.core.controller.change import Election, PartitionTarget, change, without
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.model.errors import Error
from spindle.model.ids import NO_LEADER, NodeId, PartitionId, TopicId, TopicPartition

ELECTIONS_MAX: Final = 1000
"""Elections in one pass of the periodic check."""


@dataclass(frozen=True, slots=True)
class ElectionOutcome:
    """What became of one part of a request."""

    error: Error = Error.NONE
    message: str | None = None


def allowed_election(draft: Draft, topic: str) -> Election:
    """Whether a topic accepts an unclean leader."""
    unclean = draft.topic_settings(topic).flag("unclean.leader.election.enable")
    return Election.UNCLEAN if unclean else Election.ONLINE


def remove_broker(
    draft: Draft, broker: NodeId, ids: Iterable[PartitionId], *, unclean: bool = False
) -> None:
    """Take a broker out of the ISR and the leadership of these partitions."""
    elections: dict[TopicId, Election] = {}
    targets: dict[tuple[TopicId, tuple[NodeId, ...]], PartitionTarget] = {}
    for id in ids:
        partition = draft.partition(id)
        assert partition is not None, f"{id} does not exist"
        if id.topic_id not in elections:
            elections[id.topic_id] = allowed_election(draft, draft.topic_name(id.topic_id))
        wanted = targets.get((id.topic_id, partition.isr))
        if wanted is None:
            wanted = targets[id.topic_id, partition.isr] = PartitionTarget(
                isr=without(partition.isr, broker),
                election=elections[id.topic_id],
                barred=broker,
                unclean=broker if unclean else NO_LEADER,
            )
        change(draft, id, wanted)


def concerned(draft: Draft, broker: NodeId) -> list[PartitionId]:
    """The partitions for which it matters that a broker is there: it leads, or is in the ISR."""
    return [id for id, p in draft.hosted(broker) if broker in p.isr or p.leader == broker]


def elect_leaderless(draft: Draft, limit: int | None = None) -> None:
    """Give a leader to the partitions that have none, if a replica may lead now."""
    for id in islice(list(draft.leaderless()), limit):
        election = allowed_election(draft, draft.topic_name(id.topic_id))
        change(draft, id, PartitionTarget(election=election))


def elect_after_return(state: ControllerState) -> ControllerResult[None]:
    """What a new active controller does first: leaders for partitions without one."""
    draft = Draft(state)
    elect_leaderless(draft)
    return draft.decision(None, atomic=False)


def elect_preferred(state: ControllerState) -> ControllerResult[bool]:
    """The periodic check: leadership back to first replicas. True where more is left to do."""
    draft = Draft(state)
    seen = 0
    for id in list(state.imbalanced):
        change(draft, id, PartitionTarget(election=Election.PREFERRED))
        seen += 1
        if len(draft.records) >= ELECTIONS_MAX:
            break
    return draft.decision(seen < len(state.imbalanced), atomic=False)


def elect_leaders(
    state: ControllerState, election: Election, asked: Sequence[TopicPartition] | None
) -> ControllerResult[Mapping[TopicPartition, ElectionOutcome]]:
    """ElectLeaders: of these partitions, or of all (then those in no need are not named)."""
    assert election is not Election.ONLINE, "no client can ask for that"
    draft = Draft(state)
    everywhere = asked is None
    names = (
        [
            TopicPartition(topic.name, partition.partition_id)
            for topic, partition in state.image.partitions()
        ]
        if asked is None
        else asked
    )
    outcomes: dict[TopicPartition, ElectionOutcome] = {}
    for name in names:
        outcome = _elect_leader(draft, name, election)
        if not (everywhere and outcome.error is Error.ELECTION_NOT_NEEDED):
            outcomes[name] = outcome
    return draft.decision(outcomes, atomic=False)


def _elect_leader(draft: Draft, name: TopicPartition, election: Election) -> ElectionOutcome:
    id = draft.state.image.resolve(name)
    partition = draft.partition(id) if id is not None else None
    if id is None or partition is None:
        known = draft.state.image.topic(name.topic) is not None
        what = f"partition as {name}" if known else f"topic as {name.topic}"
        return ElectionOutcome(Error.UNKNOWN_TOPIC_OR_PARTITION, f"No such {what}")
    preferred = election is Election.PREFERRED
    wanted = partition.replicas[0] if preferred else partition.leader
    if partition.leader == wanted != NO_LEADER:
        return ElectionOutcome(
            Error.ELECTION_NOT_NEEDED, f"{name} is led by broker {wanted} already"
        )
    change(draft, id, PartitionTarget(election=election))
    after = draft.partition(id)
    assert after is not None
    if preferred and after.leader != partition.replicas[0]:
        return ElectionOutcome(
            Error.PREFERRED_LEADER_NOT_AVAILABLE,
            f"The preferred leader was not available. Broker {partition.replicas[0]} cannot lead"
            f" {name}: it is not in the ISR {list(after.isr)}, or not there",
        )
    if after.leader == NO_LEADER:
        return ElectionOutcome(
            Error.ELIGIBLE_LEADERS_NOT_AVAILABLE, f"no replica of {name} is there to lead it"
        )
    return ElectionOutcome()
