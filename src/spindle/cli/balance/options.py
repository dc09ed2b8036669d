"""The options that the commands of `spindle balance` have in common, and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spindle.cli.sizes import capacities
from spindle.model.errors import Unusable
from spindle.pipeline.proposal import PlanRequest
from spindle.planning.budget import PlanBudget
from spindle.planning.duration import CopyRates
from spindle.planning.load import Band
from spindle.planning.schedule import WaveLimits
from spindle.planning.selection import EVERYTHING, Selection

NO_LIMIT = CopyRates()
NO_BUDGET = PlanBudget()
Tolerance = Annotated[
    float,
    typer.Option(
        min=0.0, max=0.5, metavar="SHARE", help="Allowed deviation from a broker's mean; 0.05: 5 %."
    ),
]
HighMark = Annotated[
    float,
    typer.Option(
        min=0.1, max=1.0, metavar="SHARE", help="Fill no disk above this share of its space."
    ),
]
FreeFloor = Annotated[
    int,
    typer.Option(
        min=0, metavar="BYTES", help="Bytes to keep free on each disk, besides the share."
    ),
]
RateTolerance = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=0.5,
        metavar="SHARE",
        help="Also even out write rates, with this allowed deviation (0.05: 5 %). The rates come "
        "from the history.",
    ),
]
Drain = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BROKER:PATH",
        help="Empty this directory, or with --between-brokers a whole BROKER; may be repeated.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BROKER:PATH",
        help="Move nothing into this directory, or to this BROKER from others; may be repeated.",
    ),
]
ExcludeTopics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REGEX",
        help="Leave a topic as it is if its whole name matches this regular expression; may be "
        "repeated.",
    ),
]
TopicPartitions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REGEX:RANGE",
        help="Move only these partitions, and what --topics names: orders:5, orders:0-12 (0 to "
        "11), orders:5-, 'a.*:-12', as in kafka-get-offsets; may be repeated.",
    ),
]
ExcludeTopicPartitions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REGEX:RANGE",
        help="Leave these partitions as they are: orders:0-12 is 0 to 11; may be repeated.",
    ),
]
Least = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="BYTES",
        help="To even out, move no replica smaller than this; 0: no limit. By default the "
        "smallest replicas stay, up to 1 % of all bytes.",
    ),
]
Topics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REGEX",
        help="Move replicas only of topics whose whole name matches; may be repeated.",
    ),
]
Capacity = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BROKER:PATH=SIZE",
        help="The space of a log directory (4TiB, 500G), or a mount of this machine, where brokers "
        "do not report it (Apache Kafka before 3.3) or report it wrongly; may be repeated, or "
        "be a file with such lines.",
    ),
]
MaxMoves = Annotated[
    int | None, typer.Option(min=1, help="Plan no more moves than this, the first of the plan.")
]
MaxBytes = Annotated[
    int | None,
    typer.Option(min=1, metavar="BYTES", help="Plan moves of no more bytes than this in all."),
]
LeastBenefit = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        help="Leave out a broker (with --between-brokers: the plan) if each byte moved brings "
        "fewer bytes than this closer to even.",
    ),
]
MendRacks = Annotated[
    bool,
    typer.Option(
        "--mend-racks",
        help="With --between-brokers: separate replicas of a partition that share a rack.",
    ),
]
MovesPerDisk = Annotated[int, typer.Option(min=1, help="Concurrent moves of a disk.")]
MovesPerBroker = Annotated[
    int, typer.Option(min=0, help="Concurrent moves of a broker; 0: no limit.")
]
Throttle = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES/S",
        help="Most bytes/s that a broker copies, between its disks and to and from other brokers. "
        "No limit by default; `apply` uses the plan's.",
    ),
]
DiskThrottle = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES/S",
        help="Average bytes/s that moves read from and write to a disk: the disk rests after a "
        "move. No limit by default; `apply` uses the plan's.",
    ),
]
History = Annotated[
    str,
    typer.Option(
        metavar="PATH|URI|spark:TABLE",
        help="Where samples are kept: a path or a URI that Spark reaches (Parquet, by day), or a "
        "table of Spark's catalog.",
    ),
]
UseSpark = Annotated[
    bool | None,
    typer.Option(
        "--spark/--no-spark",
        help="Plan on Spark, or in this process. By default Spark plans only if the history counts "
        "(--ahead, --rate-tolerance, a URI) and large clusters.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the plan to this file.")
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Write an HTML page with pictures."),
]
Between = Annotated[
    bool,
    typer.Option(
        "--between-brokers",
        help="Also even out brokers: replicas may change broker, and keep their racks.",
    ),
]


Leaders = Annotated[
    bool,
    typer.Option(
        "--leaders",
        help="Also even out leaders, by number and bytes: reorders replicas, copies nothing.",
    ),
]


def wanted(
    tolerance: float,
    high_mark: float,
    free_floor: int,
    drain: list[str] | None,
    exclude: list[str] | None,
    moves_per_disk: int,
    moves_per_broker: int,
    between: bool = False,
    rate_tolerance: float | None = None,
    leaders: bool = False,
    selection: Selection = EVERYTHING,
    least: int | None = None,
    mend_racks: bool = False,
    pace: CopyRates = NO_LIMIT,
    budget: PlanBudget = NO_BUDGET,
    capacity: list[str] | None = None,
) -> PlanRequest:
    """The options of a plan as a value."""
    if mend_racks and not between:
        raise Unusable("--mend-racks moves replicas to other brokers: add --between-brokers")
    return PlanRequest(
        Band(tolerance, high_mark, rate_tolerance, free_floor, least),
        tuple(drain or ()),
        tuple(exclude or ()),
        WaveLimits(moves_per_disk, moves_per_broker),
        between,
        leaders,
        selection,
        mend_racks,
        pace,
        budget,
        capacities(capacity or ()),
    )


def selected(
    topics: list[str] | None,
    exclude_topics: list[str] | None,
    partitions: list[str] | None,
    exclude_partitions: list[str] | None,
) -> Selection:
    """Which partitions may be moved; Unusable names the option whose text is no pattern."""
    return Selection(
        tuple(topics or ()),
        tuple(exclude_topics or ()),
        tuple(partitions or ()),
        tuple(exclude_partitions or ()),
    )


def home_of(history: str) -> str:
    """Where that is for Spark, which may run with another working directory."""
    return history if is_sparks(history) else str(Path(history).absolute())


def is_sparks(history: str) -> bool:
    """Whether only Spark reaches a history: it is a URI, or a table of a catalog."""
    return "://" in history or history.startswith("spark:")
