"""A large frame comes a piece at a time, each in its turn; others come at once (S-08)."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.certificates import Authority

from spindle.model.batches import Buffer
from spindle.runtime.net import LARGE, READ_MAX, scratch
from spindle.runtime.tls_stream import TlsSocket, stream_of

pytestmark = pytest.mark.spec("S-08")

SPINS = 20
"""Turns of the loop in which nothing more may come."""


@pytest.mark.parametrize("tls", [False, True])
def test_a_large_frame_is_received_in_turns_to_come(tls: bool, tmp_path: Path) -> None:
    asyncio.run(received(LARGE + 1, tls, tmp_path, in_turns=True))


@pytest.mark.parametrize("tls", [False, True])
def test_a_smaller_one_is_received_as_it_comes(tls: bool, tmp_path: Path) -> None:
    asyncio.run(received(LARGE - 1, tls, tmp_path, in_turns=False))


async def received(size: int, tls: bool, place: Path, in_turns: bool) -> None:
    """A frame of so many bytes is sent at once; how it is received, and that it is whole."""
    loop, turns = asyncio.get_running_loop(), deque[Callable[[], None]]()
    frames: list[Buffer] = []
    kept = had = 0

    def keep(more: int) -> None:
        nonlocal kept
        kept += more

    def take(some: Iterator[Buffer]) -> None:
        frames.extend(some)

    near, far = ends(tls, place)
    content = bytes(range(256)) * (size // 256 + 1)
    sending = threading.Thread(target=far.sendall, args=(struct.pack(">i", size) + content[:size],))
    sending.start()
    stream = stream_of(near)(
        near, loop, 2 * LARGE, scratch(), take, lambda reason: None, keep, later=turns.append
    )
    while not frames:
        if not turns:
            await asyncio.sleep(0)
            continue
        assert len(turns) == 1, "it waits for one turn at a time"
        before = kept
        for _ in range(SPINS):
            await asyncio.sleep(0)
        assert (kept, len(turns)) == (before, 1)
        turns.popleft()()
        had += 1
        assert frames or before <= kept <= before + READ_MAX
    sending.join()
    assert had >= size // READ_MAX if in_turns else not had
    far.sendall(struct.pack(">i", 1) + b"x")
    while len(frames) < 2:
        await asyncio.sleep(0)
    assert [bytes(frame) for frame in frames] == [content[:size], b"x"]
    assert kept == 0
    stream.close("the test is over")
    far.close()


def ends(tls: bool, place: Path) -> tuple[socket.socket, socket.socket]:
    """Both ends of a connection: the node's and the client's."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        far = socket.create_connection(server.getsockname())
        near, _ = server.accept()
    return encrypted(near, far, place) if tls else (near, far)


def encrypted(
    near: socket.socket, far: socket.socket, place: Path
) -> tuple[socket.socket, socket.socket]:
    """TLS on both."""
    ours, theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    ours.sslsocket_class = TlsSocket
    authority = Authority("authority")
    ours.load_cert_chain(authority.issue("node", ["127.0.0.1"]).write_pem(place / "node.pem"))
    theirs.load_verify_locations(authority.write_pem(place / "trusted.pem"))
    with ThreadPoolExecutor() as threads:
        wrapped = threads.submit(ours.wrap_socket, near, server_side=True)
        client = theirs.wrap_socket(far, server_hostname="127.0.0.1")
        return wrapped.result(), client
