"""A plan, for its readers and for `apply`: values, and the file that holds them.

The file is the document of kafka-reassign-partitions, which Kafka's own tool takes as it is, with a
member `spindle` beside it for what that has no place for: waves, sizes, directories, the band. Pure
and without Spark, so that carrying a plan out starts at once. Sizes are bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NotRequired, TypedDict

from spindle.model.errors import Unusable
from spindle.planning.budget import PlanBudget
from spindle.planning.cluster_model import BrokerLoad
from spindle.planning.duration import CopyRates, Longest, longest
from spindle.planning.leaders import Lead, Leadership, WeightedPartition, even_leaders
from spindle.planning.load import HERE, Band, PlannedMove
from spindle.planning.reassignment_json import Brokers, placed, reassignment
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import EVERYTHING, Selection

Waves = tuple[tuple[PlannedMove, ...], ...]


@dataclass(frozen=True, slots=True)
class DirectoryNow:
    """A directory's load before the plan and after it.

    `capacity`: bytes that replicas may take here; 0 where that is unknown. Rates: bytes/s that it
    is written with; None where those do not count.
    """

    broker: int
    path: str
    online: bool
    capacity: int
    before: int
    after: int
    cordoned: bool = False
    rate_before: int | None = None
    rate_after: int | None = None
    left: int = 0
    """Replicas, also of no bytes, that stay in it though it was to be emptied. In no file."""

    @property
    def name(self) -> str:
        """As options name it: BROKER:PATH."""
        return f"{self.broker}:{self.path}"

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """Bytes before and after; None where it is offline, and what lies in it is unknown."""
        unknown = not self.online and not self.before and not self.after
        return (None, None) if unknown else (self.before, self.after)


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What a plan was asked for: the band, directories (BROKER:PATH) and brokers (BROKER) to empty
    or to spare, and how many moves there may be at once."""

    band: Band = field(default_factory=Band)
    drain: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limits: WaveLimits = field(default_factory=WaveLimits)
    between: bool = False
    """Whether replicas may go to other brokers, too."""
    leaders: bool = False
    """Whether to even out leaders, too."""
    selection: Selection = EVERYTHING
    """Which partitions may be moved; the others stay as they are."""
    mend_racks: bool = False
    """Whether to separate replicas that share a rack without need."""
    pace: CopyRates = field(default_factory=CopyRates)
    """What moves may copy each second."""
    budget: PlanBudget = field(default_factory=PlanBudget)
    """What the whole plan may cost."""
    capacities: Mapping[str, int] = field(default_factory=dict)
    """Bytes by BROKER:PATH, in place of what brokers report."""

    @property
    def exact(self) -> bool:
        """Whether only the moves of the plan are made: what is planned again may cost more."""
        return self.budget.exact or self.budget.limits

    def load(self, broker: int, rack: str | None = None) -> BrokerLoad:
        """A broker as the planner takes it."""
        name = str(broker)
        return BrokerLoad(broker, rack, name not in self.exclude, name in self.drain)


@dataclass(frozen=True, slots=True)
class ClusterProposal:
    """The plan of a whole cluster.

    `bound`: bytes that any plan must move at least that ends as even; 0 where that is not known.
    """

    directories: tuple[DirectoryNow, ...]
    waves: Waves
    bound: int
    notes: tuple[str, ...]
    silent: tuple[tuple[int, str], ...]
    """Brokers that did not answer, and why."""
    wanted: PlanRequest = field(default_factory=PlanRequest)
    sampled_at: str = ""
    """When the sample was taken, ISO 8601 in UTC."""
    leadership: Leadership | None = None
    weights: Mapping[tuple[str, int], float] = field(
        default_factory=dict, repr=False, compare=False
    )
    """What leading a partition costs: bytes/s, or bytes where rates do not count. In no file."""
    rates: Mapping[tuple[str, int], int] = field(default_factory=dict, repr=False)
    """Bytes/s that partitions are written with, where rates count: for planning again."""
    bytes_only: tuple[int, ...] = ()
    """Brokers whose capacities are not known, so that bytes alone are evened out."""
    hidden: tuple[str, ...] = field(default=(), compare=False)
    """Topics on disks that the metadata does not show. In no file."""

    @property
    def moves(self) -> tuple[PlannedMove, ...]:
        """All moves, in order."""
        return tuple(move for wave in self.waves for move in wave)

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        orders = () if self.leadership is None else self.leadership.orders
        return bool(self.waves or orders)

    @property
    def bytes_moved(self) -> int:
        """Bytes that the plan moves."""
        return sum(move.size for move in self.moves)

    @property
    def longest(self) -> Longest | None:
        """What takes longest by the throttles, so how long the plan takes at least."""
        return longest(self.moves, self.wanted.pace)

    @property
    def unplanned(self) -> tuple[int, ...]:
        """Brokers for which nothing could be planned: no answer, or no space of a disk."""
        untold = {d.broker for d in self.directories if d.online and not d.capacity}
        return tuple(sorted((untold - {*self.bytes_only}) | {broker for broker, _ in self.silent}))

    @property
    def undrained(self) -> tuple[str, ...]:
        """Directories that were to be emptied and are not empty in the end: BROKER:PATH."""
        drained = self.wanted.drain
        return tuple(
            d.name
            for d in self.directories
            if (d.after > 0 or d.left) and (d.name in drained or str(d.broker) in drained)
        )

    @property
    def done(self) -> bool:
        """Whether all could be planned that was asked for."""
        return bool(self.directories) and not (self.unplanned or self.undrained)


