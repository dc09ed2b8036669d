"""A Spindle cluster with listeners of SASL beside the plain one.

    with SaslCluster(tmp_path, jars) as cluster:
        cluster.start()
        cluster.at("SASL")

`SASL`, `SHORT` (sessions of two seconds) and `BOTH` (with TLS) offer PLAIN and both kinds of SCRAM.
PLAIN knows `admin` and `guest`, with a password `<name>-secret`; users of SCRAM are those of the
metadata.
"""

from __future__ import annotations

from pathlib import Path

from confluent_kafka.admin import (
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from tests.support.certificates import Authority
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.secured_kafka import plain_users

LISTENERS = {"SASL": "SASL_PLAINTEXT", "SHORT": "SASL_PLAINTEXT", "BOTH": "SASL_SSL"}
SESSION_MS = 2_000
_SCRAM = {
    "SCRAM-SHA-256": ScramMechanism.SCRAM_SHA_256,
    "SCRAM-SHA-512": ScramMechanism.SCRAM_SHA_512,
}


class SaslCluster(Local):
    """One broker and a controller."""

    def __init__(self, folder: Path, jars: Path) -> None:
        super().__init__(
            folder,
            jars,
            brokers=1,
            settings={
                "offsets.topic.replication.factor": "1",
                "default.replication.factor": "1",
                "transaction.state.log.replication.factor": "1",
                "group.initial.rebalance.delay.ms": "0",
            },
        )
        authority = Authority("Spindle test authority")
        self.trusted = authority.write_pem(folder / "ca.pem")
        keys = authority.issue("broker", names=["localhost"])
        self.ports = {name: free_port() for name in LISTENERS}
        node = self.nodes[1]
        listeners = [f"PLAINTEXT://127.0.0.1:{node.port}"]
        listeners += [f"{name}://localhost:{port}" for name, port in self.ports.items()]
        protocols = ["PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"]
        protocols += [f"{name}:{protocol}" for name, protocol in LISTENERS.items()]
        node.settings |= {
            "listeners": ",".join(listeners),
            "listener.security.protocol.map": ",".join(protocols),
            "inter.broker.listener.name": "PLAINTEXT",
            "metrics.port": str(free_port()),
            "listener.name.short.connections.max.reauth.ms": str(SESSION_MS),
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(keys.write_pem(folder / "broker.pem")),
            **plain_users("sasl", *_SCRAM),
            **plain_users("both", *_SCRAM),
            **plain_users("short", *_SCRAM),
        }
        self.write_config(node)

    def at(self, listener: str) -> str:
        """The address of a listener."""
        return f"localhost:{self.ports[listener]}"

    def set_scram(self, user: str, password: str, mechanism: str = "SCRAM-SHA-256") -> None:
        """Make or change a user's credential, by librdkafka's admin client."""
        info = ScramCredentialInfo(_SCRAM[mechanism], 4096)
        change = UserScramCredentialUpsertion(user, info, password.encode())
        self.admin.alter_user_scram_credentials([change])[user].result(20)

    def delete_scram(self, user: str, mechanism: str = "SCRAM-SHA-256") -> None:
        """Delete a user's credential."""
        change = UserScramCredentialDeletion(user, _SCRAM[mechanism])
        self.admin.alter_user_scram_credentials([change])[user].result(20)

    def scram_of(self, user: str) -> dict[str, int]:
        """The iterations of a user's credentials by mechanism, as librdkafka sees them."""
        found = self.admin.describe_user_scram_credentials([user])[user].result(20)
        names = {mechanism: name for name, mechanism in _SCRAM.items()}
        return {names[info.mechanism]: info.iterations for info in found.scram_credential_infos}

    def logins(self, what: str, listener: str) -> float:
        """How often a listener's clients did something, by the broker's figures."""
        name = f"kafka_server_socket_server_metrics_{what}_total"
        return self.metrics(1)[f'{name}{{listener="{listener}"}}']
