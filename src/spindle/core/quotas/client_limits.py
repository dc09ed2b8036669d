"""Which quota counts for a request, by Apache Kafka's order of precedence.

The most specific one counts: of the user with the client id before the user's, that before the
default of all users, and those of client ids alone come last. Requests to which one quota applies
share it: as the quota's entity says, all clients of a user, or one client id of all users. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from spindle.model.client_quotas import CLIENT_ID, IP, USER, QuotaEntity, QuotaTable

Sharers: TypeAlias = tuple[str, str]
"""(user, client id) whose requests are counted together; "" where it is not looked at."""

REMEMBERED: Final = 10_000
"""Users with client ids whose quota is remembered: any client may send any client id."""


class ClientLimit(NamedTuple):
    """The quota of a request."""

    sharers: Sharers
    rate: float | None
    """None: there is none."""


class ClientLimits:
    """The quotas of one kind."""

    def __init__(self, rates: Mapping[QuotaEntity, float]) -> None:
        self._rates = rates
        self._found: dict[Sharers, ClientLimit] = {}

    @classmethod
    def of(cls, table: QuotaTable, key: str) -> ClientLimits:
        """Those of this name."""
        return cls(
            {
                e: quotas[key]
                for e, quotas in table.entities.items()
                if key in quotas and e[0][0] != IP
            }
        )

    def __bool__(self) -> bool:
        return bool(self._rates)

    def find(self, user: str, client: str) -> ClientLimit:
        """The quota of a user's client."""
        found = self._found.get((user, client))
        if found is None:
            sharers = self._sharers(user, client)
            found = ClientLimit(sharers, self.rate_of(*sharers))
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[user, client] = found
        return found

    def _sharers(self, user: str, client: str) -> Sharers:
        there = self._rates
        for user_part in (user, None):
            for client_part in (client, None):
                if _both(user_part, client_part) in there:
                    return user, client
            if _user(user_part) in there:
                return user, ""
        return "", client

    def rate_of(self, user: str, client: str) -> float | None:
        """The quota of those that share it."""
        if user and client:
            wanted = [_both(u, c) for u in (user, None) for c in (client, None)]
        elif user:
            wanted = [_user(user), _user(None)]
        else:
            wanted = [_client(client), _client(None)] if client else []
        return next((self._rates[e] for e in wanted if e in self._rates), None)


def _both(user: str | None, client: str | None) -> QuotaEntity:
    return ((CLIENT_ID, client), (USER, user))


def _user(user: str | None) -> QuotaEntity:
    return ((USER, user),)


def _client(client: str | None) -> QuotaEntity:
    return ((CLIENT_ID, client),)
