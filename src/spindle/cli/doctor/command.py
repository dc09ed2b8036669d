"""`spindle doctor`: examines a cluster and says what is wrong with it, and the way out of each.

spindle doctor -b localhost:9092
spindle doctor -b localhost:9092 --monitor     (one line and the exit codes of monitoring plugins)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from spindle.cli import render
from spindle.cli.connecting import AsJson, Bootstrap, TimeLimit, with_admin
from spindle.cli.doctor.examining import examine
from spindle.cli.doctor.findings import Finding, Level, diagnose
from spindle.cli.exits import End
from spindle.model.errors import Failure, PeerFailed, Refusal, Unusable
from spindle.planning.amounts import counted

_PLUGIN_CODES: Final = {
    Level.OK: 0,
    Level.NOTE: 0,
    Level.WARNING: 1,
    Level.CRITICAL: 2,
    Level.UNKNOWN: 3,
}
"""What Nagios, Icinga and their relatives expect of a plugin."""


def doctor(
    bootstrap_server: Bootstrap,
    monitor: Annotated[
        bool,
        typer.Option(
            "--monitor",
            help="Print one line and end as a monitoring plugin: 0 well, 1 warning, 2 critical,"
            " 3 unknown.",
        ),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 for warnings, too.")
    ] = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 10.0,
) -> None:
    """Examine a cluster: brokers, rights, disks, replicas, moves, throttles, quorum.

    Every question only reads. Works with any Kafka cluster; each finding has its way out. Exit
    code 1: something is critical; 6: nothing is, but something could not be examined.
    """
    try:
        found = diagnose(with_admin(bootstrap_server, examine, timeout=request_timeout))
    except (Failure, PeerFailed, Refusal, Unusable) as failure:
        if not monitor:
            raise
        print(f"UNKNOWN: {failure}")
        raise typer.Exit(_PLUGIN_CODES[Level.UNKNOWN]) from None
    if monitor:
        print(headline(found))
        raise typer.Exit(_PLUGIN_CODES[_worst(found)])
    if as_json:
        print(json.dumps(_document(found)))
    else:
        _show(found)
    worst = max(f.level for f in found)
    if worst == Level.CRITICAL or (strict and worst == Level.WARNING):
        raise typer.Exit(End.FAILED)
    if any(f.level == Level.UNKNOWN for f in found):
        raise typer.Exit(End.UNKNOWN)


def headline(found: Sequence[Finding]) -> str:
    """The findings in one line, the worst first, as monitoring shows it."""
    bad = [f.text for f in found if f.level > Level.NOTE]
    if not bad:
        return "OK: " + "; ".join(f.text for f in found if f.level == Level.OK)
    return f"{_worst(found).name}: {'; '.join(bad)}"


def _worst(found: Sequence[Finding]) -> Level:
    """The level to alert with: what is unknown counts only where nothing is known to be bad."""
    return max(f.level for f in found)


def _show(found: Sequence[Finding]) -> None:
    for f in found:
        render.say(f"{f.level.name.lower():<9} {f.check}: {f.text}")
        if f.way_out:
            render.say(f"{'':<9} -> {f.way_out}")
    counts = {level: sum(f.level == level for f in found) for level in Level}
    render.say(
        f"{counted(counts[Level.CRITICAL], 'critical finding')}, "
        f"{counted(counts[Level.WARNING], 'warning')}, "
        f"{counted(counts[Level.UNKNOWN], 'thing')} not examined"
    )


def _document(found: Sequence[Finding]) -> dict[str, object]:
    return {
        "findings": [
            {"level": f.level.name.lower(), "check": f.check, "text": f.text, "wayOut": f.way_out}
            for f in found
        ],
        "version": 1,
    }