class MoveDocument(TypedDict):
    """A move in a plan's file."""

    topic: str
    partition: int
    broker: int
    source: str
    target: str
    size: int
    destination: NotRequired[int]
    rate: NotRequired[float]


class LeadershipDocument(TypedDict):
    """The preferred leaders in a plan's file."""

    orders: list[tuple[str, int, Sequence[int]]]
    brokers: list[tuple[int, int, int, float, float]]


def document(proposal: ClusterProposal, replicas: Brokers | None = None) -> dict[str, object]:
    """The plan as its file has it; `replicas`: the brokers of each partition now.

    Without those (a plan for a cluster that is not there) Kafka's part is missing.
    """
    leadership = proposal.leadership
    orders = {} if leadership is None else {led[:2]: led.replicas for led in leadership.orders}
    kafkas: dict[str, object] = {"version": 1}
    if replicas is not None:
        kafkas = reassignment(proposal.moves, replicas, orders)
    wanted, longest = proposal.wanted, proposal.longest
    return {
        **kafkas,
        "spindle": {
            "sampledAt": proposal.sampled_at,
            "tolerance": wanted.band.tolerance,
            "highMark": wanted.band.high_mark,
            "freeFloor": wanted.band.free_floor,
            "rateTolerance": wanted.band.rate_tolerance,
            "drain": list(wanted.drain),
            "exclude": list(wanted.exclude),
            "excludeTopics": list(wanted.selection.exclude_topics),
            "topics": list(wanted.selection.topics),
            "topicPartitions": list(wanted.selection.partitions),
            "excludeTopicPartitions": list(wanted.selection.exclude_partitions),
            "maxMoves": wanted.budget.moves,
            "maxBytes": wanted.budget.bytes,
            "leastBenefit": wanted.budget.least_benefit,
            "capacities": dict(wanted.capacities),
            "bytesOnly": list(proposal.bytes_only),
            "leastBytes": wanted.band.least,
            "mendRacks": wanted.mend_racks,
            "exact": wanted.budget.exact,
            "movesPerDisk": wanted.limits.moves_per_disk,
            "movesPerBroker": wanted.limits.moves_per_broker,
            "betweenBrokers": wanted.between,
            "throttle": wanted.pace.broker,
            "diskThrottle": wanted.pace.disk,
            "leastSeconds": None if longest is None else round(longest.seconds, 1),
            "directories": [
                {
                    "broker": d.broker, "logDir": d.path, "online": d.online,
                    "cordoned": d.cordoned, "capacity": d.capacity,
                    **dict(zip(("before", "after"), d.sizes, strict=True)),
                    **(
                        {} if d.rate_before is None
                        else {"rateBefore": d.rate_before, "rateAfter": d.rate_after}
                    ),
                }
                for d in proposal.directories
            ],
            "leaders": None if leadership is None else _leadership_document(leadership),
            "moves": len(proposal.moves),
            "bytes": proposal.bytes_moved,
            "boundBytes": proposal.bound,
            "waves": waves_document(proposal.waves),
            "notes": list(proposal.notes),
            "silentBrokers": {str(broker): why for broker, why in proposal.silent},
            "rates": _rates_document(proposal.rates),
        },
    }  # fmt: skip


