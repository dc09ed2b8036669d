"""Cuts a node off the network on demand, so that a test can see what the other nodes do then.

Only where the node's properties say `log.dir.fault.drills=true`. SIGUSR1 cuts the node off, SIGUSR2
reconnects it. In between the node runs on, but receives, accepts and sends nothing: its connections
stay open, new ones get no answer, and what is on its way arrives after the reconnection, as it does
with a cable that is pulled out and put back.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import socket
from typing import Final

import structlog

from spindle.runtime.pulse import PulseSelector

log = structlog.get_logger("spindle.runtime.isolation")

CUT_OFF: Final = "the node is cut off the network (a fault drill)"
RECONNECTED: Final = "the node is reconnected to the network"


class NetworkDrill:
    """Whether this process is cut off; streams send nothing while it is."""

    __slots__ = ("is_cut",)

    def __init__(self) -> None:
        self.is_cut = False

    def cut_off(self) -> None:
        """Pull the cable."""
        self.is_cut = True
        log.warning(CUT_OFF)

    def reconnect(self) -> None:
        """Put it back."""
        self.is_cut = False
        log.warning(RECONNECTED)


NETWORK: Final = NetworkDrill()
"""This process's: a process runs one node."""


_SIGNALS: Final = (signal.SIGUSR1, signal.SIGUSR2)


def hold_signals() -> None:
    """Have these signals wait, here and in what is forked: they end what does not obey yet."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)


def obey_signals(loop: asyncio.AbstractEventLoop) -> None:
    """Have SIGUSR1 cut this process off, and SIGUSR2 reconnect it; also what came before."""
    loop.add_signal_handler(signal.SIGUSR1, NETWORK.cut_off)
    loop.add_signal_handler(signal.SIGUSR2, NETWORK.reconnect)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


class IsolatingSelector(PulseSelector):
    """What an event loop sleeps in; passes over the network while the process is cut off."""

    def wait(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait until something is ready: of this process alone, if it is cut off."""
        if not NETWORK.is_cut:
            return super().wait(timeout)
        with selectors.DefaultSelector() as local:
            for key in self.get_map().values():
                if not _is_of_network(key.fd):
                    local.register(key.fd, key.events)
            return [(self.get_key(key.fd), ready) for key, ready in local.select(timeout)]


def _is_of_network(fd: int) -> bool:
    with socket.socket(fileno=os.dup(fd)) as found:
        return found.family in (socket.AF_INET, socket.AF_INET6)
