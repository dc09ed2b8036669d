"""When a listener's certificate ends is on the page of metrics."""

from __future__ import annotations

from pathlib import Path

from tests.support.certificates import Authority

from spindle.model.config import node_config
from spindle.model.metric_tables.node_figures import CERTIFICATE
from spindle.runtime.certificates import ListenerCertificates


def test_the_end_of_a_listeners_certificate_is_a_figure(tmp_path: Path) -> None:
    issued = Authority("ends").issue("node", ["127.0.0.1"])
    config = node_config(
        {
            "node.id": "1",
            "process.roles": "broker",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": "9@127.0.0.1:9",
            "listeners": "SSL://127.0.0.1:0",
            "security.inter.broker.protocol": "SSL",
            "log.dirs": str(tmp_path / "d1"),
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(issued.write_pem(tmp_path / "node.pem")),
        }
    )
    certificates = ListenerCertificates(config)
    (sample,) = certificates.statistics()
    current = certificates.of("SSL")
    assert current is not None
    end = current.tls.certificate.not_valid_after_utc.timestamp()
    assert sample == CERTIFICATE.of(end, "SSL")
