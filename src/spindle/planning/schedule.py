"""Orders moves into waves such that no directory ever passes its high mark.

During a move both copies exist, and the old one stays until its delayed deletion: a wave's moves
all count at their target before any counts as gone from its source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from spindle.planning.load import DirectoryLoad, Move


def schedule(
    moves: Sequence[Move],
    directories: Sequence[DirectoryLoad],
    sizes: Mapping[str, int],
    high_mark: float,
    moves_per_disk: int = 1,
    moves_per_broker: int = 0,
) -> tuple[list[Move], list[int], list[Move]]:
    """(moves in order, length of each wave, moves that never find room).

    Largest first within a wave, since they take longest. A directory that is over its mark
    already may still give; it takes nothing until it is below.
    """
    limit = {d.path: d.capacity * high_mark for d in directories}
    used = dict(sizes)
    waiting = sorted(moves, key=lambda m: (-m.size, m))
    ordered: list[Move] = []
    waves: list[int] = []
    while waiting:
        wave: list[Move] = []
        busy: Counter[str] = Counter()
        coming: Counter[str] = Counter()
        rest: list[Move] = []
        for move in waiting:
            full = used[move.target] + coming[move.target] + move.size > limit[move.target]
            crowded = (
                busy[move.source] >= moves_per_disk
                or busy[move.target] >= moves_per_disk
                or (moves_per_broker and len(wave) >= moves_per_broker)
            )
            if full or crowded:
                rest.append(move)
                continue
            wave.append(move)
            busy[move.source] += 1
            busy[move.target] += 1
            coming[move.target] += move.size
        if not wave:
            return ordered, waves, rest
        for move in wave:
            used[move.source] -= move.size
            used[move.target] += move.size
        ordered += wave
        waves.append(len(wave))
        waiting = rest
    return ordered, waves, []
