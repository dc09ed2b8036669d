"""How a command ends: one number for each kind of end, the same for every `spindle` command.

The tools with Kafka's own names (`kafka-log-dirs` and others) end as Kafka's do: 0 or 1.
"""

from __future__ import annotations

from enum import IntEnum


class End(IntEnum):
    """Exit codes (spec N-06)."""

    DONE = 0
    """What was asked for is done, or was looked at and is well."""
    FAILED = 1
    """It failed, is not complete, or something that was looked at is not well."""
    USAGE = 2
    """The command line is wrong."""
    HALTED = 3
    """A node stopped itself: its last log directory or its metadata directory is lost."""
    NOTHING = 4
    """There was nothing to do."""
    REFUSED = 5
    """Refused, because data would be lost or become unavailable; the text says how to insist."""
    UNKNOWN = 6
    """It could not be known: a node that is needed is down or does not answer, or nothing was
    there to compare."""
    BUG = 70
    """A bug of Spindle stopped a node; its log has the traceback."""
    INTERRUPTED = 130
    """Ended by Ctrl-C or SIGTERM."""
    PIPE_CLOSED = 141
    """The reader of the output went away (`| head`)."""


TOLD = """\
Exit codes: 0 done, 1 failed or not complete, 2 the command line is wrong, 3 a node halted,
4 nothing to do, 5 refused since data would be lost, 6 could not find out (a broker is down, or
there is nothing to compare), 70 a bug stopped a node, 130 interrupted, 141 the reader of the
output closed it."""
"""The same in the words of --help."""
