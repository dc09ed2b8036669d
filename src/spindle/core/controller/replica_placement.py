"""Where replicas of new partitions go: striped over racks, then brokers; leaders evenly.

Pure arithmetic over what is registered; the random start comes from the `Rng` handed in. Which
directory of a broker is `Draft.default_directory`'s business. Called by `topics`.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NodeId
from spindle.model.outbox import Rng


class Rack:
    """The brokers of one rack: those that are up, then those that are not."""

    def __init__(self, brokers: Iterable[r.RegisterBroker], rng: Rng) -> None:
        ordered = sorted(brokers, key=lambda b: b.broker_id)
        self.up = [b.broker_id for b in ordered if not b.fenced]
        self.down = [b.broker_id for b in ordered if b.fenced]
        self._start = rng.randrange(len(ordered))

    def at(self, brokers: list[NodeId], level: int, turn: int, shift: int) -> NodeId:
        """The broker that stands at `level` of the order in which turn number `turn` takes them.

        The first moves on by one each turn; the others trail it at a distance that grows by one
        after each round (`shift`), so that the load of one that fails spreads over all.
        """
        count = len(brokers)
        first = self._start + turn
        if level == 0:
            return brokers[first % count]
        return brokers[(first + 1 + (shift + level - 1) % (count - 1)) % count]


def usable(registration: r.RegisterBroker) -> bool:
    """Whether a broker takes new replicas: some directory of it must not be cordoned (B-19)."""
    cordoned = registration.cordoned_log_dirs or ()
    return not registration.log_dirs or any(d not in cordoned for d in registration.log_dirs)


def place(
    registrations: Iterable[r.RegisterBroker], count: int, replication: int, rng: Rng
) -> list[tuple[NodeId, ...]]:
    """Replicas for `count` new partitions, each led by a broker that is up.

    Brokers that are fenced are taken last. Refusal INVALID_REPLICATION_FACTOR where there are not
    enough brokers, or none is up.
    """
    candidates = [b for b in registrations if usable(b)]
    if replication > len(candidates):
        raise Refusal(
            Error.INVALID_REPLICATION_FACTOR,
            f"{replication} replicas are wanted, but {len(candidates)} broker(s) can take one",
        )
    if all(b.fenced for b in candidates):
        raise Refusal(
            Error.INVALID_REPLICATION_FACTOR,
            f"{replication} replicas are wanted, but all brokers are fenced",
        )
    by_rack: dict[str, list[r.RegisterBroker]] = {}
    for broker in candidates:
        by_rack.setdefault(broker.rack or "", []).append(broker)
    racks = [Rack(by_rack[name], rng) for name in sorted(by_rack)]
    start = rng.randrange(len(racks))
    return [_place_one(racks, start, number, replication) for number in range(count)]


def _place_one(racks: list[Rack], start: int, number: int, replication: int) -> tuple[NodeId, ...]:
    leading = [rack for rack in racks if rack.up]
    first = (start + number) % len(leading)
    turn = number // len(leading)
    order = leading[first:] + leading[:first] + [rack for rack in racks if not rack.up]
    chosen: list[NodeId] = []
    for up in (True, False):
        level, found = 0, True
        while found:  # Of thousands at once: only what is asked for is worked out.
            found = False
            for position, rack in enumerate(order):
                brokers = rack.up if up else rack.down
                if level >= len(brokers):
                    continue
                found = True
                shift = turn // len(brokers)
                # Followers' racks are entered a step further each round, lest pairs be fixed.
                entered = turn + (shift if position else 0)
                chosen.append(rack.at(brokers, level, entered, shift))
                if len(chosen) == replication:
                    return tuple(chosen)
            level += 1
    return tuple(chosen)
