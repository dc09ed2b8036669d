"""Certificates and settings with which nodes of any kind trust each other: TLS on all their links.

Brokers keep a listener PLAINTEXT for what tests ask; brokers reach each other at INTERNAL, and
controllers are reached at CONTROLLER, both with mutual TLS.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.support.apache_kafka import ApacheKafka, ApacheNode
from tests.support.certificates import Authority
from tests.support.ports import free_port

INTERNAL = "INTERNAL"


class SecuredNodes:
    """An authority, and one certificate for all nodes: `node`, on this machine."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.authority = Authority("nodes")
        self.trusted = self.authority.write_pem(folder / "ca.pem")
        self.issued = self.authority.issue("node", names=["localhost", "127.0.0.1"])
        self.own = self.issued.write_pem(folder / "node.pem")
        self._ports: dict[int, int] = {}

    @property
    def stores(self) -> dict[str, str]:
        """The settings that name the stores, of nodes and of Java's clients."""
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.own),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.trusted),
        }

    @property
    def librdkafka(self) -> dict[str, str]:
        """The same for a client of librdkafka."""
        return {
            "security.protocol": "ssl",
            "ssl.ca.location": str(self.trusted),
            "ssl.certificate.location": str(self.own),
            "ssl.key.location": str(self.own),
        }

    def at(self, broker: int) -> str:
        """The address of a broker's INTERNAL."""
        return f"127.0.0.1:{self._ports[broker]}"

    def secure(self, cluster: ApacheKafka, nodes: Iterable[ApacheNode]) -> None:
        """Give these links to nodes that do not run yet."""
        ports = self._ports
        for node in nodes:
            listeners = []
            if node.is_broker:
                ports[node.node_id] = free_port()
                listeners.append(f"PLAINTEXT://127.0.0.1:{node.port}")
                listeners.append(f"{INTERNAL}://127.0.0.1:{ports[node.node_id]}")
                node.settings["inter.broker.listener.name"] = INTERNAL
            if node.controller_port is not None:
                listeners.append(f"CONTROLLER://127.0.0.1:{node.controller_port}")
            node.settings.update(
                {
                    "listeners": ",".join(listeners),
                    "listener.security.protocol.map": (
                        f"PLAINTEXT:PLAINTEXT,{INTERNAL}:SSL,CONTROLLER:SSL"
                    ),
                    "ssl.client.auth": "required",
                    **self.stores,
                }
            )
            cluster.write_config(node)
