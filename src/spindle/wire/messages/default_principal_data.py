"""DefaultPrincipalData, version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Data, Put, null, skip_tags
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_tB = Struct(">?B").pack
unpack_t = Struct(">?").unpack_from


class DefaultPrincipalData(Data):
    """What other messages carry as bytes."""

    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("type_", "name", "token_authenticated")
    type_: str
    name: str
    token_authenticated: bool

    def __init__(
        self, *, type_: str = "", name: str = "", token_authenticated: bool = False
    ) -> None:
        self.type_ = type_
        self.name = name
        self.token_authenticated = token_authenticated


def _read_default_principal_data_v0(
    b: Buffer, o: int, end: int
) -> tuple[DefaultPrincipalData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DefaultPrincipalData.type_")
    if n > end - o:
        raise short("DefaultPrincipalData.type_", n, end - o)
    type_ = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DefaultPrincipalData.name")
    if n > end - o:
        raise short("DefaultPrincipalData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (token_authenticated,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DefaultPrincipalData") if b[o] else o + 1
    e = new(DefaultPrincipalData)
    e.type_ = type_
    e.name = name
    e.token_authenticated = token_authenticated
    return e, o


def _write_default_principal_data_v0(e: DefaultPrincipalData, put: Put) -> None:
    type_ = e.type_
    raw = type_.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_tB(e.token_authenticated, 0))


DefaultPrincipalData.READERS = {
    0: _read_default_principal_data_v0,
}
DefaultPrincipalData.WRITERS = {
    0: _write_default_principal_data_v0,
}
