"""Where controllers are reached: as configured, as the log says (KIP-853), as other nodes report.

The newest counts, but what is configured for static voters stands. Sends nothing; belongs to
`quorum_io`.
"""

from __future__ import annotations

from typing import Final

from spindle.core.raft.voter_history import VoterHistory
from spindle.model.config import NodeConfig
from spindle.model.ids import NodeId
from spindle.model.quorum_voters import VoterKey

MOST: Final = 1000

Address = tuple[str, int]


class ControllerAddresses:
    """The controllers that one node knows."""

    def __init__(self, config: NodeConfig) -> None:
        self._config = config
        self.known: dict[NodeId, Address] = {
            id: (host, port) for id, host, port in config.quorum.voters
        }
        self.history = VoterHistory()
        """The voters by our log, once that is open."""
        self._next = 0
        self._gone: dict[Address, None] = {}
        """Addresses without a process when we last asked."""

    def follow(self, history: VoterHistory) -> None:
        """Reach voters where the log says that they are, from now on."""
        self.history = history
        history.told.append(self._on_voters)
        self._on_voters()

    def _on_voters(self) -> None:
        if not self.history.is_dynamic:
            return
        for voter in self.history.latest.voters:
            endpoint = voter.endpoint(self._config.quorum.listeners)
            if endpoint is not None:
                self.known[voter.id] = (endpoint.host, endpoint.port)

    def key_of(self, voter: NodeId) -> VoterKey:
        """The voter of a node, with its directory where that is known."""
        found = self.history.latest.find(voter)
        return VoterKey(voter) if found is None else found.key

    def at(self, node: NodeId | None) -> Address | None:
        """Where a controller is reached, or None."""
        return None if node is None else self.known.get(node)

    def learn(self, found: dict[NodeId, Address]) -> None:
        """Take over what another node reports. What is configured for static voters stands.

        A leader with a new address says so before it can write that into the log.
        """
        for id, address in found.items():
            static = any(id == voter for voter, _, _ in self._config.quorum.voters)
            fixed = static and not self.history.is_dynamic
            if not fixed and (id in self.known or len(self.known) < MOST):
                self.known[id] = address

    def next_server(self) -> Address | None:
        """The next of the controllers that the configuration names, ourselves excepted."""
        named = list(self._config.quorum.bootstrap_servers)
        if self.history.is_dynamic:
            # Those that the settings name may all be gone.
            named += [self.known[v] for v in self.history.latest.ids if v in self.known]
        own = self.known.get(self._config.node_id)
        servers = [server for server in dict.fromkeys(named) if server != own]
        if not servers:
            return None
        self._next += 1
        return servers[self._next % len(servers)]

    # --- which are there ----------------------------------------------------------------------

    def on_gone(self, address: Address) -> None:
        """No process serves at an address."""
        if len(self._gone) < MOST:
            self._gone[address] = None

    def on_found(self, address: Address) -> None:
        """A process serves at an address."""
        self._gone.pop(address, None)

    def on_sign(self, node: NodeId) -> None:
        """A node has asked us for something: it is there."""
        self._gone.pop(self.known.get(node, ("", 0)), None)

    def is_gone(self, node: NodeId) -> bool:
        """Whether no process serves at a controller's address, as far as was asked."""
        return self.known.get(node) in self._gone
