"""ListTransactionsResponse (key 66), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_ih = Struct(">ih").pack
pack_q = Struct(">q").pack
unpack_ih = Struct(">ih").unpack_from
unpack_q = Struct(">q").unpack_from


class TransactionState(Message):
    """A part of ListTransactionsResponse."""

    __slots__ = ("transactional_id", "producer_id", "transaction_state")
    transactional_id: str
    producer_id: int
    transaction_state: str

    def __init__(
        self, *, transactional_id: str = "", producer_id: int = 0, transaction_state: str = ""
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state


class ListTransactionsResponse(Response):
    """The response of API 66."""

    KEY: ClassVar = 66
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "unknown_state_filters", "transaction_states")
    throttle_time_ms: int
    error_code: ErrorCode
    unknown_state_filters: Sequence[str]
    transaction_states: Sequence[TransactionState]

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        unknown_state_filters: Sequence[str] = (),
        transaction_states: Sequence[TransactionState] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = unknown_state_filters
        self.transaction_states = transaction_states


def _read_transaction_state_v0(b: Buffer, o: int, end: int) -> tuple[TransactionState, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TransactionState.transactional_id")
    if n > end - o:
        raise short("TransactionState.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    (producer_id,) = unpack_q(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TransactionState.transaction_state")
    if n > end - o:
        raise short("TransactionState.transaction_state", n, end - o)
    transaction_state = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "TransactionState") if b[o] else o + 1
    e = new(TransactionState)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.transaction_state = transaction_state
    return e, o


def _write_transaction_state_v0(e: TransactionState, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_q(e.producer_id))
    transaction_state = e.transaction_state
    raw = transaction_state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_list_transactions_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ListTransactionsResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsResponse.unknown_state_filters")
    if n > end - o:
        raise short("ListTransactionsResponse.unknown_state_filters", n, end - o)
    all_unknown_state_filters: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("ListTransactionsResponse.unknown_state_filters")
        if n > end - o:
            raise short("ListTransactionsResponse.unknown_state_filters", n, end - o)
        one_unknown_state_filters = str(b[o : o + n], "utf-8")
        o += n
        all_unknown_state_filters.append(one_unknown_state_filters)
    unknown_state_filters = tuple(all_unknown_state_filters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ListTransactionsResponse.transaction_states")
    if n * 11 > end - o:
        raise short("ListTransactionsResponse.transaction_states", n * 11, end - o)
    all_transaction_states: list[TransactionState] = []
    for _ in range(n):
        one_transaction_states, o = _read_transaction_state_v0(b, o, end)
        all_transaction_states.append(one_transaction_states)
    transaction_states = tuple(all_transaction_states)
    o = skip_tags(b, o, end, "ListTransactionsResponse") if b[o] else o + 1
    e = new(ListTransactionsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.unknown_state_filters = unknown_state_filters
    e.transaction_states = transaction_states
    return e, o


def _write_list_transactions_response_v0(e: ListTransactionsResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    unknown_state_filters = e.unknown_state_filters
    put(put_uvarint(len(unknown_state_filters) + 1))
    for one_unknown_state_filters in unknown_state_filters:
        raw = one_unknown_state_filters.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    transaction_states = e.transaction_states
    put(put_uvarint(len(transaction_states) + 1))
    if type(transaction_states) is Packed:
        for piece in transaction_states.pieces:
            put(piece)
    else:
        for one_transaction_states in transaction_states:
            _write_transaction_state_v0(one_transaction_states, put)
    put(b"\0")


ListTransactionsResponse.READERS = {
    0: _read_list_transactions_response_v0,
    1: _read_list_transactions_response_v0,
    2: _read_list_transactions_response_v0,
}
TransactionState.WRITERS = {
    0: _write_transaction_state_v0,
    1: _write_transaction_state_v0,
    2: _write_transaction_state_v0,
}
ListTransactionsResponse.WRITERS = {
    0: _write_list_transactions_response_v0,
    1: _write_list_transactions_response_v0,
    2: _write_list_transactions_response_v0,
}
