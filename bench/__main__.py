"""Runs every measure against both peers in turn and prints medians and ratios.

python -m bench [--rounds 5] [--only throughput,move] [--write docs/benchmarks.md]
python -m bench --only throughput,small,latency,move --beside HEAD~20

A peer is warmed up by the measure itself until its leading figure stops getting better, or
`--warm-max` seconds are over. With --write each section is kept as soon as it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.processes import tied

from bench import beside, failover, hostile, measures, moves
from bench.peers import NAMES, Peer
from bench.report import Table
from bench.sections import SECTIONS, Results, estimate, in_words, wanted
from bench.warmth import is_warm, slope

WARM_WINDOW: Final = 5
"""Seconds of a window in which a peer is only warmed up."""


class Measure(NamedTuple):
    """One measure, and the figure that says whether a peer is warm."""

    name: str
    run: Callable[[Peer, int, int], Awaitable[measures.Figures]]
    """Given the peer, a serial number, and the seconds of a window."""
    leading: str
    window: int
    less_is_better: bool = False


async def run(options: argparse.Namespace, results: Results) -> None:
    """All sections that are asked for; each one's figures are kept as soon as it ends."""
    names = wanted(options.only)
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.dir)))
        peers: dict[str, Path | None] = dict.fromkeys(NAMES)
        if options.beside is not None:
            name = beside.name_of(options.beside)
            peers[name] = stack.enter_context(beside.checked_out(options.beside, place / "older"))
        shim = _shim(place)
        alone: dict[str, Callable[[Table], Awaitable[None]]] = {
            "planner": lambda table: _planner(table, place),
            "sources": lambda table: _sources(table, place, options),
            "hostile": lambda table: _hostile(table, place, options),
            "gap": lambda table: _gaps(table, place, shim, options),
            "failover": lambda table: asyncio.to_thread(_failovers, table, place, shim, options),
        }
        plan = [measure for measure in _plan(options) if measure.name in names]
        for name in names:
            if name in alone:
                with results.section(name) as table:
                    await alone[name](table)
            elif plan:
                # All measures that share clusters run here, where the first of them stands.
                await _shared(results, plan, place, peers, options)
                plan = []


def _plan(options: argparse.Namespace) -> list[Measure]:
    """The measures that leave their clusters whole."""
    window = options.window
    return [
        Measure("throughput", lambda p, n, s: measures.throughput(p, n, s), "produce MB/s", window),
        Measure("small", lambda p, n, s: measures.small(p, n, s), "small requests/s", window),
        Measure(
            "latency", lambda p, n, s: measures.latency(p, n, s), "latency p50 ms", window, True
        ),
        Measure(
            "move", lambda p, n, s: moves.move(p, n, options.move_records), "move MB/s", window
        ),
        Measure(
            "move-felt",
            lambda p, n, s: moves.felt(p, n, options.felt_records, s),
            "acks=all p99 ms",
            window,
            True,
        ),
        Measure(
            "move-swaps",
            lambda p, n, s: moves.swaps(p, n, options.swap_records, options.swaps),
            "append block at the swap p50 ms",
            window,
            True,
        ),
    ]


async def _shared(
    results: Results,
    plan: list[Measure],
    home: Path,
    names: dict[str, Path | None],
    options: argparse.Namespace,
) -> None:
    """The measures that leave their clusters whole share them; one cluster runs at a time.

    `names`: of the peers, each with the modules that it runs where they are not today's.
    """
    peers: list[Peer] = []
    try:
        for measure in plan:
            with results.section(measure.name) as table:
                for name, modules in list(names.items())[len(peers) :]:
                    peer = Peer(name, home, modules)
                    peers.append(peer)
                    table["start to serving s"][name].append(await peer.start())
                    print(f"{name} serves", file=sys.stderr)
                    peer.freeze()
                await _rounds(table, measure, peers, options)
            for peer in peers:
                peer.freeze()  # Also the one in whose turn a measure failed.
    finally:
        for peer in peers:
            await peer.stop()


async def _planner(table: Table, home: Path) -> None:
    from bench import planner  # Only this measure needs the exact solver.

    await asyncio.to_thread(planner.run, home, _noted(table))


async def _sources(table: Table, home: Path, options: argparse.Namespace) -> None:
    from bench import sources  # Only this measure needs Spark.

    rounds = _rounds_of("sources", options)
    await sources.run(home, options.source_records, rounds, _noted(table))


