"""The conversation of GSSAPI (Kerberos, RFC 4752), by the library `gssapi`, which is an extra.

The library asks the key distribution centre itself, so the first message may take a while. Called
by `mechanisms`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from spindle.model.errors import Error, Refusal, Unusable

_NO_LAYER: Final = 1
"""The bit of the security layer that we choose: none, TLS is there for that."""


def check_library() -> None:
    """Unusable where GSSAPI cannot be spoken here."""
    try:
        import_module("gssapi")
    except (ImportError, OSError):
        raise Unusable(
            "sasl.mechanism=GSSAPI needs the library gssapi, which is not installed: "
            "pip install 'spindle[kerberos]' (it needs MIT Kerberos: apt install libkrb5-dev gcc)"
        ) from None


class GssapiClient:
    """Tokens until the context stands, then the choice of no security layer."""

    def __init__(self, service: str, host: str, principal: str | None, keytab: str | None) -> None:
        gssapi = import_module("gssapi")
        self._errors = gssapi.exceptions.GSSError
        self._choosing = False
        try:
            # The tickets of another keytab or principal must not serve this one.
            own = f"MEMORY:{principal or ''} {keytab}"
            store = {"client_keytab": keytab, "ccache": own} if keytab else None
            name = gssapi.Name(principal, gssapi.NameType.user) if principal else None
            credentials = gssapi.Credentials(name=name, usage="initiate", store=store)
            target = gssapi.Name(f"{service}@{host}", gssapi.NameType.hostbased_service)
            self._context = gssapi.SecurityContext(
                name=target,
                creds=credentials,
                usage="initiate",
                mech=gssapi.MechType.kerberos,
            )
        except self._errors as error:
            raise self._refused(error) from None

    def first(self) -> bytes:
        """The first token, with a ticket for the broker."""
        return self._step(None)

    def answer(self, challenge: bytes) -> bytes | None:
        """The next token, an empty one once the context stands, and at last the layer."""
        if not self._context.complete:
            return self._step(challenge)
        if self._choosing:
            return None
        self._choosing = True
        try:
            offered = self._context.unwrap(challenge).message
            if not offered[0] & _NO_LAYER:
                raise Refusal(
                    Error.SASL_AUTHENTICATION_FAILED,
                    "the broker insists on a security layer of Kerberos; it must offer auth",
                )
            chosen = bytes([_NO_LAYER, 0, 0, 0])
            return bytes(self._context.wrap(chosen, False).message)
        except self._errors as error:
            raise self._refused(error) from None

    def _step(self, challenge: bytes | None) -> bytes:
        try:
            return bytes(self._context.step(challenge) or b"")
        except self._errors as error:
            raise self._refused(error) from None

    @staticmethod
    def _refused(error: Exception) -> Refusal:
        return Refusal(
            Error.SASL_AUTHENTICATION_FAILED,
            f"Kerberos: {' '.join(str(error).split())}: check the ticket (klist), the keytab and "
            "sasl.kerberos.service.name",
        )
