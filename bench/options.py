"""The command line of the bench: what is measured, how long and how often, and what goes together.

python -m bench --only goals --write docs/benchmarks.md
python -m bench --only throughput,small,latency,move --beside HEAD~20
python -m bench --only start --quick
python -m bench --only partitions --partitions 50000 --alone

A peer is warmed up by the measure itself until its leading figure stops getting better, or
`--warm-max` seconds are over. With --write each section is kept as soon as it ends.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from bench import beside, failover, partition_counts, starts
from bench.sections import GOALS, SECTIONS, wanted

QUICK: Final = {
    "rounds": 1,
    "warm_max": 3.0,
    "window": 3,
    "move_records": 20_000,
    "felt_records": 20_000,
    "swaps": 3,
    "swap_records": 5_000,
    "leaders": 100,
    "source_records": 50_000,
    "consume_records": 200_000,
    "start_partitions": 50,
    "partitions": (50, 100),
}
"""Enough to see that a section runs; an option that is given beside counts."""


def parsed(words: list[str]) -> argparse.Namespace:
    """The options; an end with code 2 where they do not go together."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.quick:
        if options.write is not None:
            parser.error("--quick: its figures say nothing, so they are not kept; drop --write")
        parser.set_defaults(**QUICK)
        options = parser.parse_args(words)
    if not wanted(options.only):
        parser.error(f"--only: no section is called like {options.only!r}")
    if options.alone and wanted(options.only) != ["partitions"]:
        parser.error("--alone: only partitions are measured of Spindle alone: --only partitions")
    if options.beside is not None:
        if others := [name for name in wanted(options.only) if name not in beside.SECTIONS]:
            parser.error(
                f"--beside: {', '.join(others)} cannot be measured on an older commit; name "
                f"sections by --only: {', '.join(beside.SECTIONS)}"
            )
        try:
            beside.name_of(options.beside)
        except ValueError as unknown:
            parser.error(f"--beside: {unknown}")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    defaults = ", ".join(f"{name} {expected.rounds}" for name, expected in SECTIONS.items())
    parser.add_argument("--rounds", type=int, help=f"counted rounds (by default: {defaults})")
    parser.add_argument(
        "--warm-max", type=float, default=40, help="seconds of warming up each peer at most"
    )
    parser.add_argument("--window", type=int, default=20, help="seconds of each measured window")
    parser.add_argument(
        "--quick", action="store_true", help="only see that the sections run: short, with few data"
    )
    _add_amounts(parser)
    parser.add_argument(
        "--only",
        help=f"{','.join(SECTIONS)}; or how their names begin (move: all four of moves); {GOALS}: "
        "all but planner, sources and hostile",
    )
    parser.add_argument(
        "--beside", metavar="COMMIT", help="measure this commit of Spindle, too, in the same run"
    )
    parser.add_argument("--dir", help="where the clusters keep their data")
    parser.add_argument(
        "--write",
        type=Path,
        help="put each section's table into this file as soon as it ends; older rows give way",
    )
    return parser


def _add_amounts(parser: argparse.ArgumentParser) -> None:
    """How much there is to work on."""
    parser.add_argument("--move-records", type=int, default=1_000_000, help="1 KiB records to move")
    parser.add_argument("--felt-records", type=int, default=400_000, help="the same, under load")
    parser.add_argument("--swaps", type=int, default=60, help="swaps under load, each round")
    parser.add_argument("--swap-records", type=int, default=20_000, help="1 KiB records to swap")
    parser.add_argument(
        "--leaders", type=int, default=failover.LEADERS, help="partitions led from a disk that dies"
    )
    parser.add_argument("--source-records", type=int, default=1_000_000, help="to read on Spark")
    parser.add_argument(
        "--consume-records", type=int, default=5_000_000, help="100-byte records to consume"
    )
    parser.add_argument(
        "--start-partitions", type=int, default=starts.PARTITIONS, help="there at a restart"
    )
    parser.add_argument(
        "--partitions",
        type=_counts,
        default=partition_counts.COUNTS,
        help="counts of partitions, each with a cluster of its own; growth counts from the first "
        f"(by default {','.join(map(str, partition_counts.COUNTS))}; add "
        f"{partition_counts.ON_DEMAND} for a large one)",
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="partitions of Spindle alone: more than Apache Kafka may open files for here",
    )


def _counts(text: str) -> tuple[int, ...]:
    """Counts from the command line, the least one first."""
    counts = tuple(sorted({int(word) for word in text.split(",")}))
    if counts[0] < 1:
        raise argparse.ArgumentTypeError(f"{text}: a cluster has one partition at least")
    return counts
