"""Runs every measure against both peers in turn and prints medians and ratios.

python -m bench [--rounds 5] [--only throughput,move] [--write docs/benchmarks.md]

A peer is warmed up by the measure itself until its leading figure stops getting better.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from tests.support.processes import tied

from bench import failover, hostile, measures, moves
from bench.peers import NAMES, Peer
from bench.report import Table, joined, render
from bench.warmth import is_warm


class Measure(NamedTuple):
    """One measure, and the figure by which a peer is told to be warm."""

    name: str
    run: Callable[[Peer, int], Awaitable[measures.Figures]]
    leading: str
    less_is_better: bool = False


async def run(options: argparse.Namespace) -> Table:
    """All measures that are asked for."""
    table: Table = defaultdict(lambda: defaultdict(list))
    window = options.window
    plan = [
        Measure("throughput", lambda p, n: measures.throughput(p, n, window), "produce MB/s"),
        Measure("latency", lambda p, n: measures.latency(p, n, window), "latency p50 ms", True),
        Measure("small", lambda p, n: measures.small(p, n, window), "small requests/s"),
        Measure("move", lambda p, n: moves.move(p, n, options.move_records), "move MB/s"),
        Measure(
            "move-felt",
            lambda p, n: moves.felt(p, n, options.felt_records, window),
            "acks=all p99 ms",
            True,
        ),
        Measure(
            "move-swaps",
            lambda p, n: moves.swaps(p, n, options.swap_records, options.swaps),
            "append block at the swap p50 ms",
            True,
        ),
    ]
    with tempfile.TemporaryDirectory(dir=options.dir) as home:
        if _wanted("sources", options):
            await _sources(table, Path(home), options)
        if _wanted("planner", options):
            from bench import planner  # Only this measure needs the exact solver.

            planner.run(Path(home), lambda figure, whose, n: table[figure][whose].append(n))
        if _wanted("hostile", options):
            await hostile.run(
                Path(home), options.rounds, lambda figure, whose, n: table[figure][whose].append(n)
            )
        shim = _shim(Path(home))
        wanted = [measure for measure in plan if _wanted(measure.name, options)]
        if wanted:
            await _shared(table, wanted, Path(home), options)
        if _wanted("gap", options):
            await _gaps(table, Path(home), shim, options)
        if _wanted("failover", options):
            await asyncio.to_thread(_failovers, table, Path(home), shim, options)
    return table


def _wanted(name: str, options: argparse.Namespace) -> bool:
    """Whether a measure is asked for: by its name, or by how it begins."""
    return options.only is None or name.startswith(tuple(options.only.split(",")))


async def _shared(
    table: Table, plan: list[Measure], home: Path, options: argparse.Namespace
) -> None:
    """The measures that leave their clusters whole share them; one cluster runs at a time."""
    peers: list[Peer] = []
    try:
        for name in NAMES:
            peer = Peer(name, home)
            peers.append(peer)
            table["start to serving s"][name].append(await peer.start())
            print(f"{name} serves", file=sys.stderr)
            peer.freeze()
        for measure in plan:
            await _rounds(table, measure, peers, options)
    finally:
        for peer in peers:
            await peer.stop()


async def _sources(table: Table, home: Path, options: argparse.Namespace) -> None:
    from bench import sources  # Only this measure needs Spark.

    def note(figure: str, whose: str, value: float) -> None:
        table[figure][whose].append(value)

    await sources.run(home, options.source_records, options.rounds, note)


async def _rounds(
    table: Table, measure: Measure, peers: list[Peer], options: argparse.Namespace
) -> None:
    """Warm each peer up, then let them take turns; who does not work is frozen."""
    serial = itertools.count()

    async def once(peer: Peer, round_: str) -> measures.Figures:
        figures = await measure.run(peer, next(serial))
        line = ", ".join(f"{k} {v:.3g}" for k, v in figures.items())
        print(f"{measure.name} {peer.name} {round_}: {line}", file=sys.stderr)
        return figures

    for peer in peers:
        await peer.thaw()
        seen: list[float] = []
        while len(seen) < options.warm_max and not is_warm(seen, measure.less_is_better):
            figures = await once(peer, f"warm {len(seen) + 1}")
            if measure.leading not in figures:
                break
            seen.append(figures[measure.leading])
        peer.freeze()
    for round_ in range(options.rounds):
        for peer in peers:
            await peer.thaw()
            for figure, value in (await once(peer, str(round_))).items():
                table[figure][peer.name].append(value)
            peer.freeze()


async def _gaps(table: Table, home: Path, shim: Path, options: argparse.Namespace) -> None:
    """A fresh cluster each time: a disk that has failed is not itself again."""
    for round_ in range(options.gap_rounds):
        for role in measures.ROLES:
            for name in NAMES:
                peer = Peer(name, home / f"gap-{role}-{round_}")
                try:
                    await peer.start(shim, Path(peer.directories(measures.VICTIM)[-1]))
                    figures = await measures.gap(peer, round_, role)
                finally:
                    await peer.stop()
                print(f"gap {name} {round_}: {figures}", file=sys.stderr)
                for figure, value in figures.items():
                    table[figure][name].append(value)


def _failovers(table: Table, home: Path, shim: Path, options: argparse.Namespace) -> None:
    """Clusters of their own: with three controllers, and with thousands of leaders on a disk."""
    rounds, leaders = options.failover_rounds, options.leaders
    for measure in (
        failover.killed_controllers(home, rounds),
        failover.dead_disks(home, shim, rounds, leaders),
    ):
        for name, figures in measure:
            print(f"failover {name}: {figures}", file=sys.stderr)
            for figure, value in figures.items():
                table[figure][name].append(value)


def _shim(home: Path) -> Path:
    library = home / "failing_disk.so"
    source = Path(__file__).with_name("failing_disk.c")
    subprocess.run(
        tied(["gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"]),
        check=True,
    )
    return library


def _shown(arguments: list[str]) -> list[str]:
    """The command line without paths of this machine."""
    return [a for a in arguments if "/" not in a and a not in ("--write", "--dir")]


def main() -> None:
    """Parse the options, run, print, and keep the result where asked."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds of each measure")
    parser.add_argument("--warm-max", type=int, default=10, help="rounds of warming up at most")
    parser.add_argument("--window", type=int, default=20, help="seconds of each measured window")
    parser.add_argument("--move-records", type=int, default=1_000_000, help="1 KiB records to move")
    parser.add_argument("--felt-records", type=int, default=400_000, help="the same, under load")
    parser.add_argument("--swaps", type=int, default=60, help="swaps under load, each round")
    parser.add_argument("--swap-records", type=int, default=20_000, help="1 KiB records to swap")
    parser.add_argument("--gap-rounds", type=int, default=1, help="disk failures of each kind")
    parser.add_argument("--failover-rounds", type=int, default=5, help="failovers of each kind")
    parser.add_argument(
        "--leaders", type=int, default=failover.LEADERS, help="partitions led from a disk that dies"
    )
    parser.add_argument("--source-records", type=int, default=2_000_000, help="to read on Spark")
    names = (
        "planner,sources,hostile,throughput,latency,small,move,move-felt,move-swaps,gap,failover"
    )
    parser.add_argument("--only", help=f"{names}; move: all three of moves")
    parser.add_argument("--dir", help="where the clusters keep their data")
    parser.add_argument(
        "--write",
        type=Path,
        help="put the table into this file; rows of older runs give way",
    )
    options = parser.parse_args()
    table = asyncio.run(run(options))
    text = render(table, "python -m bench " + " ".join(_shown(sys.argv[1:])))
    print(text)
    if options.write:
        options.write.write_text(joined(options.write.read_text(), text, set(table)))


if __name__ == "__main__":
    main()
