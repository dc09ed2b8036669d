"""The measures that leave their clusters whole, and so share them."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from bench import four_moves, measures, moves, raw_requests
from bench.peers import Peer


class Measure(NamedTuple):
    """One measure, and the figure that says whether a peer is warm."""

    name: str
    run: Callable[[Peer, int, int], Awaitable[measures.Figures]]
    """Given the peer, a serial number, and the seconds of a window."""
    leading: str
    window: int
    less_is_better: bool = False


def shared_measures(options: argparse.Namespace) -> list[Measure]:
    """All of them, in the order of `sections.SECTIONS`."""
    return [*_of_records(options), *_of_moves(options)]


def _of_records(options: argparse.Namespace) -> list[Measure]:
    window = options.window
    return [
        Measure("throughput", measures.throughput, "produce MB/s", window),
        Measure("throughput-single", measures.throughput_single, "produce MB/s, 1 replica", window),
        Measure(
            "throughput-100b",
            lambda p, _, s: measures.throughput_100b(p, s, options.consume_records),
            "consume MB/s, 100 B",
            window,
        ),
        Measure("small", measures.small, "small requests/s", window),
        Measure("small-single", measures.small_single, "small requests/s, 1 replica", window),
        Measure("latency", measures.latency, "latency p50 ms", window, True),
        Measure("requests", raw_requests.raw, raw_requests.LEADING, window),
    ]


def _of_moves(options: argparse.Namespace) -> list[Measure]:
    window = options.window
    return [
        Measure(
            "move", lambda p, n, s: moves.move(p, n, options.move_records), "move MB/s", window
        ),
        Measure(
            "move-four",
            lambda p, n, s: four_moves.four(p, n, options.move_records),
            four_moves.LEADING,
            window,
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
