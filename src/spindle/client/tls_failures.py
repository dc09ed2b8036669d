"""What a failed TLS handshake means, in one line with the way out (S-02).

Pure: from the error that `ssl` raises to words. Called by `link`.
"""

from __future__ import annotations

import ssl
from typing import Final

_TRUST: Final = "ssl.truststore.location"
_OURS: Final = "ssl.keystore.location"
_VERIFICATION: Final = {
    9: "the broker's certificate is not valid yet: compare the clocks of both machines",
    10: "the broker's certificate has expired: renew it on the broker",
    18: f"the broker's certificate is self-signed and not trusted: add it to {_TRUST}",
    19: f"the authority of the broker's certificate is unknown: add its certificate to {_TRUST}",
    20: f"the authority of the broker's certificate is unknown: add its certificate to {_TRUST}",
    21: f"the broker's certificate is not trusted: add its authority to {_TRUST}",
    62: "the broker's certificate is for other host names",
    64: "the broker's certificate is for other IP addresses",
}
_NAMES: Final = frozenset((62, 64))
_ALERTS: Final = (
    (
        ("CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE"),
        "the broker wants a client certificate (mutual TLS), or shares no cipher suite with us:"
        f" set {_OURS}, or look at ssl.cipher.suites",
    ),
    (
        ("BAD_CERTIFICATE", "CERTIFICATE_UNKNOWN", "UNKNOWN_CA", "ACCESS_DENIED"),
        "the broker does not take our certificate, or wants one and got none (mutual TLS): set"
        f" {_OURS} to a certificate of an authority that the broker trusts",
    ),
    (
        ("CERTIFICATE_EXPIRED", "CERTIFICATE_REVOKED", "UNSUPPORTED_CERTIFICATE"),
        f"the broker does not take our certificate: renew the one in {_OURS}",
    ),
    (
        ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "NO_PROTOCOLS_AVAILABLE"),
        "the broker speaks none of our versions of TLS: see ssl.enabled.protocols on both sides",
    ),
    (
        ("NO_CIPHER", "NO_SHARED_CIPHER", "WRONG_CIPHER_RETURNED", "INSUFFICIENT_SECURITY"),
        "the broker and we share no cipher suite: see ssl.cipher.suites on both sides",
    ),
    (
        ("KEY_TOO_SMALL", "DH_KEY_TOO_SMALL", "EE_KEY_TOO_SMALL", "CA_MD_TOO_WEAK"),
        "the broker's certificate is too weak for this machine's OpenSSL: renew it on the broker",
    ),
)


def explain(error: ssl.SSLError) -> str:
    """What is wrong and what to do, in one line."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _verification(error)
    reason = error.reason or ""
    for words, meaning in _ALERTS:
        if any(word in reason for word in words):
            return f"{meaning} (TLS: {_plain(reason)})"
    return f"no TLS connection: {_plain(reason) or 'the other side broke it off'}"


def _verification(error: ssl.SSLCertVerificationError) -> str:
    code, words = error.verify_code, error.verify_message
    meaning = _VERIFICATION.get(code)
    if meaning is None:
        return f"the broker's certificate is not accepted: {words}"
    if code in _NAMES:
        return (
            f"{meaning} ({words}): connect by a name in it, or give it this name; "
            "an empty ssl.endpoint.identification.algorithm checks no names"
        )
    return meaning


def _plain(reason: str) -> str:
    """OpenSSL's reason in lower case, without the version that its names carry by history."""
    words = reason.lower().replace("_", " ")
    return words.removeprefix("sslv3 ").removeprefix("tlsv1 ").removeprefix("tlsv13 ")
