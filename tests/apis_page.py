"""Writes the tables of docs/apis.md: `python -m tests.apis_page` (C-07).

Apache Kafka's columns are `tests/kafka_apis.json`: what the ApiVersions answers of a broker and a
controller of 4.3 said. `tests/interop/test_apis_beside_kafka.py` asks both again, and ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from spindle.model.feature_rules import SERVED
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.wire.apis import TABLE, Key, Role, is_private

PAGE: Final = Path(__file__).parents[1] / "docs" / "apis.md"
THEIRS: Final = Path(__file__).with_name("kafka_apis.json")
MARK: Final = "<!-- from here on generated -->\n"
Range = tuple[int, int]
"""The oldest and the newest version."""

_ON_BROKERS: Final = "brokers answer it; Apache Kafka's controllers advertise it and never answer"
_STREAMS: Final = "no streams groups (KIP-1071)"
WHY: Final[Mapping[Key, str]] = {
    Key.DESCRIBE_DELEGATION_TOKEN: _ON_BROKERS,
    Key.DESCRIBE_USER_SCRAM_CREDENTIALS: _ON_BROKERS,
    Key.STREAMS_GROUP_HEARTBEAT: _STREAMS,
    Key.STREAMS_GROUP_DESCRIBE: _STREAMS,
}
"""Why an API of Apache Kafka is not served, or not in each version."""
NEITHER: Final[Mapping[Key, str]] = {
    Key.GET_TELEMETRY_SUBSCRIPTIONS: "served where a plug-in of the broker receives telemetry",
    Key.PUSH_TELEMETRY: "served where a plug-in of the broker receives telemetry",
}
"""APIs that neither serves as it comes out of the box, and when Apache Kafka does."""
OWN: Final[Mapping[Key, str]] = {
    Key.ALTER_LOG_DIR_STATE: "`spindle disks cordon`, `probe`, `adopt`, ...",
    Key.DESCRIBE_LOG_DIR_STATES: "`spindle disks`",
    Key.ALTER_REPLICA_STATE: "a broker reports a damaged replica, or its return (KIP-589)",
    Key.DESCRIBE_BAD_REPLICAS: "`spindle replicas`",
    Key.REPAIR_REPLICA: "`spindle replicas repair`, `accept-loss`",
}


class Theirs(NamedTuple):
    """What nodes of Apache Kafka 4.3 say they serve."""

    apis: dict[Role, dict[int, Range]]
    """By listener and key."""
    features: dict[str, Range]


def ours(role: Role) -> dict[int, Range]:
    """What a listener of Spindle serves, by key."""
    handlers = BROKER if role is Role.BROKER else CONTROLLER
    return {key: (api.min, api.max) for key, api in TABLE.items() if key in handlers}


def theirs() -> Theirs:
    """What was noted of Apache Kafka 4.3."""
    noted = json.loads(THEIRS.read_text(encoding="utf-8"))
    apis = {
        role: {Key[name].value: (low, high) for name, (low, high) in noted[role].items()}
        for role in Role
    }
    return Theirs(apis, {name: (low, high) for name, (low, high) in noted["features"].items()})


def note(said: Theirs) -> None:
    """Keep what Apache Kafka's nodes said."""
    lines = []
    for title, ranges in (
        *((role.value, {Key(key).name: r for key, r in said.apis[role].items()}) for role in Role),
        ("features", said.features),
    ):
        rows = ",\n".join(f'  "{name}": {list(ranges[name])}' for name in ranges)
        lines.append(f'"{title}": {{\n{rows}\n }}')
    THEIRS.write_text("{\n " + ",\n ".join(lines) + "\n}\n", encoding="utf-8")


def gaps() -> set[Key]:
    """APIs of which Apache Kafka's listener serves a version that ours does not."""
    return {
        Key(key)
        for role, ranges in theirs().apis.items()
        for key, (low, high) in ranges.items()
        if not _covers(ours(role).get(key), (low, high))
    }


def _covers(have: Range | None, wanted: Range) -> bool:
    return have is not None and have[0] <= wanted[0] and wanted[1] <= have[1]


def page() -> str:
    """The whole page: what is written by hand, and the tables behind the mark."""
    written, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE} has lost its mark"
    return "\n".join((written + mark, *_apis(), "", *_features(), "", *_own())) + "\n"


def title(key: Key) -> str:
    """Kafka's spelling of an API's name."""
    return key.name.title().replace("_", "")


def _apis() -> Iterator[str]:
    known = theirs().apis
    yield "## APIs of Apache Kafka\n"
    yield "| key | API | broker | Apache Kafka's | controller | Apache Kafka's | not served |"
    yield "|---|---|---|---|---|---|---|"
    lacking = gaps()
    for key in Key:
        if not is_private(key):
            cells = [
                f"{_range(ours(role).get(key))} | {_range(known[role].get(key))}" for role in Role
            ]
            why = WHY[key] if key in lacking else NEITHER.get(key, "")
            yield f"| {key.value} | {title(key)} | {' | '.join(cells)} | {why} |"


def _features() -> Iterator[str]:
    yield "## Features\n"
    yield "| feature | levels | Apache Kafka's |"
    yield "|---|---|---|"
    known = theirs().features
    for name in sorted({*known, *SERVED}):
        levels = SERVED.get(name)
        have = None if levels is None else (levels.min, levels.max)
        yield f"| `{name}` | {_range(have)} | {_range(known.get(name))} |"


def _own() -> Iterator[str]:
    yield "## APIs of Spindle's own\n"
    yield "| key | API | broker | controller | used by |"
    yield "|---|---|---|---|---|"
    for key in Key:
        if is_private(key):
            cells = " | ".join(_range(ours(role).get(key)) for role in Role)
            yield f"| {key.value} | {title(key)} | {cells} | {OWN[key]} |"


def _range(have: Range | None) -> str:
    if have is None:
        return "-"
    low, high = have
    return str(low) if low == high else f"{low} to {high}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
