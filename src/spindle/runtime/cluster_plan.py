"""Which nodes a local cluster has, and where they listen: a value, and the text that keeps it.

Knows no file and no process; `folder` keeps the text, `local` runs the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from spindle.model.errors import Unusable
from spindle.model.ids import NodeId

CONTROLLER_ID: Final = 100
"""The first controller that is a node of its own."""

QuorumKind: TypeAlias = Literal["dynamic", "static"]
"""Whether the voters are in the metadata log (KIP-853), or in each node's properties."""


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """Brokers 1, 2, ... and the controllers; a controller with a broker's id is both."""

    brokers: tuple[int, ...]
    """Their ports."""
    controllers: dict[NodeId, int]
    """Their ids and ports: at least one."""
    quorum: QuorumKind

    @property
    def is_combined(self) -> bool:
        """Whether brokers are the controllers."""
        return min(self.controllers) <= len(self.brokers)

    @property
    def free_id(self) -> NodeId:
        """The id of the next controller that is a node of its own."""
        id = CONTROLLER_ID
        while id in self.controllers:
            id += 1
        return id

    @property
    def next_id(self) -> NodeId:
        """The id of the next controller: a broker's where brokers are the controllers."""
        if not self.is_combined:
            return self.free_id
        brokers = range(1, len(self.brokers) + 1)
        return next((id for id in brokers if id not in self.controllers), self.free_id)

    def added(self, id: NodeId, port: int) -> ClusterPlan:
        """With one controller more."""
        return replace(self, controllers={**self.controllers, id: port})

    def removed(self, id: NodeId) -> ClusterPlan:
        """Without one controller."""
        return replace(self, controllers={n: p for n, p in self.controllers.items() if n != id})

    @property
    def text(self) -> str:
        """Two lines, which `parse` reads: ports, and the controllers."""
        first, *others = self.controllers.values()
        ports = " ".join(map(str, (first, *self.brokers, *others)))
        if self.quorum == "static":
            combined = " combined" if self.is_combined else ""
            return f"{ports}\ncontrollers={len(self.controllers)}{combined}\n"
        ids = ",".join(map(str, self.controllers))
        return f"{ports}\ndynamic controllers={ids}\n"


def new_plan(ports: list[int], controllers: int, combined: bool, quorum: QuorumKind) -> ClusterPlan:
    """A new cluster at these ports: of a controller, the brokers, the further controllers."""
    brokers = len(ports) - controllers
    if combined and controllers > brokers:
        raise Unusable(f"{controllers} of {brokers} brokers cannot be controllers too")
    first = 1 if combined else CONTROLLER_ID
    ids = [NodeId(first + n) for n in range(controllers)]
    return _at(ports, ids, quorum)


def parse(text: str) -> ClusterPlan:
    """A plan from its text. Unusable where that is none."""
    numbers, _, shape = text.partition("\n")
    kind, _, told = (shape.strip() or "controllers=1").rpartition("controllers=")
    try:
        ports = [int(word) for word in numbers.split()]
        if kind.strip() == "dynamic":
            return _at(ports, [NodeId(int(id)) for id in told.split(",")], "dynamic")
        count, _, combined = told.partition(" ")
        return new_plan(ports, int(count), combined == "combined", "static")
    except ValueError:
        raise Unusable(f"{text!r} does not say where a cluster's nodes listen") from None


def _at(ports: list[int], controllers: list[NodeId], quorum: QuorumKind) -> ClusterPlan:
    brokers = len(ports) - len(controllers)
    if brokers < 1:
        raise ValueError("no port is a broker's")
    at = (ports[0], *ports[brokers + 1 :])
    return ClusterPlan(
        tuple(ports[1 : brokers + 1]), dict(zip(controllers, at, strict=True)), quorum
    )
