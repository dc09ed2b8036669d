"""Orders moves into waves such that no directory ever passes its high mark.

During a move both copies exist, and the old one stays until its delayed deletion: a wave's moves
all count at their target before any counts as gone from its source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spindle.planning.load import DirectoryLoad, Move


class Limits(NamedTuple):
    """What a wave may do at once. `high_mark`: a share of capacity; 0 moves: no limit."""

    high_mark: float = 0.95
    moves_per_disk: int = 1
    moves_per_broker: int = 0


def schedule(
    moves: Sequence[Move],
    directories: Sequence[DirectoryLoad],
    sizes: Mapping[str, int],
    limits: Limits,
) -> tuple[list[Move], list[int], list[Move]]:
    """(moves in order, length of each wave, moves that never find room).

    Largest first within a wave, since they take longest. A directory that is over its mark
    already may still give; it takes nothing until it is below.
    """
    room = {d.path: d.capacity * limits.high_mark - sizes[d.path] for d in directories}
    waiting = sorted(moves, key=lambda m: (-m.size, m))
    ordered: list[Move] = []
    waves: list[int] = []
    while waiting:
        wave = _wave(waiting, room, limits)
        if not wave:
            break
        for move in wave:
            room[move.source] += move.size
        ordered += wave
        waves.append(len(wave))
        taken = set(wave)
        waiting = [move for move in waiting if move not in taken]
    return ordered, waves, waiting


def _wave(waiting: Sequence[Move], room: dict[str, float], limits: Limits) -> list[Move]:
    """The moves that may run side by side now; their room is taken at once."""
    wave: list[Move] = []
    busy: Counter[str] = Counter()
    for move in waiting:
        if limits.moves_per_broker and len(wave) >= limits.moves_per_broker:
            break
        crowded = limits.moves_per_disk and any(
            busy[path] >= limits.moves_per_disk for path in (move.source, move.target)
        )
        if crowded or move.size > room[move.target]:
            continue
        wave.append(move)
        busy[move.source] += 1
        busy[move.target] += 1
        room[move.target] -= move.size
    return wave
