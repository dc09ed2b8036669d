"""The levels of a node's loggers: operators change them while it runs, and no restart keeps them.

A logger without a level of its own has that of the one above it (`spindle.runtime.disks`,
`spindle.runtime`, `spindle`, `root`), as in Apache Kafka, which also has these names of levels.
KIP-412. Pure: the node describes and changes them, and the rim asks before it writes a line.
"""

from __future__ import annotations

from typing import Final

LEVELS: Final = {"FATAL": 50, "ERROR": 40, "WARN": 30, "INFO": 20, "DEBUG": 10, "TRACE": 5}
"""Kafka's names of levels, and the numbers that Python gives such levels; TRACE lets all pass."""
METHODS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
"""The level of a line, by what it was logged with."""

ROOT: Final = "root"
LOGGERS: Final = (
    ROOT,
    "spindle",
    "spindle.core",
    *(f"spindle.core.{package}" for package in ("groups", "raft", "transactions")),
    "spindle.node",
    *(
        f"spindle.node.{package}"
        for package in (
            "authorization", "handlers", "logdirs", "quorum", "replicas", "transactions",
        )
    ),
    "spindle.runtime",
    *(
        f"spindle.runtime.{module}"
        for module in (
            "certificates", "crowd", "disks", "doors", "driver", "handshakes", "isolation",
            "os_disk", "outgoing", "server", "signing_keys",
        )
    ),
)  # fmt: skip
"""All loggers: the packages of what nodes decide and report, and the modules of the rim."""


class LogLevels:
    """What each logger lets pass."""

    def __init__(self, root: str = "INFO") -> None:
        self._own = {ROOT: root}

    def set(self, name: str, level: str) -> None:
        """Give a logger a level of its own."""
        assert name in LOGGERS
        assert level in LEVELS
        self._own[name] = level

    def unset(self, name: str) -> None:
        """It has the level of the one above it."""
        assert name != ROOT
        self._own.pop(name, None)

    def of(self, name: str) -> str:
        """The level that holds for a logger."""
        while name not in self._own:
            name = name.rpartition(".")[0] or ROOT
        return self._own[name]

    def admits(self, name: str, method: str) -> bool:
        """Whether a line of this logger is written."""
        return METHODS[method] >= LEVELS[self.of(name)]
