"""Many seeds of whole clusters, each with its own sizes, clients and faults.

`make sim` looks at thousands.
"""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest
from tests.support.processes import alive, children_of, tied
from tests.support.waiting import eventually

from spindle.sim.seed_run import simulate

SEEDS = 20
MIXED = 43
"""A seed with clients of every kind: producers, transactions, groups of both protocols, sharers."""


@pytest.mark.spec("C-01", "C-02", "C-08", "K858-19")
@pytest.mark.timeout(900)
def test_no_seed_breaks_a_promise() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        outcomes = list(pool.map(simulate, range(SEEDS)))
    failed = {outcome.seed: outcome.error for outcome in outcomes if outcome.error is not None}
    assert not failed, failed
    assert sum(outcome.counts.get("records acknowledged", 0) for outcome in outcomes) > 10 * SEEDS
    assert all(outcome.counts["metadata records looked at"] for outcome in outcomes)


def test_the_same_seed_gives_the_same_run_whatever_python_hashes() -> None:
    script = f"from spindle.sim.seed_run import simulate; print(simulate({MIXED}).digest)"
    digests = {
        subprocess.run(
            tied([sys.executable, "-c", script]),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("0", "1", "2")
    }
    assert len(digests) == 1, digests
    assert digests.pop().strip()


def test_a_run_that_is_killed_leaves_no_processes_behind() -> None:
    command = [sys.executable, "-m", "spindle", "sim", "--seeds", "1000", "--jobs", "2"]
    run = subprocess.Popen(tied(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        workers = eventually(
            lambda: found if len(found := children_of(run.pid)) == 2 else None, "it runs", 60
        )
    finally:
        run.kill()
        run.wait()
    try:
        eventually(lambda: not any(map(alive, workers)), "they end", 20)
    finally:
        for worker in filter(alive, workers):
            worker.kill()
