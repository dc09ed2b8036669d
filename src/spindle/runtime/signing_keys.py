"""The keys by which listeners of OAUTHBEARER check tokens: read at the start, and then as they age.

A file is read again when it changes, an https:// address every
`sasl.oauthbearer.jwks.endpoint.refresh.ms`, and soon after a token has named a key that is unknown.
What cannot be read leaves the keys before it in place. Called by `server`.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from typing import Final

import structlog

from spindle.model.errors import Unusable
from spindle.model.settings.typed_settings import Settings
from spindle.node.sasl_listener import SaslListener
from spindle.security.json_web_tokens import SigningKeys, parse_keys

log = structlog.get_logger("spindle.runtime.signing_keys")

LOOK_SECONDS: Final = 1.0
"""How often files, and unknown keys, are looked at."""
READ_SECONDS: Final = 10.0
READ_MAX: Final = 1 << 20


class _Provider:
    """One listener's keys."""

    def __init__(self, listener: SaslListener, settings: Settings) -> None:
        """Reads them: blocks, and raises Unusable where they cannot be had."""
        assert listener.rules.tokens is not None
        self._url = listener.rules.tokens.keys_url
        self._refresh = settings.seconds("sasl.oauthbearer.jwks.endpoint.refresh.ms")
        self._least = settings.seconds("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms")
        self._most = settings.seconds("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms")
        self._pause = self._least
        self._stamp = self._look()
        self._read_at = 0.0
        self._missed = 0
        self._keys = listener.keys = read_keys(self._url)

    def _look(self) -> tuple[int, ...] | None:
        if not self._url.startswith("file:"):
            return None
        try:
            found = os.stat(_path(self._url))
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    async def renew(self, now: float) -> None:
        """Read the keys again if it is time. `now`: s, monotonic."""
        stamp, missed = self._look(), self._keys.missed
        is_due = now - self._read_at >= self._refresh or missed > self._missed
        if stamp == self._stamp and (stamp is not None or not is_due):
            return
        if now - self._read_at < self._pause:
            return
        self._read_at, self._missed = now, missed
        try:
            keys = await asyncio.to_thread(read_keys, self._url)
        except Unusable as error:
            self._pause = min(2 * self._pause, self._most)
            log.warning("keys of tokens stay as they were", reason=str(error))
            return
        self._stamp, self._pause = stamp, self._least
        self._keys.replace(keys)


class SigningKeyWatch:
    """The keys of all listeners that take tokens."""

    def __init__(self, listeners: Iterable[SaslListener], settings: Settings) -> None:
        """Reads them: blocks, and raises Unusable where the keys of a listener cannot be had."""
        self._providers = [
            _Provider(listener, settings)
            for listener in listeners
            if listener.rules.tokens is not None
        ]

    async def watch(self) -> None:
        """Keep them up to date, for as long as the node runs."""
        loop = asyncio.get_running_loop()
        while self._providers:
            await asyncio.sleep(LOOK_SECONDS)
            for provider in self._providers:
                await provider.renew(loop.time())


def read_keys(url: str) -> SigningKeys:
    """The keys at an address; Unusable says why there are none. Blocks."""
    try:
        if url.startswith("file:"):
            with open(_path(url), "rb") as file:
                data = file.read(READ_MAX)
        else:
            context = ssl.create_default_context()
            with urllib.request.urlopen(url, timeout=READ_SECONDS, context=context) as answer:
                data = answer.read(READ_MAX)
    except (OSError, ValueError) as error:
        raise Unusable(
            f"sasl.oauthbearer.jwks.endpoint.url: {url} cannot be read: {error}"
        ) from None
    return parse_keys(data, url)


def _path(url: str) -> str:
    return urllib.parse.unquote(urllib.parse.urlsplit(url).path)
