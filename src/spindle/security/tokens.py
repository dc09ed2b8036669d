"""Where the token of OAUTHBEARER comes from: made here unsigned, a file, or an HTTPS endpoint.

`fetch` blocks: a client calls it in a thread. Called by `client/connector`; the conversation that
carries the token is in `sasl`.
"""

from __future__ import annotations

import base64
import binascii
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, NoReturn

from spindle.model.errors import Error, PeerFailed, Refusal, Unusable
from spindle.security.secret import Secret
from spindle.security.tls import TlsSettings

ANSWER_MAX: Final = 1 << 20
_URL: Final = "sasl.oauthbearer.token.endpoint.url"


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the time (seconds since 1970) when it ends; 0 where it does not say."""

    text: Secret
    ends: float


@dataclass(frozen=True, slots=True)
class UnsignedToken:
    """A token that we make: for brokers that check no signature, in tests (KIP-255)."""

    claims: Mapping[str, object]
    seconds: int = 3600

    def fetch(self) -> Token:
        """A fresh token."""
        now = time.time()
        claims = {"iat": now, "exp": now + self.seconds, **self.claims}
        parts = (_packed({"alg": "none"}), _packed(claims), "")
        return Token(Secret(".".join(parts)), now + self.seconds)


@dataclass(frozen=True, slots=True)
class TokenFile:
    """A file that another program keeps up to date; read for each login."""

    path: str

    def fetch(self) -> Token:
        """What the file holds now."""
        try:
            text = Path(self.path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise Unusable(f"{_URL}: the token file {self.path}: {why}") from None
        if not text:
            raise Unusable(f"{_URL}: the token file {self.path} is empty")
        return Token(Secret(text), _end(text))


@dataclass(frozen=True, slots=True)
class ClientCredentials:
    """The grant of RFC 6749, section 4.4, over HTTPS (KIP-768)."""

    url: str
    client_id: str
    client_secret: Secret
    scope: str | None = None
    encoded: bool = False
    """Whether id and secret are URL-encoded in the header (KIP-1139)."""
    tls: TlsSettings = field(default_factory=TlsSettings)
    seconds: float = 10.0
    """Time limit of the connection and of each read."""

    def fetch(self) -> Token:
        """Ask the endpoint for a token.

        PeerFailed where it does not answer, Refusal where it says no.
        """
        context = self.tls.context() if self.url.startswith("https:") else None
        opener = urllib.request.build_opener(
            _NoRedirects(), urllib.request.HTTPSHandler(context=context)
        )
        try:
            with opener.open(self._request(), timeout=self.seconds) as answer:
                data = answer.read(ANSWER_MAX)
        except urllib.error.HTTPError as error:
            with error:
                self._refused(error)
        except urllib.error.URLError as error:
            raise PeerFailed(f"{_URL}: {self.url}: {error.reason}") from None
        except OSError as error:
            raise PeerFailed(f"{_URL}: {self.url}: {error}") from None
        return self._token(data)

    def _request(self) -> urllib.request.Request:
        pair = [self.client_id, self.client_secret.reveal()]
        if self.encoded:
            pair = [urllib.parse.quote_plus(part) for part in pair]
        form = {"grant_type": "client_credentials"}
        if self.scope:
            form["scope"] = self.scope
        basic = base64.b64encode(":".join(pair).encode()).decode()
        headers = {
            "Accept": "application/json",
            "Authorization": f"Basic {basic}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        return urllib.request.Request(self.url, urllib.parse.urlencode(form).encode(), headers)

    def _refused(self, error: urllib.error.HTTPError) -> NoReturn:
        text = f"{_URL}: {self.url} answered {error.code} {error.reason}"
        if error.code in (400, 401, 403):
            raise Refusal(
                Error.SASL_AUTHENTICATION_FAILED,
                f"{text}: check the client's id, its secret and the scope",
            )
        if error.code < 500:
            raise Refusal(Error.SASL_AUTHENTICATION_FAILED, f"{text}: check the address")
        raise PeerFailed(f"{text}: the provider of tokens has a fault; try again later")

    def _token(self, data: bytes) -> Token:
        try:
            found = json.loads(data)
            text, lives = found["access_token"], found.get("expires_in")
        except (ValueError, TypeError, KeyError, AttributeError):
            raise PeerFailed(f"{_URL}: {self.url} answered with no access_token in JSON") from None
        if not isinstance(text, str) or not text:
            raise PeerFailed(f"{_URL}: {self.url} answered with an access_token that is no text")
        ends = _end(text)
        if not ends and isinstance(lives, int | float):
            ends = time.time() + lives
        return Token(Secret(text), ends)


TokenSource = UnsignedToken | TokenFile | ClientCredentials


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The secret goes to the endpoint that is set and to no other."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: object,
        newurl: str,
    ) -> None:
        """Follow none: the answer stays an error."""
        return


def _packed(claims: Mapping[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def _end(token: str) -> float:
    """When a JSON web token ends; 0 where it is none, or does not say."""
    parts = token.split(".")
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        end = json.loads(base64.urlsafe_b64decode(padded))["exp"]
    except (IndexError, ValueError, TypeError, KeyError, binascii.Error):
        return 0.0
    return float(end) if isinstance(end, int | float) else 0.0
