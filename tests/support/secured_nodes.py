"""Certificates, logins and settings with which nodes of any kind trust each other, on all links.

Brokers keep a listener PLAINTEXT for what tests ask; brokers reach each other at INTERNAL, and
controllers are reached at CONTROLLER: both with mutual TLS, or both by a login.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.support.apache_kafka import ApacheKafka, ApacheNode
from tests.support.certificates import Authority
from tests.support.ports import free_port

INTERNAL = "INTERNAL"
_JAAS = "org.apache.kafka.common.security"


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
        settings = {
            "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,{INTERNAL}:SSL,CONTROLLER:SSL",
            "ssl.client.auth": "required",
            **self.stores,
        }
        for node in nodes:
            self._listen(cluster, node, settings)

    def _listen(self, cluster: ApacheKafka, node: ApacheNode, settings: Mapping[str, str]) -> None:
        listeners = []
        if node.is_broker:
            self._ports[node.node_id] = free_port()
            listeners.append(f"PLAINTEXT://127.0.0.1:{node.port}")
            listeners.append(f"{INTERNAL}://{self.at(node.node_id)}")
            node.settings["inter.broker.listener.name"] = INTERNAL
        if node.controller_port is not None:
            listeners.append(f"CONTROLLER://127.0.0.1:{node.controller_port}")
        node.settings.update({"listeners": ",".join(listeners), **settings})
        cluster.write_config(node)


class NodesThatLogIn(SecuredNodes):
    """Brokers log in at each other by SCRAM, and at controllers, below TLS, by PLAIN.

    SCRAM's user is in the cluster's metadata: `user` has to be made once the controllers serve.
    """

    user, password = "broker", "broker-secret"

    @property
    def librdkafka(self) -> dict[str, str]:
        """For a client at INTERNAL."""
        return {
            "security.protocol": "sasl_plaintext",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": self.user,
            "sasl.password": self.password,
        }

    def secure(self, cluster: ApacheKafka, nodes: Iterable[ApacheNode]) -> None:
        """Give these links to nodes that do not run yet."""
        plain = f'{_JAAS}.plain.PlainLoginModule required username="node" password="node-secret"'
        scram = (
            f'{_JAAS}.scram.ScramLoginModule required username="{self.user}" '
            f'password="{self.password}";'
        )
        settings = {
            "listener.security.protocol.map": (
                f"PLAINTEXT:PLAINTEXT,{INTERNAL}:SASL_PLAINTEXT,CONTROLLER:SASL_SSL"
            ),
            "sasl.mechanism.controller.protocol": "PLAIN",
            "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.controller.plain.sasl.jaas.config": (
                f'{plain} user_node="node-secret";'
            ),
            **self.stores,
        }
        brokers = {
            "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-512",
            "listener.name.internal.sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.internal.scram-sha-512.sasl.jaas.config": scram,
        }
        for node in nodes:
            self._listen(cluster, node, settings | (brokers if node.is_broker else {}))
