"""Files of client properties for the listeners of `SecuredKafka`, with stores of every kind.

files = ClientFiles(secured)
files.write("scram", {**files.tls("JKS"), **files.sasl("SCRAM-SHA-512")})
"""

from __future__ import annotations

from pathlib import Path

from tests.support.certificates import Authority, converted, trust_store
from tests.support.secured_kafka import SecuredKafka, password

STORE_SECRET = "store-secret"
KINDS = ("PEM", "PKCS12", "JKS")
_KAFKA = "org.apache.kafka.common.security"
_MODULES = {"PLAIN": "plain.PlainLoginModule"}
_SUFFIX = {"PEM": "pem", "PKCS12": "p12", "JKS": "jks"}


def write_properties(path: Path, properties: dict[str, str]) -> Path:
    """A file of properties."""
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return path


def sasl_properties(
    mechanism: str, user: str = "admin", secret: str | None = None
) -> dict[str, str]:
    """PLAIN or SCRAM, without TLS."""
    module = _MODULES.get(mechanism, "scram.ScramLoginModule")
    jaas = f'username="{user}" password="{secret or password(user)}"'
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": f"{_KAFKA}.{module} required {jaas};",
    }


class ClientFiles:
    """The stores of one cluster's clients: `admin`'s, and those of an authority unknown to it."""

    def __init__(self, secured: SecuredKafka) -> None:
        self.folder = secured.folder / "client"
        self.folder.mkdir()
        own = secured.authority.issue("admin")
        own.write_pem(self.folder / "own.pem", STORE_SECRET)
        converted(
            self.folder / "own.jks", "JKS",
            own.write_pkcs12(self.folder / "own.p12", STORE_SECRET), STORE_SECRET,
        )  # fmt: skip
        secured.authority.write_pem(self.folder / "trust.pem")
        for kind in ("PKCS12", "JKS"):
            store = self.folder / f"trust.{_SUFFIX[kind]}"
            trust_store(store, kind, secured.trusted, STORE_SECRET)
        other = Authority("another authority")
        other.write_pem(self.folder / "other.pem")
        other.issue("stranger").write_pem(self.folder / "stranger.pem")
        old = secured.authority.issue("old", expired=True)
        old.write_pem(self.folder / "old.pem")

    def write(self, name: str, properties: dict[str, str]) -> Path:
        """A file of properties."""
        return write_properties(self.folder / f"{name}.properties", properties)

    def tls(self, kind: str = "PEM", trust: str = "trust") -> dict[str, str]:
        """SSL, with a trust store of a kind."""
        return {"security.protocol": "SSL", **self._store("ssl.truststore", trust, kind)}

    def mutual(self, kind: str = "PEM", own: str = "own") -> dict[str, str]:
        """SSL with a certificate of our own."""
        store = self._store("ssl.keystore", own, kind)
        return {**self.tls(kind), **store, "ssl.key.password": STORE_SECRET}

    def sasl(
        self, mechanism: str, user: str = "admin", secret: str | None = None, tls: bool = False
    ) -> dict[str, str]:
        """PLAIN or SCRAM."""
        found = sasl_properties(mechanism, user, secret)
        return {**found, **self.tls(), "security.protocol": "SASL_SSL"} if tls else found

    def oauth(self, options: str, **more: str) -> dict[str, str]:
        """OAUTHBEARER with these options of JAAS."""
        return {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.jaas.config": f"{_KAFKA}.oauthbearer.OAuthBearerLoginModule required {options};",
            **more,
        }

    def _store(self, name: str, file: str, kind: str) -> dict[str, str]:
        found = {
            f"{name}.type": kind,
            f"{name}.location": str(self.folder / f"{file}.{_SUFFIX[kind]}"),
        }
        return found if kind == "PEM" else {**found, f"{name}.password": STORE_SECRET}
