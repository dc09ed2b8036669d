"""What consumer groups have learned: assignments and committed offsets, for the checks (spec C-02).

Finds for itself what contradicts a promise: two owners of a partition in one generation, or at one
time (KIP-848), a commit of a member of an older generation or of one whose partition another has
got, one that is heard in a place that a younger client has taken, a committed offset that is lost,
went back, or was never committed. Commits carry a label of their own, so that a read says which of
them it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from spindle.model.ids import NodeId, PartitionId
from spindle.sim.share_history import ShareHistory
from spindle.sim.transaction_history import Attempt, Fate
from spindle.sim.violation import Violation

NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Membership:
    """A member in a generation of its group."""

    group: str
    generation: int = -1
    member_id: str = ""
    instance_id: str | None = None


@dataclass(slots=True)
class Incarnation:
    """A client in the place of a static member (KIP-345). Times in s.

    `asked_at`: when it asked to join; `joined_at`: when it got its member id; `placed_at`:
    when it got its partitions. By then it is in the log, and every coordinator knows it.
    """

    member_id: str
    asked_at: float
    joined_at: float
    placed_at: float = NEVER


@dataclass(slots=True)
class Hold:
    """A partition that a member of a group of KIP-848 believes to own. Times in s.

    `since`: when it heard of it; `heard_at`: when it heard so last; `sure_until`: before that its
    session cannot have expired, and what it was to give up cannot have been taken from it.
    """

    since: float
    heard_at: float
    place: str | None = None
    is_classic: bool = False
    sure_until: float = 0.0


@dataclass(slots=True, eq=False)
class Commit:
    """An offset that a group was asked to keep. `attempt`: the transaction, where it is in one."""

    label: str
    offset: int
    began_at: float
    ended_at: float = NEVER
    """When it was acknowledged; in a transaction: when that was."""
    attempt: Attempt | None = None
    id: PartitionId | None = None

    @property
    def is_void(self) -> bool:
        """Whether it can never count."""
        return self.attempt is not None and self.attempt.fate in (Fate.OPEN, Fate.ABORTED)


Place = tuple[str, PartitionId]


class GroupHistory:
    """All groups of a simulation."""

    def __init__(self) -> None:
        self.commits: dict[Place, dict[str, Commit]] = {}
        self.processed: dict[Place, dict[int, None]] = {}
        """Offsets of records that members have worked on, without transactions."""
        self.coordinator_of: Callable[[str], tuple[NodeId, int]] = lambda group: (-1, -1)
        """The coordinator of a group by the newest metadata, and its leader epoch."""
        self.shares = ShareHistory()
        """The share groups among them."""
        self._owners: dict[tuple[str, int], dict[PartitionId, str]] = {}
        self._generations: dict[str, list[tuple[int, float]]] = {}
        self._incarnations: dict[tuple[str, str], list[Incarnation]] = {}
        self._holds: dict[Place, dict[str, Hold]] = {}
        """Of groups of KIP-848: what their members believe to own, by member id."""
        self._given: dict[Place, list[tuple[float, str]]] = {}
        """When members heard that a partition is theirs, and nothing of it was old news."""
        self._asked: dict[tuple[str, str | None, bool], dict[str, float]] = {}
        """Until when a client came for a static place (s), by name; `NEVER`: it is not answered
        yet. Those of the classic protocol apart."""
        self._rested: dict[str, None] = {}
        self._label = 0

    # --- owners -----------------------------------------------------------------------------

    def on_joined(
        self, who: Membership, asked_at: float, now: float, instances: Iterable[str | None]
    ) -> None:
        """A member got its id; the leader, also the static ids of the others."""
        names = [name for name in instances if name is not None]
        if len(set(names)) < len(names):
            raise Violation(f"{who.group}: two members for one instance: {names}")
        if who.instance_id is None:
            return
        known = self._incarnations.setdefault((who.group, who.instance_id), [])
        if all(one.member_id != who.member_id for one in known):
            known.append(Incarnation(who.member_id, asked_at, now))

    def on_assigned(self, who: Membership, ids: Iterable[PartitionId], now: float) -> None:
        """A member got its partitions in a generation."""
        group, generation, owner = who.group, who.generation, who.instance_id or who.member_id
        owners = self._owners.setdefault((group, generation), {})
        for id in ids:
            other = owners.setdefault(id, owner)
            if other != owner:
                raise Violation(
                    f"{group}: {id} belongs to {other} and to {owner} in generation {generation}"
                )
        self._generations.setdefault(group, []).append((generation, now))
        for one in self._incarnations.get((group, who.instance_id or ""), ()):
            if one.member_id == who.member_id:
                one.placed_at = min(one.placed_at, now)

    def check_place(self, who: Membership, began_at: float, what: str) -> None:
        """A static member was heard: none in its place may have had an answer before it asked.

        Of two clients the younger is the one that asked to join when the other knew its member id.
        """
        known = self._incarnations.get((who.group, who.instance_id or ""), ())
        joined_at = next((i.joined_at for i in known if i.member_id == who.member_id), NEVER)
        for other in known:
            if joined_at < other.asked_at and other.placed_at < began_at:
                raise Violation(
                    f"{who.group}: {what} of {who.member_id} was taken, though {other.member_id} "
                    f"has the place of {who.instance_id} since {other.placed_at:.3f}"
                )

    # --- owners in groups of KIP-848 ----------------------------------------------------------

    def on_held(
        self,
        who: Membership,
        client: str,
        ids: Iterable[PartitionId],
        sure_at: float | None,
        now: float,
        lease: float,
        is_classic: bool = False,
    ) -> None:
        """A member heard that it owns these: none that cannot be out may believe the same.

        `sure_at`: when it asked; None: it may be old news, of a deposed coordinator. `lease`: s
        for which a member that was heard stays one, and keeps what it does not give up.
        """
        asks = (
            self._asked.get((who.group, who.instance_id, by_classic), {})
            for by_classic in ((True, False) if is_classic else (True,))
        )
        others = [until for ask in asks for other, until in ask.items() if other != client]
        if sure_at is not None and any(sure_at < until for until in others):
            sure_at = None
        for id in ids:
            holds = self._holds.setdefault((who.group, id), {})
            if who.member_id not in holds and sure_at is not None:
                self._given.setdefault((who.group, id), []).append((now, who.member_id))
            own = holds.setdefault(who.member_id, Hold(now, now, who.instance_id, is_classic))
            own.heard_at = now
            if sure_at is None:
                continue
            own.sure_until = sure_at + lease
            for other, hold in holds.items():
                if other != who.member_id and now < hold.sure_until:
                    raise Violation(
                        f"{who.group}: {id} belongs to {who.member_id} in epoch {who.generation}, "
                        f"and to {other} since {hold.since:.3f}, until {hold.sure_until:.3f} at "
                        "the least"
                    )

    def on_place_asked(self, who: Membership, client: str, is_classic: bool) -> None:
        """A client comes for a static place: where it or the place's owner is of the classic
        protocol, it gets that at once, and what belongs to it. The owner is sure of nothing that it
        heard before."""
        if who.instance_id is None:
            return
        self._asked.setdefault((who.group, who.instance_id, is_classic), {})[client] = NEVER
        for (group, _), holds in self._holds.items():
            for hold in holds.values():
                is_theirs = group == who.group and hold.place == who.instance_id
                if is_theirs and (is_classic or hold.is_classic):
                    hold.sure_until = 0.0

    def on_place_answered(self, who: Membership, client: str, now: float, is_classic: bool) -> None:
        """That client has its answer, or waits for none any more."""
        if who.instance_id is not None:
            self._asked[who.group, who.instance_id, is_classic][client] = now

    def on_given_up(self, who: Membership, ids: Iterable[PartitionId]) -> None:
        """A member reads these no more, and is about to say so, or to leave."""
        for id in ids:
            self._holds[who.group, id].pop(who.member_id, None)

    def is_at_rest(self, group: str, ids: Iterable[PartitionId]) -> bool:
        """Whether each of these has, or had, one owner at one time. After that members may go."""
        if all(len(self._holds.get((group, id), ())) == 1 for id in ids):
            self._rested[group] = None
        return group in self._rested

    def _check_owner(self, who: Membership, commit: Commit) -> None:
        """A commit was taken: no other member had heard that the partition is its own by then."""
        if commit.id is None:
            return
        given = self._given.get((who.group, commit.id), ())
        heard = [at for at, member in given if member == who.member_id]
        own = self._holds.get((who.group, commit.id), {}).get(who.member_id)
        # It may have got the partition back while nothing that was said of its place was sure.
        mine = max([*heard, own.heard_at] if own is not None else heard, default=NEVER)
        for at, member in given:
            if mine < at < commit.began_at:
                raise Violation(
                    f"{who.group}: {commit.label} of {who.member_id} was taken, though "
                    f"{commit.id} belongs to {member} since {at:.3f}"
                )

    # --- offsets ----------------------------------------------------------------------------

    def on_processed(self, group: str, id: PartitionId, offsets: Iterable[int]) -> None:
        """A member has worked on records, and is about to commit that."""
        self.processed.setdefault((group, id), {}).update(dict.fromkeys(offsets))

    def begin(
        self, group: str, id: PartitionId, offset: int, now: float, attempt: Attempt | None = None
    ) -> Commit:
        """An offset is about to be committed."""
        self._label += 1
        commit = Commit(f"commit {self._label}", offset, now, attempt=attempt, id=id)
        self.commits.setdefault((group, id), {})[commit.label] = commit
        return commit

    def on_committed(self, who: Membership, commit: Commit, now: float) -> None:
        """A commit was acknowledged to a member."""
        self.check_commit(who, commit)
        commit.ended_at = now

    def check_commit(self, who: Membership, commit: Commit) -> None:
        """A commit was taken: its member had heard of no younger generation, or twin."""
        for younger, at in self._generations.get(who.group, ()):
            if younger > who.generation and at < commit.began_at:
                raise Violation(
                    f"{who.group}: {commit.label} of generation {who.generation} was taken, though "
                    f"generation {younger} was there since {at:.3f}"
                )
        self.check_place(who, commit.began_at, commit.label)
        self._check_owner(who, commit)

    def on_read(
        self, group: str, id: PartitionId, offset: int, label: str | None, began_at: float
    ) -> None:
        """A group's coordinator said which offset counts, asked at `began_at`."""
        known = self.commits.get((group, id), {})
        shown = known.get(label) if label is not None else None
        if offset < 0:
            shown = Commit("no commit", -1, 0.0, 0.0)
        elif shown is None or shown.offset != offset:
            raise Violation(f"{group}: {id} has offset {offset} ({label}): never committed")
        elif shown.is_void:
            raise Violation(f"{group}: {id} shows {label}, of {shown.attempt}")
        for other in known.values():
            if shown.ended_at < other.began_at and other.ended_at < began_at:
                raise Violation(
                    f"{group}: {id} went back to {shown.label} (offset {offset}), though "
                    f"{other.label} (offset {other.offset}) had been acknowledged after it"
                )

    def counts(self, group: str, id: PartitionId) -> int:
        """An offset that surely counts, or -1: the last acknowledged one."""
        ended = [c for c in self.commits.get((group, id), {}).values() if c.ended_at < NEVER]
        return max(ended, key=lambda c: c.ended_at).offset if ended else -1
