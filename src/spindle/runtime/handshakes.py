"""TLS handshakes of connections that come in: at a listener with TLS each begins with one.

They take turns, since each costs a signature: newcomers, however many, leave most of the loop's
time to those that are in. One that is not done in time is closed. Knows sockets, and no request.
Called by `driver`.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog

from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.settings.typed_settings import Settings
from spindle.runtime.tls_stream import TlsSocket
from spindle.wire.framing import SPEAKS_TLS

if TYPE_CHECKING:
    from spindle.runtime.certificates import ListenerCertificate, ListenerCertificates

log = structlog.get_logger("spindle.runtime.handshakes")

DELAY: Final = "connection.failed.authentication.delay.ms"
"""How long a client that failed waits until it is hung up on."""
HANDSHAKE_SECONDS: Final = 10.0
"""How long a client may take."""
TURN_SECONDS: Final = 0.002
"""How long handshakes are worked on before the others have their turn; one step at least."""
QUIET_SECONDS: Final = 1.0
"""A client that has not finished for so long may be closed to make room."""
SAY_SECONDS: Final = 10.0
"""The least time between two lines about handshakes that failed."""
_FIRST_BYTES: Final = 8
_READ_OFF: Final = 64 << 10
_CLIENT_HELLO: Final = 0x16
_METHODS: Final = (b"GET ", b"POST", b"HEAD", b"PUT ")
_MEANINGS: Final = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": (
        "the client has no certificate and ssl.client.auth=required: give it a key store"
    ),
    "UNSUPPORTED_PROTOCOL": "the client speaks none of this listener's versions of TLS"
    " (ssl.enabled.protocols)",
    "NO_SHARED_CIPHER": "the client shares no cipher suite with this listener (ssl.cipher.suites)",
    "UNKNOWN_CA": "the client does not trust the certificate of this listener: the client's"
    " ssl.truststore.location needs its authority",
    "CERTIFICATE_UNKNOWN": "the client does not accept the certificate of this listener: its"
    " authority must be in the client's trust store, and the host name in the certificate",
    "BAD_CERTIFICATE": "the client does not accept the certificate of this listener",
    "CERTIFICATE_EXPIRED": "to the client the certificate of this listener has expired",
}


@dataclass(slots=True, eq=False)
class _Newcomer:
    sock: socket.socket
    listener: str
    host: str
    began: float
    late: asyncio.TimerHandle | None = None
    watched: str = ""
    """What the loop tells of: "read" or "write"; empty: it waits for its turn, or is over."""
    leaving: asyncio.TimerHandle | None = None
    certificate: ListenerCertificate | None = None
    """Which was shown."""


LetIn = Callable[[socket.socket, str, str, KafkaPrincipal], None]


class Handshakes:
    """All that are under way.

    `let_in(socket, listener, host, principal)` is given each connection whose handshake is over.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        certificates: ListenerCertificates | None,
        let_in: LetIn,
        settings: Settings,
    ) -> None:
        """`certificates`: None where no listener has TLS."""
        self._loop = loop
        self.certificates = certificates
        self._let_in = let_in
        self.left: Callable[[str, str], None] = lambda listener, host: None
        """Called for each connection that ends before it is let in."""
        self._settings = settings
        self._under_way: dict[_Newcomer, None] = {}
        """The oldest first."""
        self._due: deque[_Newcomer] = deque()
        self._failed: dict[str, int] = {}
        self._silent_until = 0.0

    def begin(self, sock: socket.socket, listener: str, host: str) -> None:
        """A client has connected to a listener with TLS."""
        sock.setblocking(False)
        new = _Newcomer(sock, listener, host, self._loop.time())
        new.late = self._loop.call_later(HANDSHAKE_SECONDS, self._on_late, new)
        self._under_way[new] = None
        self._watch(new, "read")

    def make_room(self) -> bool:
        """Close the one that has been at it for longest; False where none has been so for long."""
        oldest = next(iter(self._under_way), None)
        if oldest is None or oldest.began > self._loop.time() - QUIET_SECONDS:
            return False
        self._end(oldest)
        return True

    def close(self) -> None:
        """Close them all."""
        for new in list(self._under_way):
            self._end(new)

    # --- turns --------------------------------------------------------------------------------

    def _watch(self, new: _Newcomer, what: str) -> None:
        new.watched = what
        add = self._loop.add_reader if what == "read" else self._loop.add_writer
        add(new.sock.fileno(), self._on_ready, new)

    def _unwatch(self, new: _Newcomer) -> None:
        if new.watched == "read":
            self._loop.remove_reader(new.sock.fileno())
        elif new.watched == "write":
            self._loop.remove_writer(new.sock.fileno())
        new.watched = ""

    def _on_ready(self, new: _Newcomer) -> None:
        self._unwatch(new)
        self._due.append(new)
        if len(self._due) == 1:
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        until = time.monotonic() + TURN_SECONDS
        while self._due:
            new = self._due[0]
            if new in self._under_way and new.leaving is None:
                self._step(new)
            self._due.popleft()  # Only now: `_on_ready` would begin another round of turns.
            if time.monotonic() >= until:
                break
        if self._due:
            self._loop.call_soon(self._turn)

    def _step(self, new: _Newcomer) -> None:
        try:
            sock = self._tls(new)
            if sock is None:
                return
            sock.do_handshake()
        except ssl.SSLWantReadError:
            self._watch(new, "read")
        except ssl.SSLWantWriteError:
            self._watch(new, "write")
        except (OSError, ValueError) as error:
            self._fail(new, why(error))
        else:
            self._finish(new, sock)

    def _tls(self, new: _Newcomer) -> TlsSocket | None:
        """The client's socket with TLS; None where it has failed, or has sent nothing yet."""
        if isinstance(new.sock, TlsSocket):
            return new.sock
        try:
            first = new.sock.recv(_FIRST_BYTES, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            self._watch(new, "read")
            return None
        if not first:
            self._end(new)
            return None
        if first[0] != _CLIENT_HELLO:
            new.sock.recv(_READ_OFF)  # Else the system resets the connection, which says less.
            self._fail(new, stranger(first))
            return None
        assert self.certificates is not None, "a listener has TLS"
        certificate = self.certificates.of(new.listener)
        assert certificate is not None, "this listener has TLS"
        new.sock = sock = certificate.wrap(new.sock)
        new.certificate = certificate
        return sock

    # --- ends ---------------------------------------------------------------------------------

    def _finish(self, new: _Newcomer, sock: TlsSocket) -> None:
        assert new.certificate is not None, "it had a handshake"
        principal = new.certificate.principal_of(sock.getpeercert(binary_form=True))
        if principal is None:
            self._fail(
                new,
                "no rule of ssl.principal.mapping.rules fits the name in the client's certificate",
            )
            return
        self._forget(new)
        self._let_in(sock, new.listener, new.host, principal)

    def _on_late(self, new: _Newcomer) -> None:
        self._unwatch(new)
        self._fail(new, f"the handshake was not done after {HANDSHAKE_SECONDS:g} s", hurry=True)

    def on_tls_elsewhere(self, listener: str, host: str) -> None:
        """A client has begun a handshake at a listener without TLS, and was hung up on."""
        self._say(listener, host, SPEAKS_TLS)

    def _say(self, listener: str, host: str, reason: str) -> None:
        self._failed[listener] = so_far = self._failed.get(listener, 0) + 1
        now = self._loop.time()
        if now >= self._silent_until:
            self._silent_until = now + SAY_SECONDS
            log.warning(
                "TLS handshakes fail", listener=listener, host=host, reason=reason, so_far=so_far
            )

    def _fail(self, new: _Newcomer, reason: str, hurry: bool = False) -> None:
        self._say(new.listener, new.host, reason)
        delay = 0.0 if hurry else self._settings.seconds(DELAY)
        if delay:
            new.leaving = self._loop.call_later(delay, self._end, new)
        else:
            self._end(new)

    def _end(self, new: _Newcomer) -> None:
        self._unwatch(new)
        self._forget(new)
        new.sock.close()
        self.left(new.listener, new.host)

    def _forget(self, new: _Newcomer) -> None:
        self._under_way.pop(new, None)
        for timer in (new.late, new.leaving):
            if timer is not None:
                timer.cancel()


def stranger(first: bytes) -> str:
    """What a client is that does not speak TLS, by its first bytes."""
    if first.startswith(_METHODS):
        return "the client speaks HTTP without TLS: this is a broker's port"
    return (
        "the client speaks no TLS: set security.protocol=SSL (or SASL_SSL) in its properties, or"
        " give it the port of a listener without TLS"
    )


def why(error: OSError | ValueError) -> str:
    """What a failed handshake means, in one line."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the client's certificate is not accepted: {error.verify_message}"
    if isinstance(error, (ssl.SSLEOFError, ConnectionError)):
        return "the client hung up during the handshake"
    reason = (error.reason or "") if isinstance(error, ssl.SSLError) else str(error)
    found = (meaning for word, meaning in _MEANINGS.items() if word in reason)
    told = reason.lower().replace("_", " ") or "the client broke it off"
    return next(found, f"no TLS connection: {told}")
