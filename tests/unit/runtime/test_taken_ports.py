"""A node whose port another process has does not start, and says which port that is."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tests.support.commands import run

from spindle.cli.storage.storage_format import format_node, random_id


@pytest.mark.spec("N-06")
@pytest.mark.parametrize("taken", ["PLAINTEXT", "CONTROLLER"])
def test_a_port_in_use_is_named_and_the_exit_code_is_1(tmp_path: Path, taken: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ports = {"PLAINTEXT": 0, "CONTROLLER": 0, taken: port}
        listeners = ",".join(f"{name}://127.0.0.1:{number}" for name, number in ports.items())
        properties = tmp_path / "node.properties"
        properties.write_text(
            "node.id=1\nprocess.roles=broker,controller\ncontroller.listener.names=CONTROLLER\n"
            f"listeners={listeners}\ncontroller.quorum.voters=1@127.0.0.1:{port}\n"
            f"log.dirs={tmp_path}/d1\nmetadata.log.dir={tmp_path}/metadata\n"
        )
        format_node(properties, random_id(), lambda _: None)
        done = run("spindle", "broker", "--config", str(properties), "--log-level", "error")
    assert done.code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: cannot listen on 127.0.0.1:{port}: Address already in use; ")
