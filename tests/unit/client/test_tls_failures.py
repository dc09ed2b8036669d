"""What a failed handshake means; the interop tests show the same errors as Kafka causes them."""

from __future__ import annotations

import ssl

import pytest

from spindle.client.tls_failures import explain

pytestmark = pytest.mark.spec("S-02")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (9, "not valid yet: compare the clocks"),
        (10, "has expired: renew it on the broker"),
        (18, "is self-signed and not trusted: add it to ssl.truststore.location"),
        (19, "the authority of the broker's certificate is unknown"),
        (20, "the authority of the broker's certificate is unknown"),
        (62, "for other host names (it is): connect by a name in it"),
        (64, "for other IP addresses (it is): connect by a name in it"),
        (23, "the broker's certificate is not accepted: it is"),
    ],
)
def test_why_a_certificate_is_not_accepted(code: int, words: str) -> None:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, "it is"
    assert words in explain(error)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("TLSV13_ALERT_CERTIFICATE_REQUIRED", "wants a client certificate (mutual TLS)"),
        ("SSLV3_ALERT_HANDSHAKE_FAILURE", "look at ssl.cipher.suites (TLS: alert handshake fail"),
        ("SSLV3_ALERT_BAD_CERTIFICATE", "set ssl.keystore.location to a certificate"),
        ("TLSV1_ALERT_UNKNOWN_CA", "of an authority that the broker trusts (TLS: alert unknown"),
        ("SSLV3_ALERT_CERTIFICATE_EXPIRED", "renew the one in ssl.keystore.location"),
        ("TLSV1_ALERT_PROTOCOL_VERSION", "see ssl.enabled.protocols on both sides"),
        ("NO_CIPHERS_AVAILABLE", "see ssl.cipher.suites on both sides"),
        ("EE_KEY_TOO_SMALL", "too weak for this machine's OpenSSL"),
        ("BAD_RECORD_TYPE", "no TLS connection: bad record type"),
        ("", "no TLS connection: the other side broke it off"),
    ],
)
def test_what_an_alert_means(reason: str, words: str) -> None:
    error = ssl.SSLError()
    error.reason = reason
    assert words in explain(error)
