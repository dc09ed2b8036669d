"""Apache Kafka with a listener for each way to be secured, on one node, with StandardAuthorizer.

    with SecuredKafka(tmp_path, jars) as secured:
        secured.start()
        secured.at("SASL_SSL")   # localhost:port

Users with a password `<name>-secret`: `admin`, which may do everything, and `guest`, which may do
nothing. They are known to PLAIN and to both kinds of SCRAM.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.apache_kafka import ApacheKafka
from tests.support.certificates import Authority
from tests.support.ports import free_port

LISTENERS = {
    "PLAINTEXT": "PLAINTEXT",
    "SASL": "SASL_PLAINTEXT",
    "OAUTH": "SASL_PLAINTEXT",
    "SHORT": "SASL_PLAINTEXT",
    "TLS": "SSL",
    "MUTUAL": "SSL",
    "EXPIRED": "SSL",
    "OLD": "SSL",
    "BOTH": "SASL_SSL",
}
"""`SHORT` has sessions of two seconds, `EXPIRED` an expired certificate, `OLD` speaks TLS 1.2."""
USERS = ("admin", "guest")
SESSION_MS = 2_000
_KAFKA = "org.apache.kafka.common.security"
_SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")


def password(user: str) -> str:
    """What a user authenticates with."""
    return f"{user}-secret"


class SecuredKafka:
    """The node, its authority, and the files that clients need."""

    def __init__(self, folder: Path, jars: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.authority = Authority("Spindle test authority")
        self.trusted = self.authority.write_pem(folder / "ca.pem")
        broker = self.authority.issue("broker", names=["localhost"])
        expired = self.authority.issue("broker", names=["localhost"], expired=True)
        self._keys = broker.write_pem(folder / "broker.pem")
        self._expired_keys = expired.write_pem(folder / "expired.pem")
        self.kafka = ApacheKafka(folder / "kafka", jars, brokers=1, directories=2)
        self.ports = {name: free_port() for name in LISTENERS}
        node = self.kafka.nodes[1]
        self.ports["PLAINTEXT"] = node.port
        node.settings.update(self._settings(node.controller_port or 0))
        self.kafka.write_config(node)

    def start(self) -> None:
        """Format, with users for SCRAM, and start."""
        node = self.kafka.nodes[1]
        users = [
            word
            for mechanism in _SCRAM
            for user in USERS
            for word in ("-S", f"{mechanism}=[name={user},password={password(user)}]")
        ]
        self.kafka.format_with_kafka(node, *users)
        self.kafka.start_node(1)

    def at(self, listener: str, host: str = "localhost") -> str:
        """The address of a listener."""
        return f"{host}:{self.ports[listener]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kafka.kill()

    def _settings(self, controller_port: int) -> dict[str, str]:
        listeners = [f"{name}://localhost:{port}" for name, port in self.ports.items()]
        protocols = [f"{name}:{protocol}" for name, protocol in LISTENERS.items()]
        return {
            "listeners": ",".join([*listeners, f"CONTROLLER://127.0.0.1:{controller_port}"]),
            "advertised.listeners": ",".join(listeners),
            "listener.security.protocol.map": ",".join([*protocols, "CONTROLLER:PLAINTEXT"]),
            "inter.broker.listener.name": "PLAINTEXT",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS;User:admin;User:CN=admin",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self._keys),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.trusted),
            "listener.name.mutual.ssl.client.auth": "required",
            "listener.name.expired.ssl.keystore.type": "PEM",
            "listener.name.expired.ssl.keystore.location": str(self._expired_keys),
            "listener.name.old.ssl.enabled.protocols": "TLSv1.2",
            "listener.name.old.ssl.client.auth": "required",
            **plain_users("sasl", *_SCRAM),
            **plain_users("both", *_SCRAM),
            **plain_users("short"),
            "listener.name.short.plain.connections.max.reauth.ms": str(SESSION_MS),
            "listener.name.oauth.sasl.enabled.mechanisms": "OAUTHBEARER",
            "listener.name.oauth.oauthbearer.sasl.jaas.config": (
                f"{_KAFKA}.oauthbearer.OAuthBearerLoginModule required "
                'unsecuredLoginStringClaim_sub="admin";'
            ),
        }


def plain_users(listener: str, *scram: str) -> dict[str, str]:
    """A listener with PLAIN and these mechanisms of SCRAM."""
    users = " ".join(f'user_{user}="{password(user)}"' for user in USERS)
    name = f"listener.name.{listener}"
    return {
        f"{name}.sasl.enabled.mechanisms": ",".join(("PLAIN", *scram)),
        f"{name}.plain.sasl.jaas.config": f"{_KAFKA}.plain.PlainLoginModule required {users};",
        **{
            f"{name}.{mechanism.lower()}.sasl.jaas.config": (
                f"{_KAFKA}.scram.ScramLoginModule required;"
            )
            for mechanism in scram
        },
    }
