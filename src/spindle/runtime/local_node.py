"""One node of a local cluster: its files, its properties, and its process while it runs.

Knows no other node but by the plan; `local` starts and stops it.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from spindle.model.security_protocol import SecurityProtocol
from spindle.runtime.cluster_plan import ClusterPlan
from spindle.runtime.nursery import NodeProcess

CONTROLLER: Final = "CONTROLLER"
"""The listener of controllers."""
_NODES: Final = "NODES"
"""The listener of brokers to each other where clients log in."""


@dataclass(slots=True)
class LocalNode:
    """One node of a local cluster: its files, and its process while it runs."""

    node_id: int
    home: Path
    port: int | None = None
    """Where clients reach it; None: it is no broker."""
    log_dirs: tuple[Path, ...] = ()
    inner_port: int | None = None
    """Where other brokers reach it; None: where clients do."""
    controller_port: int | None = None
    """Where it is reached as a controller; None: it is none."""
    settings: dict[str, str] = field(default_factory=dict)
    """Laid over everything else in its properties."""
    process: NodeProcess | None = field(default=None, repr=False)
    is_wanted: bool = True
    """False from an order to stop or kill it until it is started again."""

    @property
    def properties(self) -> Path:
        """Its `server.properties`."""
        return self.home / "server.properties"

    @property
    def log_file(self) -> Path:
        """What it says (stderr)."""
        return self.home / "node.log"

    @property
    def metrics_url(self) -> str | None:
        """Where its metrics are, if it was started with them."""
        port = self.settings.get("metrics.port")
        return f"http://127.0.0.1:{port}/metrics" if port else None

    @property
    def running(self) -> bool:
        """Whether its process lives."""
        return self.process is not None and self.process.returncode is None


def node_properties(
    node: LocalNode, plan: ClusterPlan, outer: SecurityProtocol, settings: Mapping[str, str]
) -> dict[str, str]:
    """A node's properties. `outer`: how clients connect; `settings`: of all nodes, over ours."""
    roles = {"broker": node.port, "controller": node.controller_port}
    common = {
        "process.roles": ",".join(role for role, port in roles.items() if port is not None),
        "node.id": str(node.node_id),
        **_listeners(node, outer),
        **_controllers(plan),
        "log.dir.fault.drills": "true",
    }
    if node.port is None:
        return {
            **common,
            "log.dirs": str(node.home / "metadata"),
            **settings,
            **node.settings,
        }
    replicas = str(min(3, len(plan.brokers)))
    return {
        **common,
        **({} if node.inner_port is None else {"inter.broker.listener.name": _NODES}),
        "log.dirs": ",".join(map(str, node.log_dirs)),
        "metadata.log.dir": str(node.home / "metadata"),
        "offsets.topic.replication.factor": replicas,
        "default.replication.factor": replicas,
        "group.initial.rebalance.delay.ms": "0",
        **settings,
        **node.settings,
    }


def _controllers(plan: ClusterPlan) -> dict[str, str]:
    """What a node's properties say of the controllers."""
    at = {id: f"127.0.0.1:{port}" for id, port in plan.controllers.items()}
    if plan.quorum == "static":
        voters = ",".join(f"{id}@{address}" for id, address in at.items())
        return {"controller.quorum.voters": voters}
    return {"controller.quorum.bootstrap.servers": ",".join(at.values())}


def how_it_ended(node: LocalNode) -> str:
    """How a node's process ended, what it said last, and where the rest is."""
    assert node.process is not None
    code = node.process.returncode
    assert code is not None
    if code < 0:
        return (
            f"node {node.node_id} was killed by {signal.Signals(-code).name}; see {node.log_file}"
        )
    lines = node.log_file.read_text(errors="replace").splitlines()
    last = lines[-1] if lines else "it said nothing"
    return f"node {node.node_id} ended with code {code}: {last} (see {node.log_file})"


def _listeners(node: LocalNode, outer: SecurityProtocol) -> dict[str, str]:
    inner = SecurityProtocol.SSL if outer.has_tls else SecurityProtocol.PLAINTEXT
    ports = {outer.value: node.port, _NODES: node.inner_port, CONTROLLER: node.controller_port}
    protocols = {
        CONTROLLER: inner,
        outer.value: outer,
        **({_NODES: inner} if outer.has_sasl else {}),
    }
    return {
        "listeners": ",".join(
            f"{name}://127.0.0.1:{port}" for name, port in ports.items() if port is not None
        ),
        "controller.listener.names": CONTROLLER,
        "listener.security.protocol.map": ",".join(f"{n}:{p}" for n, p in protocols.items()),
    }
