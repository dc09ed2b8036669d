"""The certificates of a cluster that secures itself."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from spindle.runtime.local_security import secured


@pytest.mark.spec("S-04")
def test_strict_clients_take_the_certificate_of_the_nodes(tmp_path: Path) -> None:
    folder = secured(tmp_path).folder
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "node.pem")
    client = ssl.create_default_context(cafile=str(folder / "authority.pem"))
    client.verify_flags |= ssl.VERIFY_X509_STRICT  # Python's default from 3.13 on.
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname="localhost"),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    for _ in range(3):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    presented = ends[0].getpeercert()
    assert presented is not None
    assert ("DNS", "localhost") in presented["subjectAltName"]
