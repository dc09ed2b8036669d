"""Listeners with TLS: versions, certificates, large answers, clients that do harm (S-04, S-08)."""

from __future__ import annotations

import asyncio
import functools
import shutil
import socket
import ssl
import struct
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from tests.support.certificates import Authority, Issued
from tests.support.echo_node import MIB, running
from tests.support.processes import tied

from spindle.model.errors import Unusable
from spindle.runtime import certificates, handshakes

VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}


def alone(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test in an event loop of its own."""

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

    return run


class Shop:
    """An authority, a broker's certificate, a client's, and the settings that name them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = Authority("authority")
        self.trusted = self.authority.write_pem(folder / "ca.pem")
        self.broker = folder / "broker.pem"
        self.own: Issued = self.issue("broker")
        self.own.write_pem(self.broker)
        self.client = self.authority.issue("ann").write_pem(folder / "ann.pem")

    def issue(self, name: str, *names: str) -> Issued:
        return self.authority.issue(name, names or ("localhost", "127.0.0.1"))

    def settings(self, **more: str) -> dict[str, Any]:
        return {
            "listener.security.protocol.map": "CLIENTS:SSL,BROKERS:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.broker),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.trusted),
            **{name.replace("_", "."): value for name, value in more.items()},
        }

    def context(self, version: str | None = None, own: Path | None = None) -> ssl.SSLContext:
        found = ssl.create_default_context(cafile=str(self.trusted))
        if version is not None:
            found.minimum_version = found.maximum_version = VERSIONS[version]
        if own is not None:
            found.load_cert_chain(own)
        return found


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def own_stock(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.fixture
def said() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as lines:
        yield lines


def connect(port: int, context: ssl.SSLContext) -> ssl.SSLSocket:
    link = socket.create_connection(("127.0.0.1", port), 10)
    return context.wrap_socket(link, server_hostname="localhost")


def ask(link: socket.socket, size: int, padding: int = 0) -> int:
    """Ask for so many bytes; how many come."""
    link.sendall(struct.pack(">iq", 8 + padding, size) + bytes(padding))
    got = 0
    while got < size and (chunk := link.recv(MIB)):
        got += len(chunk)
    return got


def asks(port: int, context: ssl.SSLContext, size: int = 4) -> int:
    with connect(port, context) as link:
        return ask(link, size)


async def eventually(what: Callable[[], bool], why: str) -> None:
    async with asyncio.timeout(10):
        while not what():
            await asyncio.sleep(0.01)
    assert what(), why


# --- connections that are let in ------------------------------------------------------------------


@pytest.mark.spec("S-04")
@pytest.mark.parametrize("version", VERSIONS)
@alone
async def test_requests_and_answers_of_any_size(stock: Shop, version: str) -> None:
    async with running(**stock.settings()) as node:

        def converse() -> list[int]:
            with connect(node.ports["CLIENTS"], stock.context(version)) as link:
                assert link.version() == version
                sizes = ((4, 0), (20 * MIB, 0), (1, 3 * MIB), (100_000, 70_000))
                return [ask(link, *pair) for pair in sizes]

        assert await asyncio.to_thread(converse) == [4, 20 * MIB, 1, 100_000]
        assert [str(p) for p in node.machine.principals] == ["User:ANONYMOUS"]


@pytest.mark.spec("S-04")
@alone
async def test_many_requests_at_once_keep_their_order(stock: Shop) -> None:
    async with running(**stock.settings()) as node:

        def converse() -> list[int]:
            with connect(node.ports["CLIENTS"], stock.context()) as link:
                sizes = [n * 997 % 40_000 + 1 for n in range(300)]
                link.sendall(b"".join(struct.pack(">iq", 8, size) for size in sizes))
                got = 0
                while got < sum(sizes) and (chunk := link.recv(MIB)):
                    got += len(chunk)
                return [got, sum(sizes)]

        got, wanted = await asyncio.to_thread(converse)
        assert got == wanted


@pytest.mark.spec("S-08")
@alone
async def test_a_client_that_reads_slowly_holds_no_more_than_it_may(stock: Shop) -> None:
    async with running(**stock.settings()) as node:
        link = await asyncio.to_thread(connect, node.ports["CLIENTS"], stock.context())
        with link:
            link.sendall(b"".join(struct.pack(">iq", 8, MIB) for _ in range(400)))
            await eventually(lambda: node.machine.seen > 0, "requests are read")
            await asyncio.to_thread(asks, node.ports["CLIENTS"], stock.context(), 20 * MIB)
            assert node.machine.seen < 100  # It is not read from while it does not read.


@pytest.mark.spec("S-04")
@pytest.mark.parametrize(
    ("auth", "own", "principal"),
    [
        ("none", True, "User:ANONYMOUS"),
        ("requested", True, "User:ann"),
        ("requested", False, "User:ANONYMOUS"),
        ("required", True, "User:ann"),
    ],
)
@alone
async def test_a_client_is_called_by_its_certificate(
    stock: Shop, auth: str, own: bool, principal: str
) -> None:
    settings = stock.settings(
        ssl_client_auth=auth, ssl_principal_mapping_rules="RULE:^CN=(.*?)$/$1/L,DEFAULT"
    )
    async with running(**settings) as node:
        context = stock.context(own=stock.client if own else None)
        assert await asyncio.to_thread(asks, node.ports["CLIENTS"], context) == 4
        assert [str(p) for p in node.machine.principals] == [principal]


@pytest.mark.spec("S-04")
@pytest.mark.parametrize("version", VERSIONS)
@alone
async def test_a_session_that_is_resumed_keeps_its_principal(stock: Shop, version: str) -> None:
    async with running(**stock.settings(ssl_client_auth="required")) as node:

        def converse() -> bool | None:
            context = stock.context(version, stock.client)
            address = ("127.0.0.1", node.ports["CLIENTS"])
            with connect(address[1], context) as first:
                assert ask(first, 4) == 4  # In TLS 1.3 the ticket comes with the first answer.
                session = first.session
            link = socket.create_connection(address, 10)
            with context.wrap_socket(link, server_hostname="localhost", session=session) as next_:
                assert ask(next_, 4) == 4
                return next_.session_reused

        assert await asyncio.to_thread(converse)
        assert [str(p) for p in node.machine.principals] == ["User:CN=ann"] * 2


@pytest.mark.spec("S-08")
@alone
async def test_a_request_in_records_of_a_byte_is_read(stock: Shop) -> None:
    async with running(**stock.settings()) as node:

        def converse() -> int:
            with connect(node.ports["CLIENTS"], stock.context()) as link:
                for byte in struct.pack(">iq", 408, 4) + bytes(400):
                    link.send(bytes([byte]))
                return len(link.recv(4))

        assert await asyncio.to_thread(converse) == 4


@pytest.mark.spec("S-04")
@alone
async def test_a_listener_has_settings_of_its_own(stock: Shop) -> None:
    own: dict[str, Any] = {
        "listener.name.clients.ssl.enabled.protocols": "TLSv1.2",
        "listener.name.clients.ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "listener.name.clients.ssl.client.auth": "required",
    }
    async with running(**stock.settings(), **own) as node:

        def converse() -> tuple[Any, Any]:
            context = stock.context(own=stock.client)
            with connect(node.ports["CLIENTS"], context) as link:
                ask(link, 4)
                return link.version(), link.cipher()

        version, cipher = await asyncio.to_thread(converse)
        assert (version, cipher[0]) == ("TLSv1.2", "ECDHE-ECDSA-AES256-GCM-SHA384")
        assert [str(p) for p in node.machine.principals] == ["User:CN=ann"]


# --- connections that are not ---------------------------------------------------------------------


def refused(port: int, context: ssl.SSLContext) -> bool:
    """Whether a client is turned away: in TLS 1.3 it hears of it with the first read."""
    try:
        return asks(port, context) == 0
    except (OSError, ssl.SSLError):
        return True


def failures(said: list[Any]) -> list[str]:
    return [line["reason"] for line in said if line["event"] == "TLS handshakes fail"]


@pytest.mark.spec("S-04")
@alone
async def test_a_client_without_a_certificate_is_turned_away(stock: Shop, said: list[Any]) -> None:
    async with running(**stock.settings(ssl_client_auth="required")) as node:
        assert await asyncio.to_thread(refused, node.ports["CLIENTS"], stock.context())
        assert not node.machine.principals
    (reason,) = failures(said)
    assert "no certificate and ssl.client.auth=required" in reason


@pytest.mark.spec("S-04")
@alone
async def test_a_certificate_of_another_authority_is_turned_away(
    stock: Shop, said: list[Any], tmp_path: Path
) -> None:
    other = Authority("elsewhere").issue("ann").write_pem(tmp_path / "other.pem")
    async with running(**stock.settings(ssl_client_auth="requested")) as node:
        context = stock.context(own=other)
        assert await asyncio.to_thread(refused, node.ports["CLIENTS"], context)
        assert not node.machine.principals
    (reason,) = failures(said)
    assert reason.startswith("the client's certificate is not accepted: ")


@pytest.mark.spec("S-04")
@alone
async def test_a_name_that_no_rule_fits_is_turned_away(stock: Shop, said: list[Any]) -> None:
    rules = {"ssl_client_auth": "required", "ssl_principal_mapping_rules": "RULE:^CN=bob$/bob/"}
    async with running(**stock.settings(**rules)) as node:
        context = stock.context(own=stock.client)
        assert await asyncio.to_thread(refused, node.ports["CLIENTS"], context)
        assert not node.machine.principals
    assert "no rule of ssl.principal.mapping.rules" in failures(said)[0]


@pytest.mark.spec("S-02")
@pytest.mark.parametrize(
    ("first", "told"),
    [
        (b"\x00\x00\x00\x12\x00\x12\x00\x03", "security.protocol=SSL"),
        (b"GET / HTTP/1.1\r\n", "HTTP"),
    ],
)
@alone
async def test_a_client_without_tls_is_recognised(
    stock: Shop, said: list[Any], first: bytes, told: str
) -> None:
    async with running(**stock.settings()) as node:
        link = await node.connect()
        await asyncio.get_running_loop().sock_sendall(link, first)
        assert await asyncio.get_running_loop().sock_recv(link, 1) == b""
    (reason,) = failures(said)
    assert told in reason


@pytest.mark.spec("S-02")
@alone
async def test_tls_at_a_listener_without_it_is_reported(stock: Shop, said: list[Any]) -> None:
    async with running(**stock.settings()) as node:
        assert await asyncio.to_thread(refused, node.ports["BROKERS"], stock.context())
        await eventually(lambda: any("speaks TLS" in str(line) for line in said), "it is reported")


@pytest.mark.spec("S-08")
@pytest.mark.usefixtures("only_idle_time")
@alone
async def test_a_handshake_that_is_not_finished_ends(
    stock: Shop, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshakes, "HANDSHAKE_SECONDS", 0.3)
    async with running(**stock.settings()) as node:
        silent, half = await node.connect(), await node.connect()
        await asyncio.get_running_loop().sock_sendall(half, b"\x16\x03\x01\x02\x00\x01\x00")
        for link in (silent, half):
            async with asyncio.timeout(10):
                assert await asyncio.get_running_loop().sock_recv(link, 1) == b""
        assert "was not done" in failures(said)[0]
        monkeypatch.setattr(handshakes, "HANDSHAKE_SECONDS", 60.0)
        assert await asyncio.to_thread(asks, node.ports["CLIENTS"], stock.context()) == 4


@pytest.mark.spec("S-08")
@alone
async def test_clients_without_a_handshake_make_room(
    stock: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshakes, "QUIET_SECONDS", 0.0)
    async with running(**stock.settings(max_connections="3")) as node:
        first = [await node.connect() for _ in range(3)]
        await eventually(lambda: node.driver._doors.doors._hosts.total() == 3, "all are in")
        assert await asyncio.to_thread(asks, node.ports["CLIENTS"], stock.context()) == 4
        assert [await node.is_closed(link) for link in first] == [True, False, False]


@pytest.mark.spec("S-08")
@alone
async def test_no_client_negotiates_keys_once_more(stock: Shop) -> None:
    async with running(**stock.settings()) as node:
        process = await asyncio.create_subprocess_exec(
            *tied([
                "openssl", "s_client", "-connect", f"127.0.0.1:{node.ports['CLIENTS']}", "-tls1_2",
                "-CAfile", str(stock.trusted),
            ]),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        seen = b""
        async with asyncio.timeout(20):
            while b"Verify return code" not in seen:
                seen += await process.stdout.read(4096)
            process.stdin.write(b"R\n")
            seen += await process.stdout.read()
        await process.wait()
        assert b"no renegotiation" in seen or b"NO_RENEGOTIATION" in seen, seen[-500:]


# --- certificates that change ---------------------------------------------------------------------


def shown(port: int, context: ssl.SSLContext) -> bytes:
    """The certificate that a listener shows."""
    with connect(port, context) as link:
        found = link.getpeercert(binary_form=True)
        assert found is not None
        return found


def der(issued: Issued) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return issued.certificate.public_bytes(Encoding.DER)


@pytest.mark.spec("S-04")
@alone
async def test_a_new_certificate_is_shown_without_a_restart(
    own_stock: Shop, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock = own_stock
    monkeypatch.setattr(certificates, "LOOK_SECONDS", 0.02)
    async with running(**stock.settings()) as node:
        port = node.ports["CLIENTS"]
        link = await asyncio.to_thread(connect, port, stock.context())
        assert await asyncio.to_thread(shown, port, stock.context()) == der(stock.own)
        bad = (
            ("no PEM at all", "is not PEM"),
            (stock.issue("other").key_pem() + stock.own.chain, "do not match|KEY_VALUES_MISMATCH"),
            (_text(stock.issue("someone")), "DistinguishedName does not match"),
            (_text(stock.issue("broker", "localhost")), "SubjectAltNames do not match"),
        )
        for number, (text, told) in enumerate(bad, 1):
            _replace(stock.broker, text)
            await eventually(lambda n=number: len(_kept(said)) == n, told)  # type: ignore[misc]
            assert any(word in _kept(said)[-1] for word in told.split("|")), _kept(said)[-1]
            assert await asyncio.to_thread(shown, port, stock.context()) == der(stock.own)
        new = stock.issue("broker", "localhost", "127.0.0.1", "more")
        _replace(stock.broker, _text(new))
        await eventually(lambda: any("is renewed" in line["event"] for line in said), "renewed")
        assert await asyncio.to_thread(shown, port, stock.context()) == der(new)
        assert await asyncio.to_thread(ask, link, 4) == 4  # Connections go on.
        link.close()


def _text(issued: Issued) -> str:
    return issued.key_pem() + issued.chain


def _replace(path: Path, text: str) -> None:
    """As programs do it that want no half of a file to be read."""
    other = path.with_suffix(".new")
    other.write_text(text)
    shutil.move(other, path)


def _kept(said: list[Any]) -> list[str]:
    return [line["reason"] for line in said if "the one before it stays" in line["event"]]


@pytest.mark.spec("S-04")
@alone
async def test_a_changed_setting_counts_without_a_restart(
    own_stock: Shop, said: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock = own_stock
    monkeypatch.setattr(certificates, "LOOK_SECONDS", 0.02)
    new = stock.issue("broker", "localhost", "127.0.0.1", "more")
    path = new.write_pem(stock.folder / "new.pem", "hush")
    async with running(**stock.settings()) as node:
        name = "listener.name.clients.ssl."
        idle = node.machine.config.settings.set_dynamic(
            {f"{name}keystore.location": str(path), f"{name}key.password": "hush"}
        )
        assert idle == []
        await eventually(lambda: any("is renewed" in line["event"] for line in said), "renewed")
        port = node.ports["CLIENTS"]
        assert await asyncio.to_thread(shown, port, stock.context()) == der(new)


# --- nodes that do not start ----------------------------------------------------------------------


@pytest.mark.spec("S-04")
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"ssl.keystore.location": ""}, "listener CLIENTS (SSL): ssl.keystore.location is missing"),
        ({"ssl.keystore.location": "/not/there.pem"}, "/not/there.pem: No such file"),
        ({"ssl.truststore.location": "/not/there.pem"}, "/not/there.pem: No such file"),
        ({"listener.name.clients.ssl.keystore.type": "BCFKS"}, "BCFKS is not supported"),
        ({"ssl.enabled.protocols": "TLSv1.1"}, "TLSv1.1 is not supported"),
        ({"ssl.cipher.suites": "TLS_NO_SUCH"}, "OpenSSL has none of TLS_NO_SUCH"),
        ({"ssl.principal.mapping.rules": "RULE:a/b"}, "'RULE:a/b' is no rule"),
        ({"ssl.keystore.password": "secret-word"}, "ssl.keystore.password has no meaning for PEM"),
    ],
)
@alone
async def test_a_node_does_not_start_with_what_is_wrong(
    stock: Shop, settings: dict[str, str], told: str
) -> None:
    with pytest.raises(Unusable) as refused:
        async with running(**{**stock.settings(), **settings}):
            pass
    assert told in str(refused.value)
    assert "secret-word" not in str(refused.value)
