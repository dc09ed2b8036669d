"""The quotas of clients on one kind of listeners, and what each request is charged (S-07).

As Apache Kafka since KIP-219: a request over a quota is answered at once, says for how long its
client is held back, and for so long nothing more is read from the connection. Two kinds are
stricter: a fetch is answered without records, and changes of topics are refused. What nodes ask of
each other is not charged. Pure; the router makes a charge for each request, the context settles it
with the answer, and handlers charge what only they know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from spindle.core.quotas.client_limits import ClientLimits
from spindle.core.quotas.client_meters import MutationQuota, RateQuota
from spindle.core.quotas.sampled_rate import Windows
from spindle.model.batches import Buffer
from spindle.model.client_quotas import (
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
    QuotaTable,
)
from spindle.model.errors import Error, Refusal
from spindle.model.metric_tables import client_figures as of
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings
from spindle.model.statistics import Sample
from spindle.wire.apis import TABLE, Key, Role
from spindle.wire.codec import Response, changed
from spindle.wire.framing import RequestHeader
from spindle.wire.messages.produce_response import ProduceResponse
from spindle.wire.throttle_time import tell_throttle_time

_PERCENT: Final = 100.0
_OF_NODES: Final = frozenset(
    {key for key, api in TABLE.items() if Role.BROKER not in api.listeners}
    | {Key.WRITE_TXN_MARKERS, Key.ALTER_REPLICA_STATE}
)
"""What nodes ask of each other."""


class ClientThrottles:
    """The quotas of one kind of listeners."""

    def __init__(
        self,
        settings: Settings,
        table: Callable[[], QuotaTable],
        out: Outbox,
        exempt: frozenset[int] = frozenset(),
    ) -> None:
        """`exempt`: what else is not charged, by the keys of APIs."""
        self.out = out
        self._exempt = _OF_NODES | exempt
        windows = Windows(
            settings.whole("quota.window.num"), float(settings.whole("quota.window.size.seconds"))
        )
        self.produce = RateQuota(windows)
        self.fetch = RateQuota(windows)
        self.request = RateQuota(windows, throttle_most=windows.seconds)
        self.mutations = MutationQuota(
            Windows(
                settings.whole("controller.quota.window.num"),
                float(settings.whole("controller.quota.window.size.seconds")),
            )
        )
        self._table = table
        self._seen: tuple[QuotaTable, int] | None = None
        self._active = False

    @property
    def active(self) -> bool:
        """Whether any client has a quota; asked with each request."""
        table, seen = self._table(), self._seen
        if seen is None or seen[0] is not table or seen[1] != table.changes:
            self._read(table)
        return self._active

    def _read(self, table: QuotaTable) -> None:
        self._seen = table, table.changes
        self.produce.limits = ClientLimits.of(table, PRODUCER_BYTE_RATE)
        self.fetch.limits = ClientLimits.of(table, CONSUMER_BYTE_RATE)
        self.request.limits = ClientLimits.of(table, REQUEST_PERCENTAGE)
        self.mutations.limits = ClientLimits.of(table, CONTROLLER_MUTATION_RATE)
        kinds = (self.produce, self.fetch, self.request, self.mutations)
        self._active = any(kind.limits for kind in kinds)

    def statistics(self) -> Iterator[Sample]:
        """What clients with quotas use, and for how long they are held back."""
        for used, held, quota in (
            (of.PRODUCE, of.PRODUCE_WAIT, self.produce),
            (of.FETCH, of.FETCH_WAIT, self.fetch),
            (of.REQUEST, of.REQUEST_WAIT, self.request),
        ):
            for sharers, rate, wait in quota.rates(self.out.now):
                yield used.of(rate, *sharers)
                yield held.of(wait * 1000, *sharers)

    def charge(
        self,
        header: RequestHeader,
        response: type[Response],
        user: str,
        connection: int | None,
        size: int,
    ) -> Charge | None:
        """What a request of `size` bytes is charged; None: nothing.

        `connection`: None where a broker has forwarded it, and holds its client back itself.
        """
        if header.api_key in self._exempt:
            return None
        return Charge(self, header, response, user, connection, size)


class Charge:
    """What one request is charged, until its answer leaves."""

    __slots__ = (
        "_began", "_client", "_connection", "_header", "_noted_at", "_response", "_settled",
        "_size", "_spent", "_throttles", "_user", "_wait",
    )  # fmt: skip

    def __init__(
        self,
        throttles: ClientThrottles,
        header: RequestHeader,
        response: type[Response],
        user: str,
        connection: int | None,
        size: int,
    ) -> None:
        self._throttles = throttles
        self._header = header
        self._response = response
        self._user = user
        self._client = header.client_id or ""
        self._connection = connection
        self._size = size
        self._wait = 0.0
        """For how long (s) its client has to wait, as found at `_noted_at`."""
        self._noted_at = throttles.out.now
        self._began: float | None = None
        self._spent = 0.0
        self._settled: int | None = None

    # --- time -----------------------------------------------------------------------------------

    def begin(self) -> None:
        """It is worked on from now on."""
        self._began = self._throttles.out.stopwatch()

    def pause(self) -> None:
        """Others have their turn."""
        if self._began is not None:
            self._spent += self._throttles.out.stopwatch() - self._began
            self._began = None

    # --- what handlers know ---------------------------------------------------------------------

    @property
    def fetch_most(self) -> int | None:
        """Bytes of records that may be fetched at once at most; None: no quota says."""
        return self._throttles.fetch.most(self._user, self._client)

    def admits_fetched(self, size: int) -> bool:
        """Whether so many bytes may go out; else none do, and the client waits."""
        throttles, now = self._throttles, self._throttles.out.now
        who = (self._user, self._client)
        wait = max(throttles.fetch.record(*who, size, now), self._request_wait())
        if wait <= 0.0:
            self._settled = 0
            return True
        throttles.fetch.take_back(*who, size, now)
        self._note(wait)
        self._settle(0.0)
        return False

    def take_mutations(self, count: int, strict: bool) -> None:
        """So many partitions are made or deleted. Refusal THROTTLING_QUOTA_EXCEEDED if `strict`."""
        throttles = self._throttles
        wait = throttles.mutations.take(self._user, self._client, count, strict, throttles.out.now)
        if wait > 0.0:
            self._note(wait)
            if strict:
                raise Refusal(
                    Error.THROTTLING_QUOTA_EXCEEDED, "The throttling quota has been exceeded."
                )

    def _note(self, wait: float) -> None:
        self._wait, self._noted_at = wait, self._throttles.out.now

    # --- the answer -----------------------------------------------------------------------------

    def told(self, response: Response) -> Response:
        """An answer with the throttle time, where it does not begin with it: that of a produce."""
        if not isinstance(response, ProduceResponse):
            return response
        wait = self._settle(max(self._produced(), self._request_wait()))
        return changed(response, throttle_time_ms=wait) if wait else response

    def on_answer(self, buffers: list[Buffer]) -> list[Buffer]:
        """The answer leaves; what goes out: it says how long its client is held back."""
        if self._settled is None:
            if not buffers:  # Nothing is answered: it is not known when the client would wait.
                self._settle(self._produced() if self._header.api_key == Key.PRODUCE else 0.0)
                return buffers
            self._settle(self._request_wait())
        assert self._settled is not None
        told, buffers = tell_throttle_time(self._header, self._response, buffers, self._settled)
        if told > self._settled:  # By the controller, for changes that it has made.
            self._hold_back(told)
        return buffers

    def _produced(self) -> float:
        throttles = self._throttles
        return throttles.produce.record(self._user, self._client, self._size, throttles.out.now)

    def _request_wait(self) -> float:
        if self._connection is None:  # The broker counts the time of what it forwards.
            return 0.0
        self.pause()
        throttles, percent = self._throttles, self._spent * _PERCENT
        self._spent = 0.0
        return throttles.request.record(self._user, self._client, percent, throttles.out.now)

    def _settle(self, wait: float) -> int:
        """Hold the client back for as long as the strictest quota says; ms."""
        left = self._wait - (self._throttles.out.now - self._noted_at)
        self._settled = round(max(wait, left, 0.0) * 1000)
        self._hold_back(self._settled)
        return self._settled

    def _hold_back(self, wait_ms: int) -> None:
        if wait_ms and self._connection is not None:
            self._throttles.out.mute(self._connection, wait_ms / 1000)
