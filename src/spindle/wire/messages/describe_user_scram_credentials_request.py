"""DescribeUserScramCredentialsRequest (key 50), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class UserName(Message):
    """A part of DescribeUserScramCredentialsRequest."""

    __slots__ = ("name",)
    name: str

    def __init__(self, *, name: str = "") -> None:
        self.name = name


class DescribeUserScramCredentialsRequest(Request[DescribeUserScramCredentialsResponse]):
    """The request of API 50."""

    KEY: ClassVar = 50
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("users",)
    users: Sequence[UserName] | None

    def __init__(self, *, users: Sequence[UserName] | None = None) -> None:
        self.users = users


def _read_user_name_v0(b: Buffer, o: int, end: int) -> tuple[UserName, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UserName.name")
    if n > end - o:
        raise short("UserName.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "UserName") if b[o] else o + 1
    e = new(UserName)
    e.name = name
    return e, o


def _write_user_name_v0(e: UserName, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_describe_user_scram_credentials_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeUserScramCredentialsRequest, int]:
    users: Sequence[UserName] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        users = None
    else:
        if n * 2 > end - o:
            raise short("DescribeUserScramCredentialsRequest.users", n * 2, end - o)
        all_users: list[UserName] = []
        for _ in range(n):
            one_users, o = _read_user_name_v0(b, o, end)
            all_users.append(one_users)
        users = tuple(all_users)
    o = skip_tags(b, o, end, "DescribeUserScramCredentialsRequest") if b[o] else o + 1
    e = new(DescribeUserScramCredentialsRequest)
    e.users = users
    return e, o


def _write_describe_user_scram_credentials_request_v0(
    e: DescribeUserScramCredentialsRequest, put: Put
) -> None:
    users = e.users
    if users is None:
        put(b"\0")
    else:
        put(put_uvarint(len(users) + 1))
        for one_users in users:
            _write_user_name_v0(one_users, put)
    put(b"\0")


def _walk_describe_user_scram_credentials_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeUserScramCredentialsRequest]:
    users: Sequence[UserName] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        users = None
    else:
        if n * 2 > end - o:
            raise short("DescribeUserScramCredentialsRequest.users", n * 2, end - o)
        users, o = yield from read_each(_read_user_name_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "DescribeUserScramCredentialsRequest") if b[o] else o + 1
    e = new(DescribeUserScramCredentialsRequest)
    e.users = users
    return e, o


DescribeUserScramCredentialsRequest.RESPONSE = DescribeUserScramCredentialsResponse
DescribeUserScramCredentialsRequest.WALKERS = {
    0: _walk_describe_user_scram_credentials_request_v0,
}
DescribeUserScramCredentialsRequest.READERS = {
    0: _read_describe_user_scram_credentials_request_v0,
}
DescribeUserScramCredentialsRequest.WRITERS = {
    0: _write_describe_user_scram_credentials_request_v0,
}