async def _hostile(table: Table, home: Path, options: argparse.Namespace) -> None:
    await hostile.run(home, _rounds_of("hostile", options), _noted(table))


def _noted(table: Table) -> Callable[[str, str, float], None]:
    return lambda figure, whose, value: table[figure][whose].append(value)


def _rounds_of(section: str, options: argparse.Namespace) -> int:
    return int(options.rounds or SECTIONS[section].rounds)


async def _rounds(
    table: Table, measure: Measure, peers: list[Peer], options: argparse.Namespace
) -> None:
    """Warm each peer up, then let them take turns; a peer that does not work is frozen."""
    serial = itertools.count()

    async def once(peer: Peer, round_: str, seconds: int) -> measures.Figures:
        figures = await measure.run(peer, next(serial), seconds)
        line = ", ".join(f"{k} {v:.3g}" for k, v in figures.items())
        print(f"{measure.name} {peer.name} {round_}: {line}", file=sys.stderr)
        return figures

    for peer in peers:
        await peer.thaw()
        await _warm_up(measure, peer, once, options.warm_max)
        peer.freeze()
    for round_ in range(_rounds_of(measure.name, options)):
        for peer in peers:
            await peer.thaw()
            for figure, value in (await once(peer, str(round_), measure.window)).items():
                table[figure][peer.name].append(value)
            peer.freeze()


async def _warm_up(
    measure: Measure,
    peer: Peer,
    once: Callable[[Peer, str, int], Awaitable[measures.Figures]],
    most: float,
) -> None:
    """Short windows until the leading figure stops getting better, or the time is up."""
    began = time.monotonic()
    seen: list[float] = []
    while not is_warm(seen, measure.less_is_better):
        if seen and time.monotonic() - began >= most:
            rise = slope(seen, measure.less_is_better)
            print(
                f"{measure.name} {peer.name}: the warm-up was ended after {most:.0f} s; its figure "
                f"still got better by {rise:.1%} a window ({len(seen)} windows)",
                file=sys.stderr,
            )
            return
        figures = await once(peer, f"warm {len(seen) + 1}", WARM_WINDOW)
        if measure.leading not in figures:
            return
        seen.append(figures[measure.leading])


async def _gaps(table: Table, home: Path, shim: Path, options: argparse.Namespace) -> None:
    """A fresh cluster each time: a disk that has failed is not itself again."""
    for round_ in range(_rounds_of("gap", options)):
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
    rounds, leaders = _rounds_of("failover", options), options.leaders
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
    """Parse the options, run, print, and keep the results where asked."""
    options = _parsed(sys.argv[1:])
    names = wanted(options.only)
    results = Results("python -m bench " + " ".join(_shown(sys.argv[1:])), options.write)
    print(estimate(names, options.rounds), file=sys.stderr)
    asyncio.run(run(options, results))
    print(f"took: {in_words(results.minutes)}", file=sys.stderr)
    if results.failed:
        sys.exit(f"failed: {', '.join(results.failed)}")


def _parsed(words: list[str]) -> argparse.Namespace:
    """The options; an end with code 2 where they do not go together."""
    parser = _parser()
    options = parser.parse_args(words)
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
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    defaults = ", ".join(f"{name} {expected.rounds}" for name, expected in SECTIONS.items())
    parser.add_argument("--rounds", type=int, help=f"counted rounds (by default: {defaults})")
    parser.add_argument(
        "--warm-max", type=float, default=40, help="seconds of warming up each peer at most"
    )
    parser.add_argument("--window", type=int, default=20, help="seconds of each measured window")
    parser.add_argument("--move-records", type=int, default=1_000_000, help="1 KiB records to move")
    parser.add_argument("--felt-records", type=int, default=400_000, help="the same, under load")
    parser.add_argument("--swaps", type=int, default=60, help="swaps under load, each round")
    parser.add_argument("--swap-records", type=int, default=20_000, help="1 KiB records to swap")
    parser.add_argument(
        "--leaders", type=int, default=failover.LEADERS, help="partitions led from a disk that dies"
    )
    parser.add_argument("--source-records", type=int, default=1_000_000, help="to read on Spark")
    parser.add_argument("--only", help=f"{','.join(SECTIONS)}; move: all three of moves")
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


if __name__ == "__main__":
    main()
