"""The options that the commands of `spindle balance` have in common, and what they mean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from spindle.model.errors import Unusable
from spindle.pipeline.proposal import PlanRequest
from spindle.planning.duration import CopyRates
from spindle.planning.load import Band
from spindle.planning.schedule import WaveLimits

NO_LIMIT = CopyRates()
Tolerance = Annotated[
    float,
    typer.Option(
        min=0.0, max=0.5, metavar="SHARE", help="How far from a broker's mean is even enough."
    ),
]
HighMark = Annotated[
    float,
    typer.Option(
        min=0.1, max=1.0, metavar="SHARE", help="No disk is filled above this share, ever."
    ),
]
FreeFloor = Annotated[
    int,
    typer.Option(
        min=0, metavar="BYTES", help="Bytes that stay free on each disk, whatever the share says."
    ),
]
RateTolerance = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=0.5,
        metavar="SHARE",
        help="Even out write rates, too: how far from an equal part of the bytes/s (0.05: 5 %) is "
        "even enough. They come from the history.",
    ),
]
Drain = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BROKER:PATH",
        help="Empty this directory, BROKER:PATH, or with --between-brokers all of a BROKER; may be "
        "repeated.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BROKER:PATH",
        help="Move nothing into this directory, BROKER:PATH, or to this BROKER from others.",
    ),
]
ExcludeTopics = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REGEX",
        help="Leave topics as they are whose whole name this regular expression matches; may be "
        "repeated.",
    ),
]
Least = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="BYTES",
        help="Move no replica smaller than so many bytes to even out; 0: move whatever helps. By "
        "default those stay that all together hardly count.",
    ),
]
MendRacks = Annotated[
    bool,
    typer.Option(
        "--mend-racks",
        help="With --between-brokers: part replicas of a partition that share a rack without need.",
    ),
]
MovesPerDisk = Annotated[int, typer.Option(min=1, help="Moves of one disk at once.")]
MovesPerBroker = Annotated[
    int, typer.Option(min=0, help="Moves of one broker at once; 0: no limit.")
]
Throttle = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES/S",
        help="Bytes/s that a broker may copy: between its disks, and from and to others. `apply` "
        "takes the plan's by default.",
    ),
]
DiskThrottle = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="BYTES/S",
        help="Bytes/s that moves may copy from and to one disk, on the average: it rests after a "
        "move until that is so. `apply` takes the plan's by default.",
    ),
]
History = Annotated[
    str,
    typer.Option(
        metavar="PATH|URI",
        help="Where samples are kept, as Parquet by day: a path, or a URI for Spark.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the plan's file here.")
]
Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE", help="Write a page with pictures here (HTML)."),
]
Between = Annotated[
    bool,
    typer.Option(
        "--between-brokers", help="Even out brokers, too: replicas may change broker; racks kept."
    ),
]


Leaders = Annotated[
    bool,
    typer.Option(
        "--leaders",
        help="Even out who leads, too, in number and bytes: by the order of replicas; copies none.",
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
    exclude_topics: list[str] | None = None,
    least: int | None = None,
    mend_racks: bool = False,
    pace: CopyRates = NO_LIMIT,
) -> PlanRequest:
    """The options of a plan as a value."""
    for pattern in exclude_topics or ():
        try:
            re.compile(pattern)
        except re.error as error:
            raise Unusable(
                f"--exclude-topics {pattern!r} is no regular expression: {error}"
            ) from None
    if mend_racks and not between:
        raise Unusable("--mend-racks moves replicas to other brokers: add --between-brokers")
    return PlanRequest(
        Band(tolerance, high_mark, rate_tolerance, free_floor, least),
        tuple(drain or ()),
        tuple(exclude or ()),
        WaveLimits(moves_per_disk, moves_per_broker),
        between,
        leaders,
        tuple(exclude_topics or ()),
        mend_racks,
        pace,
    )


def home_of(history: str) -> str:
    """Where that is for Spark, which may run with another working directory."""
    return history if "://" in history else str(Path(history).absolute())