def parse(text: str, name: str = "the plan") -> ClusterProposal:
    """Read such a file; Unusable says what is wrong with it."""
    try:
        own: dict[str, Any] = json.loads(text)["spindle"]
        band = Band(
            own["tolerance"], own["highMark"], own.get("rateTolerance"), own["freeFloor"],
            own.get("leastBytes"),
        )  # fmt: skip
        limits = WaveLimits(own["movesPerDisk"], own["movesPerBroker"])
        spared, between = tuple(own["exclude"]), own["betweenBrokers"]
        return ClusterProposal(
            directories=tuple(
                DirectoryNow(
                    d["broker"], d["logDir"], d["online"], d["capacity"],
                    d["before"] or 0, d["after"] or 0,
                    d["cordoned"], d.get("rateBefore"), d.get("rateAfter"),
                )
                for d in own["directories"]
            ),
            waves=parse_waves(own["waves"]),
            bound=own["boundBytes"],
            notes=tuple(own["notes"]),
            silent=tuple((int(broker), why) for broker, why in own["silentBrokers"].items()),
            wanted=PlanRequest(
                band, tuple(own["drain"]), spared, limits, between, bool(own.get("leaders")),
                Selection(
                    tuple(own.get("topics", ())), tuple(own.get("excludeTopics", ())),
                    tuple(own.get("topicPartitions", ())),
                    tuple(own.get("excludeTopicPartitions", ())),
                ),
                bool(own.get("mendRacks")),
                CopyRates(own.get("throttle"), own.get("diskThrottle")),
                PlanBudget(
                    own.get("maxMoves"), own.get("maxBytes"), own.get("leastBenefit"),
                    bool(own.get("exact")),
                ),
                own.get("capacities", {}),
            ),
            sampled_at=own["sampledAt"],
            leadership=_leadership(own.get("leaders")),
            rates={
                (topic, number): rate
                for topic, rates in own["rates"].items()
                for number, rate in rates
            },
            bytes_only=tuple(own.get("bytesOnly", ())),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
        why = {ValueError: "it is no JSON", KeyError: f"it has no {error}"}
        kind = ValueError if isinstance(error, ValueError) else type(error)
        told = why.get(kind, "it has another form")
        raise Unusable(
            f"{name} is not a plan of `spindle balance plan` ({told}). "
            "A plan of Kafka's own tool is carried out with `spindle reassign execute`"
        ) from None


def led(proposal: ClusterProposal, replicas: Brokers, brokers: Sequence[int]) -> ClusterProposal:
    """The plan with preferred leaders evened out among these brokers, after its moves."""
    end = {**replicas, **placed(proposal.moves, replicas)}
    excludes = proposal.wanted.selection.excludes
    partitions = [
        WeightedPartition(*name, theirs, proposal.weights.get(name, 0.0), excludes(*name))
        for name, theirs in end.items()
    ]
    band = proposal.wanted.band
    unit = "" if band.rate_tolerance is None else "/s"
    found = even_leaders(partitions, brokers, band.tolerance, unit)
    notes = (*proposal.notes, *found.notes)
    orders = tuple(led._replace(weight=0.0) for led in found.orders)
    return replace(proposal, leadership=Leadership(orders, found.leads, ()), notes=notes)


def _rates_document(rates: Mapping[tuple[str, int], int]) -> dict[str, list[list[int]]]:
    told: dict[str, list[list[int]]] = {}
    for (topic, partition), rate in sorted(rates.items()):
        told.setdefault(topic, []).append([partition, rate])
    return told


def _leadership_document(leadership: Leadership) -> dict[str, object]:
    return {
        "orders": [[led.topic, led.partition, list(led.replicas)] for led in leadership.orders],
        "brokers": [list(lead) for lead in leadership.leads],
    }


def _leadership(told: LeadershipDocument | None) -> Leadership | None:
    if told is None:
        return None
    orders = tuple(
        WeightedPartition(topic, n, tuple(theirs), 0.0) for topic, n, theirs in told["orders"]
    )
    return Leadership(orders, tuple(Lead(*lead) for lead in told["brokers"]), ())


def waves_document(waves: Iterable[Sequence[PlannedMove]]) -> list[list[MoveDocument]]:
    """Waves of moves as JSON values; `destination` only where a move goes to another broker."""
    return [[_move_document(move) for move in wave] for wave in waves]


def _move_document(m: PlannedMove) -> MoveDocument:
    told: MoveDocument = {
        "topic": m.topic, "partition": m.partition, "broker": m.broker,
        "source": m.source, "target": m.target, "size": m.size,
    }  # fmt: skip
    if m.between:
        told["destination"] = m.destination
    if m.rate:
        told["rate"] = round(m.rate)
    return told


def parse_waves(told: Iterable[Iterable[MoveDocument]]) -> Waves:
    """The same back."""
    return tuple(
        tuple(
            PlannedMove(
                m["broker"], m["topic"], m["partition"], m["source"], m["target"],
                m["size"], m.get("destination", HERE), m.get("rate", 0.0),
            )
            for m in wave
        )
        for wave in told
    )  # fmt: skip
