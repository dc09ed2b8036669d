"""Plans a single broker from plain values. Deterministic: same input, same plan.

Called with lists; clusters go through `planning.cluster_planner`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spindle.planning.cluster_model import BrokerLoad, cluster_of
from spindle.planning.load import Band, BrokerPlan, DirectoryLoad, ReplicaLoad
from spindle.planning.schedule import WaveLimits
from spindle.planning.search_state import SearchState
from spindle.planning.selection import EVERYTHING, Selection
from spindle.planning.within.draft import Within


def plan_broker(
    broker: int,
    directories: Sequence[DirectoryLoad],
    replicas: Sequence[ReplicaLoad],
    band: Band,
    moves_per_disk: int = 1,
    moves_per_broker: int = 0,
    selection: Selection = EVERYTHING,
) -> BrokerPlan:
    """The best plan found for a broker. Directories and replicas in any order.

    `moves_per_disk`, `moves_per_broker` (0: no limit) bound each wave of the schedule.
    """
    cluster = cluster_of([BrokerLoad(broker)], {broker: directories}, {broker: replicas}, selection)
    if not directories:
        return BrokerPlan(broker, (), 0, ())
    draft = Within(
        SearchState(cluster, band), 0, WaveLimits(moves_per_disk, moves_per_broker)
    ).run()
    counts = Counter(turn.wave for turn in draft.turns)
    return BrokerPlan(
        broker,
        tuple(draft.moves()),
        draft.bound,
        tuple(draft.shares()),
        tuple(counts[wave] for wave in range(draft.waves)),
        tuple(draft.notes()),
    )
