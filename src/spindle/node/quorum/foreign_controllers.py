"""Controllers of another cluster at the addresses that our configuration names.

A node that most of them turn away, and none has accepted, cannot run as it is configured: it stops
with one sentence that names both clusters. One among several is logged once. Belongs to the quorum.
"""

from __future__ import annotations

from typing import Final

from spindle.model.config import NodeConfig
from spindle.model.errors import Error, PeerFailed
from spindle.model.outbox import Outbox
from spindle.node.peers import Peers
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.describe_cluster_response import DescribeClusterResponse

Address = tuple[str, int]
CONTROLLERS: Final = 2
"""DescribeCluster's endpoint type."""
VERSION: Final = 1
"""The first with controllers."""
ASK_SECONDS: Final = 2.0


class Strangers:
    """The controllers that refused us as of another cluster."""

    def __init__(self, config: NodeConfig, cluster_id: str, out: Outbox, peers: Peers) -> None:
        self._config = config
        self._cluster_id = cluster_id
        self._out = out
        self._peers = peers
        self._found: dict[Address, None] = {}
        self._accepted = False

    def on_accepted(self) -> None:
        """A controller has answered us as one of its own cluster."""
        self._accepted = True

    def on_refused(self, address: Address) -> None:
        """A controller has answered INCONSISTENT_CLUSTER_ID: ask it which cluster is its own."""
        if address in self._found:
            return
        self._found[address] = None
        request = DescribeClusterRequest(endpoint_type=CONTROLLERS)

        def answered(answer: DescribeClusterResponse | PeerFailed) -> None:
            if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
                self._tell(address, "another one")
            else:
                self._tell(address, answer.cluster_id)

        self._peers.ask(*address, "describe-cluster", request, VERSION, answered, ASK_SECONDS)

    def _tell(self, address: Address, theirs: str) -> None:
        kind = "broker" if self._config.is_broker else "controller"
        names = "voters" if self._config.quorum.voters else "bootstrap.servers"
        why = (
            f"this {kind} belongs to cluster {self._cluster_id}, the controller at"
            f" {address[0]}:{address[1]} to cluster {theirs}: correct controller.quorum.{names}, or"
            " use directories that were formatted for that cluster (INCONSISTENT_CLUSTER_ID)"
        )
        others = [v for v in self._config.quorum.voters if v[0] != self._config.node_id]
        servers = len(others or self._config.quorum.bootstrap_servers)
        if not self._accepted and len(self._found) * 2 > servers:
            self._out.halt(why, unusable=True)
        else:
            self._out.say("warning", "a controller of another cluster", reason=why)
