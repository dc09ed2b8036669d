"""Runs every measure against both peers in turn and prints medians and ratios.

What it can be asked for stands in `bench.options`, what shares clusters in `bench.plan`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.support.processes import tied

from bench import beside, failover, hostile, measures, partition_counts, starts
from bench.options import parsed
from bench.peers import NAMES, Peer
from bench.plan import Measure, shared_measures
from bench.report import Table
from bench.sections import SECTIONS, Results, estimate, in_words, wanted
from bench.warmth import is_warm, slope

WARM_WINDOW: Final = 5
"""Seconds of a window in which a peer is only warmed up."""


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
            "start": lambda table: asyncio.to_thread(_starts, table, place, options),
            "partitions": lambda table: asyncio.to_thread(_partitions, table, place, options),
        }
        plan = [measure for measure in shared_measures(options) if measure.name in names]
        for name in names:
            if name in alone:
                with results.section(name) as table:
                    await alone[name](table)
            elif plan:
                # All measures that share clusters run here, where the first of them stands.
                await _shared(results, plan, place, peers, options)
                plan = []


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
        seconds = min(WARM_WINDOW, measure.window)
        figures = await once(peer, f"warm {len(seen) + 1}", seconds)
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
    _taken("failover", table, failover.killed_controllers(home, rounds))
    _taken("failover", table, failover.dead_disks(home, shim, rounds, leaders))


def _starts(table: Table, home: Path, options: argparse.Namespace) -> None:
    rounds = _rounds_of("start", options)
    _taken("start", table, starts.measured(home, rounds, options.start_partitions))


def _partitions(table: Table, home: Path, options: argparse.Namespace) -> None:
    rounds, counts = _rounds_of("partitions", options), options.partitions
    window, alone = options.window, options.alone
    _taken("partitions", table, partition_counts.measured(home, rounds, counts, window, alone))


def _taken(section: str, table: Table, measure: Iterator[tuple[str, measures.Figures]]) -> None:
    """Keep what a measure tells of one peer after the other."""
    for name, figures in measure:
        print(f"{section} {name}: {figures}", file=sys.stderr)
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
    options = parsed(sys.argv[1:])
    names = wanted(options.only)
    results = Results("python -m bench " + " ".join(_shown(sys.argv[1:])), options.write)
    print(estimate(names, options.rounds), file=sys.stderr)
    asyncio.run(run(options, results))
    print(f"took: {in_words(results.minutes)}", file=sys.stderr)
    if results.failed:
        sys.exit(f"failed: {', '.join(results.failed)}")


if __name__ == "__main__":
    main()
