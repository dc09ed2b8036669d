"""Certificates of a node's listeners and links, read once more when files or settings change.

What cannot be used leaves the certificate before it in place, and the log says so once (S-04).
Files are read beside the loop. Knows no connections. Called by `driver`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Generic, TypeVar, cast

import structlog

from spindle.model.config import NodeConfig
from spindle.model.errors import Unusable
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.metric_tables.node_figures import CERTIFICATE
from spindle.model.security_protocol import SecurityProtocol
from spindle.model.settings.typed_settings import Settings
from spindle.model.statistics import Sample
from spindle.runtime.tls_stream import TlsSocket
from spindle.security.listener_tls import ListenerTls, files_of, link_tls, listener_tls, texts_of

log = structlog.get_logger("spindle.runtime.certificates")

LOOK_SECONDS: Final = 2.0
"""How often files and settings are looked at."""

T = TypeVar("T")


class ListenerCertificate:
    """A listener's certificate and what else TLS needs there, at one time."""

    def __init__(self, tls: ListenerTls) -> None:
        """Unusable where OpenSSL does not take it."""
        self.tls = tls
        self._context = tls.context()
        self._context.sslsocket_class = TlsSocket

    def wrap(self, sock: socket.socket) -> TlsSocket:
        """A client's socket with TLS on it; the handshake is still to come."""
        wrapped = self._context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        return cast("TlsSocket", wrapped)

    def principal_of(self, certificate: bytes | None) -> KafkaPrincipal | None:
        """The principal of a client's certificate (DER); None where no rule gives it a name."""
        return self.tls.mapper.principal_of(certificate)


class _Watched(Generic[T]):
    """Something made of settings and files. `load` is given the settings and what it was before."""

    def __init__(
        self,
        listener: str,
        load: Callable[[Settings, T | None], T],
        settings: Settings,
    ) -> None:
        """Unusable where it cannot be made."""
        self.listener = listener
        self._load = load
        self._state = self._look(settings)
        self.current = load(settings, None)

    def renewed(self, settings: Settings) -> T | None:
        """What it is now, if anything has changed. Unusable, once, where that cannot be used."""
        state = self._look(settings)
        if state == self._state:
            return None
        self._state = state
        return self._load(settings, self.current)

    def _look(self, settings: Settings) -> object:
        texts = texts_of(settings.of_listener(self.listener))
        return texts, [_stamp(path) for path in files_of(texts)]


def _stamp(path: str) -> tuple[int, ...] | None:
    """What changes when a file does; None where it cannot be seen."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _of_listener(
    listener: str,
    protocol: SecurityProtocol,
    settings: Settings,
    before: ListenerCertificate | None,
) -> ListenerCertificate:
    tls = listener_tls(settings, listener, protocol)
    if before is not None:
        try:
            before.tls.check_successor(tls)
        except Unusable as error:
            raise Unusable(f"listener {listener} ({protocol}): {error}") from None
    return ListenerCertificate(tls)


def _of_link(listener: str, settings: Settings, before: ssl.SSLContext | None) -> ssl.SSLContext:
    context = link_tls(settings, listener).context()
    context.sslsocket_class = TlsSocket
    return context


class ListenerCertificates:
    """Those of all listeners with TLS, and of the links to other nodes' listeners."""

    def __init__(self, config: NodeConfig) -> None:
        """Unusable names the listener, the setting and the file that cannot be used."""
        self._settings = config.settings
        self._version = config.settings.version
        self._seen = _snapshot(config.settings)
        self._listeners = {
            e.name: _Watched(e.name, partial(_of_listener, e.name, protocol), config.settings)
            for e in config.listeners
            if (protocol := config.protocol_of(e.name)).has_tls
        }
        others = dict.fromkeys((config.inter_broker_listener, config.quorum.listeners[0]))
        self._links = {
            name: _Watched(name, partial(_of_link, name), config.settings)
            for name in others
            if config.protocol_of(name).has_tls
        }

    def of(self, listener: str) -> ListenerCertificate | None:
        """What a listener has now; None for one without TLS."""
        watched = self._listeners.get(listener)
        return None if watched is None else watched.current

    def link(self, listener: str) -> ssl.SSLContext | None:
        """What a link to other nodes' listeners of this name needs now; None without TLS."""
        watched = self._links.get(listener)
        return None if watched is None else watched.current

    def statistics(self) -> Iterator[Sample]:
        """When the listeners' certificates end."""
        for name, watched in self._listeners.items():
            end = watched.current.tls.certificate.not_valid_after_utc
            yield CERTIFICATE.of(end.timestamp(), name)

    async def watch(self) -> None:
        """Renew what changes, for as long as the node runs."""
        while self._listeners or self._links:
            await asyncio.sleep(LOOK_SECONDS)
            if self._version != self._settings.version:
                self._version, self._seen = self._settings.version, _snapshot(self._settings)
            for listener in self._listeners.values():
                await _renew(listener, "listener", self._seen)
            for link in self._links.values():
                await _renew(link, "links to", self._seen)


def _snapshot(settings: Settings) -> Settings:
    """Settings as they are now, for another thread."""
    copy = Settings(settings.given)
    copy.set_dynamic(settings.dynamic)
    return copy


async def _renew(watched: _Watched[T], what: str, settings: Settings) -> None:
    try:
        new = await asyncio.to_thread(watched.renewed, settings)
    except Unusable as error:
        log.warning(
            "a changed certificate or trust store is not used: the one before it stays",
            reason=str(error),
        )
        return
    if new is not None:
        watched.current = new
        log.info(f"TLS is renewed: {what} {watched.listener}", connections="new ones")
