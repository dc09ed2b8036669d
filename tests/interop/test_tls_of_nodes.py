"""A cluster with TLS alone, on every listener and link, judged by Apache Kafka's own tools (S-04).

Three Spindle nodes, brokers and controllers at once, with Java's key stores; every party shows a
certificate. Kafka's tools create, write, change a listener's key store while it serves, and read.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.apache_kafka import CONFIGS, PERF_PRODUCER, TOPICS, ToolResult
from tests.support.certificates import Issued, converted, pem, trust_store
from tests.support.clients import produce
from tests.support.kafka_tool_cases import run_cases
from tests.support.secured_nodes import SecuredNodes

from spindle.client.admin import AdminClient
from spindle.runtime.local import LocalCluster
from spindle.security.client_properties import client_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spec("S-04"), pytest.mark.timeout(180)]

SECRET = "store-secret"
RULES = "RULE:^CN=(.*?)$/$1/L,DEFAULT"


class JavaStores(SecuredNodes):
    """The same certificates as Java keeps them: JKS for the key, PKCS12 for the authority."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.keys = self.store(self.issued, "node")
        self.trust = trust_store(folder / "trust.p12", "PKCS12", self.trusted, SECRET)

    def store(self, issued: Issued, name: str) -> Path:
        """A certificate with its key as JKS."""
        source = issued.write_pkcs12(self.folder / f"{name}.p12", SECRET)
        return converted(self.folder / f"{name}.jks", "JKS", source, SECRET)

    @property
    def stores(self) -> dict[str, str]:
        return {
            "ssl.keystore.location": str(self.keys),
            "ssl.keystore.password": SECRET,
            "ssl.truststore.location": str(self.trust),
            "ssl.truststore.password": SECRET,
            "ssl.truststore.type": "PKCS12",
        }

    @property
    def client(self) -> dict[str, str]:
        """A client's properties."""
        return {"security.protocol": "SSL", **self.stores}

    def client_file(self) -> str:
        """The same as a file."""
        path = self.folder / "client.properties"
        path.write_text("".join(f"{name}={value}\n" for name, value in self.client.items()))
        return str(path)


@asynccontextmanager
async def cluster(stores: JavaStores, home: Path) -> AsyncIterator[LocalCluster]:
    settings = {
        "ssl.client.auth": "required",
        "ssl.principal.mapping.rules": RULES,
        **stores.stores,
    }
    security = client_settings(stores.client).security
    async with LocalCluster(
        home, brokers=3, dirs=1, controllers=3, combined=True, settings=settings, security=security
    ) as running:
        yield running


def shown(port: int) -> str:
    """The certificate that a listener shows."""
    return ssl.get_server_certificate(("127.0.0.1", port))


def test_kafkas_tools_and_clients_use_a_cluster_with_tls_alone(
    kafka_jars: Path, tmp_path: Path
) -> None:
    stores = JavaStores(tmp_path / "stores")
    asyncio.run(_use(kafka_jars, stores, tmp_path / "cluster"))


async def _use(jars: Path, stores: JavaStores, home: Path) -> None:
    new = stores.authority.issue("node", names=["localhost", "127.0.0.1", "more"])
    other = stores.store(new, "other")
    async with cluster(stores, home) as running:
        node = running.brokers[0]
        changed = f"listener.name.ssl.ssl.keystore.location={other}"
        at = ("--bootstrap-server", running.bootstrap)
        own = ("--command-config", stores.client_file())
        of_node = ("--alter", "--entity-type", "brokers", "--entity-name", "1")
        told = await asyncio.to_thread(
            run_cases,
            jars,
            [
                (TOPICS, *at, *own, "--create", "--topic", "t", "--replication-factor", "3"),
                (
                    PERF_PRODUCER, "--topic", "t", "--num-records", "500", "--record-size", "100",
                    "--throughput", "-1", "--bootstrap-server", running.bootstrap,
                    "--command-config", stores.client_file(),
                ),
                (CONFIGS, *at, *own, *of_node, "--add-config", changed),
                (CONFIGS, *at, *own, *of_node, "--add-config", "ssl.keystore.location=/x"),
                (TOPICS, *at, *own, "--describe", "--topic", "t"),
            ],
            120,
        )  # fmt: skip
        _check(told)
        async with asyncio.timeout(30):
            assert node.port is not None
            while shown(node.port) != pem(new.certificate):
                await asyncio.sleep(0.05)
        async with AdminClient(
            running.bootstrap, security=client_settings(stores.client).security
        ) as admin:
            assert set((await admin.describe_cluster()).brokers) == {1, 2, 3}
        await asyncio.to_thread(produce, running.bootstrap, "t", [b"v"], 0, **stores.librdkafka)


def _check(told: list[ToolResult]) -> None:
    create, write, change, refused, describe = told
    assert create.stdout == "Created topic t.\n", create
    assert "500 records sent" in write.stdout, write
    assert "Completed updating config for broker 1." in change.stdout, change
    assert "only per-listener using the listener prefix" in refused.stderr + refused.stdout
    assert "Isr: " in describe.stdout, describe
