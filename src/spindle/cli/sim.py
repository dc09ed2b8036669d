"""`spindle sim`: whole clusters in virtual time, one for each seed, under faults.

One seed is repeated exactly, with a trace if wanted; many run side by side, and the failing ones
are named. Prints; decides nothing: `spindle.sim` does.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from spindle.cli.render import fail, say, table
from spindle.runtime.parent import end_with

if TYPE_CHECKING:
    from spindle.sim.seed_run import SeedOutcome

SAID_SHOWN = 40
"""Log lines shown of a seed that has failed."""
AHEAD = 4
"""Seeds given to each process before it has finished with the first."""


def sim(
    seed: Annotated[int | None, typer.Option(help="Repeat this one seed.")] = None,
    trace: Annotated[bool, typer.Option("--trace", help="With --seed: print every event.")] = False,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to run.")] = 100,
    start: Annotated[int, typer.Option("--from", min=0, help="The first seed.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="Processes; 0: one for each core.")] = 0,
    json_output: Annotated[
        bool, typer.Option("--json", help="One line of JSON for each seed.")
    ] = False,
) -> None:
    """Run seeded simulations of a whole cluster and check its promises.

    Each seed draws a cluster, a workload and faults: lost and cut connections, killed processes,
    power cuts, failing, full, hung and blank disks, clocks that jump. Then all faults end, and
    every acknowledged record, every transaction and every committed offset is looked up. Exit
    code 1 if a seed fails.
    """
    if seed is not None:
        _one(seed, trace, json_output)
    elif trace:
        fail("--trace shows one seed: give --seed N", 2)
    else:
        _many(range(start, start + seeds), jobs or os.cpu_count() or 1, json_output)


def _one(seed: int, trace: bool, json_output: bool) -> None:
    from spindle.sim.seed_run import simulate
    from spindle.sim.swarm import draw

    if trace:
        print(f"plan: {draw(seed)}", flush=True)
    outcome = simulate(seed, trace=print if trace else None)
    if json_output:
        _print_json(outcome)
    else:
        for line in outcome.said[-SAID_SHOWN:] if not trace else ():
            say(line)
        _summary([outcome], outcome.real_seconds)
        say(f"digest {outcome.digest}")
    if outcome.error is not None:
        fail(f"seed {seed}: {outcome.error}")


def _many(seeds: range, jobs: int, json_output: bool) -> None:
    began = time.monotonic()
    outcomes: list[SeedOutcome] = []
    failed: list[SeedOutcome] = []
    for outcome in run_seeds(seeds, jobs):
        outcomes.append(outcome)
        if outcome.error is not None:
            failed.append(outcome)
            print(f"seed {outcome.seed} fails: {outcome.error}", file=sys.stderr, flush=True)
        if json_output:
            _print_json(outcome)
        elif sys.stderr.isatty():
            rate = len(outcomes) / (time.monotonic() - began)
            print(f"\r{len(outcomes)}/{len(seeds)} seeds, {rate:.1f}/s ", end="", file=sys.stderr)
    if not json_output:
        _summary(outcomes, time.monotonic() - began)
    if failed:
        numbers = " ".join(str(o.seed) for o in sorted(failed, key=lambda o: o.seed))
        fail(f"{len(failed)} of {len(outcomes)} seeds fail: {numbers} (spindle sim --seed N)")


def run_seeds(seeds: Iterable[int], jobs: int) -> Iterator[SeedOutcome]:
    """Run seeds on some processes; outcomes as they come."""
    from spindle.sim.seed_run import simulate

    left = iter(seeds)
    # Killed, we could not end them, and they would wait for ever.
    with ProcessPoolExecutor(jobs, initializer=end_with, initargs=(os.getpid(),)) as pool:
        open_ = {pool.submit(simulate, seed) for seed in islice(left, jobs * AHEAD)}
        while open_:
            done = next(as_completed(open_))
            open_.remove(done)
            open_.update(pool.submit(simulate, seed) for seed in islice(left, 1))
            yield done.result()


def _print_json(outcome: SeedOutcome) -> None:
    print(
        json.dumps(
            {
                "seed": outcome.seed,
                "error": outcome.error,
                "digest": outcome.digest,
                "events": outcome.events,
                "virtual_seconds": round(outcome.virtual_seconds, 3),
                "real_seconds": round(outcome.real_seconds, 3),
                "counts": outcome.counts,
            }
        ),
        flush=True,
    )


def _summary(outcomes: list[SeedOutcome], seconds: float) -> None:
    counts: dict[str, int] = {}
    for outcome in outcomes:
        for what, times in outcome.counts.items():
            counts[what] = counts.get(what, 0) + times
    counts["events"] = sum(o.events for o in outcomes)
    virtual = sum(o.virtual_seconds for o in outcomes)
    say(
        f"{len(outcomes)} seeds, {virtual:.0f} virtual seconds in {seconds:.1f} s "
        f"({len(outcomes) / max(seconds, 1e-9):.1f} seeds/s)"
    )
    table("", ("what", "times"), [(what, str(counts[what])) for what in sorted(counts)])
