"""Runs every measure against both peers in turn and prints medians and ratios.

python -m bench [--rounds 5] [--only throughput,move] [--write docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.support.kafka_jars import kafka_jars

from bench import failover, measures, moves
from bench.peers import Apache, Peer, Spindle, memory
from bench.report import Table, joined, render

Planned = tuple[str, Callable[[Peer, int], Awaitable[measures.Figures]]]


async def run(options: argparse.Namespace) -> Table:
    """All measures, alternating."""
    table: Table = defaultdict(lambda: defaultdict(list))
    plan: list[Planned] = [
        ("throughput", lambda p, n: measures.throughput(p, n, options.records)),
        ("latency", lambda p, n: measures.latency(p, n, 1600)),
        ("small", lambda p, n: measures.small(p, n, options.small)),
        ("move", lambda p, n: moves.move(p, n, options.move_records)),
        ("move-felt", lambda p, n: moves.felt(p, n, options.felt_records, options.felt_seconds)),
        ("move-swaps", lambda p, n: moves.swaps(p, n, options.swap_records, options.swaps)),
    ]
    with tempfile.TemporaryDirectory(dir=options.dir) as home:
        if _wanted("sources", options):
            await _sources(table, Path(home), options)
        if _wanted("planner", options):
            from bench import planner  # Only this measure needs the exact solver.

            planner.run(Path(home), lambda figure, whose, n: table[figure][whose].append(n))
        shim = _shim(Path(home))
        wanted = [(name, measure) for name, measure in plan if _wanted(name, options)]
        if wanted:
            await _shared(table, wanted, Path(home), shim, options)
        if _wanted("gap", options):
            await _gaps(table, Path(home), shim, options)
        if _wanted("failover", options):
            await asyncio.to_thread(_failovers, table, Path(home), shim, options)
    return table


def _wanted(name: str, options: argparse.Namespace) -> bool:
    """Whether a measure is asked for: by its name, or by how it begins."""
    return options.only is None or name.startswith(tuple(options.only.split(",")))


async def _shared(
    table: Table, plan: list[Planned], home: Path, shim: Path, options: argparse.Namespace
) -> None:
    """The measures that leave their clusters whole share them."""
    peers = [_peer(name, home, shim) for name in ("kafka", "spindle")]
    try:
        for peer in peers:
            table["start to serving s"][peer.name].append(await peer.start())
            print(f"{peer.name} serves", file=sys.stderr)
        for name, measure in plan:
            await _rounds(table, name, measure, peers, options)
        for peer in peers:
            table["memory MB"][peer.name].append(memory(peer.pids()))
    finally:
        for peer in peers:
            await peer.stop()


async def _sources(table: Table, home: Path, options: argparse.Namespace) -> None:
    from bench import sources  # Only this measure needs Spark.

    def note(figure: str, whose: str, value: float) -> None:
        table[figure][whose].append(value)

    await sources.run(home, options.source_records, options.rounds, note)


async def _rounds(
    table: Table,
    name: str,
    measure: Callable[[Peer, int], Awaitable[measures.Figures]],
    peers: list[Peer],
    options: argparse.Namespace,
) -> None:
    warm = options.warm if name == "throughput" else min(options.warm, 1)
    for round_ in range(-warm, options.rounds):
        for peer in peers:
            figures = await measure(peer, round_ + warm)
            line = ", ".join(f"{k} {v:.3g}" for k, v in figures.items())
            print(f"{name} {peer.name} {round_}: {line}", file=sys.stderr)
            if round_ >= 0:
                for figure, value in figures.items():
                    table[figure][peer.name].append(value)


async def _gaps(table: Table, home: Path, shim: Path, options: argparse.Namespace) -> None:
    """A fresh cluster each time: a disk that has failed is not itself again."""
    for round_ in range(options.gap_rounds):
        for role in measures.ROLES:
            for name in ("kafka", "spindle"):
                peer = _peer(name, home / f"gap-{role}-{round_}", shim)
                try:
                    await peer.start()
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


def _peer(name: str, home: Path, shim: Path) -> Peer:
    place = home / name
    place.mkdir(parents=True, exist_ok=True)
    last = 3
    if name == "spindle":
        doomed = place / f"broker-{last}" / "disk-2"
        return Spindle(place, _preload(shim, doomed))
    doomed = place / f"node-{last}" / "d2"
    return Apache(place, kafka_jars(), _preload(shim, doomed))


def _preload(shim: Path, doomed: Path) -> dict[str, str]:
    # Only the gap measure needs it; a preloaded library costs every call a little.
    if "gap-" not in str(doomed):
        return {}
    return {"LD_PRELOAD": str(shim), "SPINDLE_BREAK": str(doomed)}


def _shim(home: Path) -> Path:
    library = home / "failing_disk.so"
    source = Path(__file__).with_name("failing_disk.c")
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"], check=True
    )
    return library


def _shown(arguments: list[str]) -> list[str]:
    """The command line without paths of this machine."""
    return [a for a in arguments if "/" not in a and a not in ("--write", "--dir")]


def main() -> None:
    """Parse the options, run, print, and keep the result where asked."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds of each measure")
    parser.add_argument("--warm", type=int, default=2, help="rounds before them, not counted")
    parser.add_argument("--records", type=int, default=200_000, help="1 KiB records a round")
    parser.add_argument("--small", type=int, default=5_000, help="small requests a round")
    parser.add_argument("--move-records", type=int, default=1_000_000, help="1 KiB records to move")
    parser.add_argument("--felt-records", type=int, default=400_000, help="the same, under load")
    parser.add_argument("--felt-seconds", type=int, default=8, help="of writing beside moves")
    parser.add_argument("--swaps", type=int, default=60, help="swaps under load, each round")
    parser.add_argument("--swap-records", type=int, default=20_000, help="1 KiB records to swap")
    parser.add_argument("--gap-rounds", type=int, default=1, help="disk failures of each kind")
    parser.add_argument("--failover-rounds", type=int, default=5, help="failovers of each kind")
    parser.add_argument(
        "--leaders", type=int, default=failover.LEADERS, help="partitions led from a disk that dies"
    )
    parser.add_argument("--source-records", type=int, default=2_000_000, help="to read on Spark")
    names = "planner,sources,throughput,latency,small,move,move-felt,move-swaps,gap,failover"
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
