"""Formatting and inspecting the directories of a node (K858-01), in the lines of `kafka-storage`.

A directory is formatted when `meta.properties` stands in it; Apache Kafka accepts it, and we accept
Apache Kafka's. Takes a function that prints lines, so that `spindle storage` and `kafka-storage`
share it. Touches nothing but the directories that the node's properties name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spindle.cli.storage.releases import level_of, name_and_level, name_of
from spindle.cli.storage.scram_arguments import scram_records
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt, Unusable
from spindle.model.feature_rules import (
    ELIGIBLE_LEADER_REPLICAS,
    ELR_VERSION,
    FINALIZED,
    KRAFT_VERSION,
    METADATA_VERSION,
    SCRAM,
    SERVED,
    finalized_at,
)
from spindle.model.first_voters import parse_voters, standalone
from spindle.model.ids import id_to_text
from spindle.model.metadata_records import FeatureLevel, UserScramCredential
from spindle.model.quorum_voters import Voters
from spindle.runtime.os_disk import OsDisk
from spindle.runtime.properties import read_config
from spindle.storage import meta
from spindle.storage.disk import Disk
from spindle.storage.formatting import format_blank
from spindle.storage.meta import MetaProperties

Say = Callable[[str], None]

_DYNAMIC_ONLY: Final = (
    "controller.quorum.voters is empty and one of the flags --standalone, --initial-controllers, or"
    " --no-initial-controllers is used. For dynamic controllers support, try"
)


@dataclass(frozen=True)
class StorageOptions:
    """What else Kafka's tool can be asked for, as given on the command line."""

    release: str | None = None
    features: tuple[str, ...] = ()
    scram: tuple[str, ...] = ()
    standalone: bool = False
    no_initial_controllers: bool = False
    initial_controllers: str | None = None

    @property
    def is_dynamic(self) -> bool:
        """Whether the voters of the quorum are to be in its log (KIP-853)."""
        return self.standalone or self.no_initial_controllers or bool(self.initial_controllers)


@dataclass(frozen=True)
class _Seen:
    """The directories of a node: formatted, to be formatted, and such that cannot be read."""

    formatted: dict[str, MetaProperties]
    blank: list[str]
    unreadable: dict[str, str]


def random_id() -> str:
    """A new cluster id (or directory id): 22 characters."""
    return id_to_text(meta.random_directory_id())


def format_node(
    properties: Path,
    cluster_id: str,
    say: Say,
    *,
    ignore_formatted: bool = False,
    wishes: StorageOptions | None = None,
) -> list[str]:
    """Format a node's directories; the ones formatted now.

    Nothing is written unless all is well: Unusable where a directory belongs to another cluster or
    node, or is formatted already and `ignore_formatted` is not given.
    """
    wishes = wishes or StorageOptions()
    config = read_config(properties)
    voters = _voters(wishes, config)
    levels = _levels(wishes, config)
    records: list[FeatureLevel | UserScramCredential] = [*levels, *_users(wishes, levels)]
    _check_cluster_id(cluster_id)
    disk = OsDisk()
    seen = _look(disk, config)
    for directory in seen.unreadable:
        say(f"I/O error trying to read log directory {directory}. Ignoring...")
    _check_identity(seen, cluster_id, config.node_id)
    if seen.formatted and not ignore_formatted:
        directory = next(iter(seen.formatted))
        raise Unusable(
            f"Log directory {directory} is already formatted. Use --ignore-formatted to ignore this"
            " directory and format the others."
        )
    if not seen.blank:
        if not seen.formatted:
            raise Unusable("No available log directories to format.")
        say("All of the log directories are already formatted.")
        return []
    release = _release_of(levels)
    say(f"Bootstrap metadata: {_as_java(records)}")
    for directory in seen.blank:
        first = voters if directory == config.metadata_dir else None
        kind = _kind(config, directory, first)
        say(f"Formatting {kind} directory {directory} with metadata.version {release}.")
        now_ms = time.time_ns() // 1_000_000
        format_blank(disk, (directory,), cluster_id, config.node_id, now_ms, records, first)
    return seen.blank


def _kind(config: NodeConfig, directory: str, first: Voters | None) -> str:
    """What a directory is for, in Kafka's words."""
    if directory != config.metadata_dir:
        return "data"
    if first is None:
        return "metadata"
    return "dynamic metadata voter" if config.node_id in first.ids else "dynamic metadata"


@dataclass(frozen=True)
class Info:
    """What stands in a node's directories: what each that is formatted says, and what is wrong."""

    present: list[str]
    metadata: dict[str, MetaProperties]
    problems: list[str]

    def document(self) -> dict[str, object]:
        """As one JSON object."""
        return {
            "version": 1,
            "logDirs": [
                {"logDir": path, "metadata": _pairs(own) if own is not None else None}
                for path in self.present
                for own in [self.metadata.get(path)]
            ],
            "problems": self.problems,
        }


def info(properties: Path, say: Say) -> int:
    """Say what stands in a node's directories; 0 where all are well, 1 where there are problems."""
    found = look(properties)
    _say_info(found, say)
    return 1 if found.problems else 0


def look(properties: Path) -> Info:
    """What stands in the directories that a node's properties name."""
    config = read_config(properties)
    found: dict[str, MetaProperties] = {}
    present: list[str] = []
    problems: list[str] = []
    for directory in sorted(config.directories):
        if not os.path.exists(directory):
            problems.append(f"{directory} does not exist")
        elif not os.path.isdir(directory):
            problems.append(f"{directory} is not a directory")
        else:
            present.append(directory)
            try:
                own = meta.read(OsDisk(), directory)
            except (OSError, Corrupt) as error:
                problems.append(f"Error loading {meta.path_of(directory)}: {error}")
            else:
                if own is None:
                    problems.append(f"{directory} is not formatted.")
                else:
                    found[directory] = own
    problems += _contradictions(list(found.values()))
    return Info(present, found, problems)


def _say_info(found: Info, say: Say) -> None:
    if found.present:
        _section("Found log director", "y", "ies", found.present, say)
    if found.metadata:
        say(f"Found metadata: {_as_map(next(iter(found.metadata.values())))}\n")
    if found.problems:
        _section("Found problem", "", "s", found.problems, say)


def _section(title: str, one: str, many: str, lines: list[str], say: Say) -> None:
    say(f"{title}{one if len(lines) == 1 else many}:")
    for line in lines:
        say(f"  {line}")
    say("")


def _look(disk: Disk, config: NodeConfig) -> _Seen:
    seen = _Seen({}, [], {})
    for directory in config.directories:
        try:
            own = meta.read(disk, directory)
        except (OSError, Corrupt) as error:
            seen.unreadable[directory] = str(error)
        else:
            if own is None:
                seen.blank.append(directory)
            else:
                seen.formatted[directory] = own
    return seen


def _check_identity(seen: _Seen, cluster_id: str, node_id: int) -> None:
    for directory, own in seen.formatted.items():
        path = meta.path_of(directory)
        if own.cluster_id not in (None, cluster_id):
            raise Unusable(
                f"Invalid cluster.id in: {path}. Expected {cluster_id}, but read {own.cluster_id}"
            )
        if own.node_id not in (None, node_id):
            raise Unusable(
                f"Invalid node.id in: {path}. Expected {node_id}, but read {own.node_id}: this"
                " directory belongs to another node"
            )


def _check_cluster_id(text: str) -> None:
    if not text.strip() or text != text.strip():
        raise Unusable("the cluster id is empty: make one with random-uuid")


def _contradictions(found: list[MetaProperties]) -> list[str]:
    problems = []
    if len({own.cluster_id for own in found}) > 1:
        problems.append("Mismatched cluster IDs between storage directories.")
    if len({own.node_id for own in found}) > 1:
        problems.append("Mismatched node IDs between storage directories.")
    return problems


def _voters(wishes: StorageOptions, config: NodeConfig) -> Voters | None:
    """The first voters of a dynamic quorum; None for a node that begins none."""
    if config.quorum.voters and (wishes.standalone or wishes.initial_controllers):
        raise Unusable(
            "You cannot specify controller.quorum.voters and format the node with"
            " --initial-controllers or --standalone. If you want to use dynamic quorum, please"
            " remove controller.quorum.voters and specify controller.quorum.bootstrap.servers"
            " instead."
        )
    if wishes.initial_controllers:
        return parse_voters(wishes.initial_controllers, config.quorum.listeners[0])
    if wishes.standalone:
        return standalone(config, meta.random_directory_id())
    if config.is_controller and not config.quorum.voters and not wishes.no_initial_controllers:
        raise Unusable(
            "Because controller.quorum.voters is not set on this controller, you must specify one"
            " of the following: --standalone, --initial-controllers, or --no-initial-controllers."
        )
    return None


def _check_quorum_level(level: int | None, wishes: StorageOptions, config: NodeConfig) -> None:
    """That the level asked for is the one which the other options mean."""
    dynamic = wishes.is_dynamic and not config.quorum.voters
    if level == 0 and dynamic:
        raise Unusable(
            f"Cannot set kraft.version to 0 if {_DYNAMIC_ONLY} removing the --feature flag for"
            " kraft.version."
        )
    if level and not dynamic:
        raise Unusable(
            f"Cannot set kraft.version to {level} unless {_DYNAMIC_ONLY} using one of --standalone,"
            " --initial-controllers, or --no-initial-controllers and removing"
            " controller.quorum.voters."
        )


def _levels(wishes: StorageOptions, config: NodeConfig) -> list[FeatureLevel]:
    """The first records of an empty metadata log; Unusable for unsupported ones."""
    asked = dict(_feature(wish) for wish in wishes.features)
    _check_quorum_level(asked.pop(KRAFT_VERSION, None), wishes, config)
    level = asked.pop(METADATA_VERSION, None)
    if wishes.release is not None:
        if level is not None:
            raise Unusable(
                f"Use --release-version instead of --feature {METADATA_VERSION}=X to avoid"
                " ambiguity."
            )
        level = level_of(wishes.release)
    levels = finalized_at(FINALIZED[METADATA_VERSION] if level is None else level)
    levels.update(asked)
    if levels.get(ELR_VERSION) and levels[METADATA_VERSION] < ELIGIBLE_LEADER_REPLICAS:
        raise Unusable(
            f"{ELR_VERSION} could not be set to {levels[ELR_VERSION]} because it depends on"
            f" {METADATA_VERSION} level {ELIGIBLE_LEADER_REPLICAS}"
        )
    return [FeatureLevel(name=name, level=level) for name, level in levels.items() if level]


def _users(wishes: StorageOptions, levels: list[FeatureLevel]) -> list[UserScramCredential]:
    """The users that may log in from the first moment, if the cluster's level has such."""
    if not wishes.scram:
        return []
    if any(f.name == METADATA_VERSION and f.level < SCRAM for f in levels):
        raise Unusable(
            f"SCRAM is only supported in metadata.version {name_of(SCRAM)} or later: leave"
            " --add-scram away, or ask for such a release"
        )
    return scram_records(wishes.scram)


def _release_of(levels: list[FeatureLevel]) -> str:
    return next(name_of(f.level) for f in levels if f.name == METADATA_VERSION)


def _feature(wish: str) -> tuple[str, int]:
    """NAME=LEVEL, checked: a level that is finalized is served (N-04)."""
    name, level = name_and_level(wish)
    if name not in SERVED:
        known = sorted(n for n in SERVED if n != METADATA_VERSION)
        raise Unusable(f"Unsupported feature: {name}. Supported features are: {', '.join(known)}")
    served = SERVED[name]
    if not served.min <= level <= served.max:
        raise Unusable(
            f"No feature:{name} with feature level {level}: levels {served.min} to {served.max}"
            " are served here"
        )
    return name, level


def _as_java(records: list[FeatureLevel | UserScramCredential]) -> str:
    level = next(
        f.level for f in records if isinstance(f, FeatureLevel) and f.name == METADATA_VERSION
    )
    told = ", ".join(f"ApiMessageAndVersion({_fields(one)}) at version 0)" for one in records)
    return (
        f"BootstrapMetadata(records=[{told}], metadataVersionLevel={level}, source=format command)"
    )


def _fields(one: FeatureLevel | UserScramCredential) -> str:
    """As Java prints it, but without what a login is checked with, which Kafka's tool shows."""
    if isinstance(one, FeatureLevel):
        return f"FeatureLevelRecord(name='{one.name}', featureLevel={one.level}"
    return (
        f"UserScramCredentialRecord(name='{one.name}', mechanism={one.mechanism},"
        f" salt=[hidden], storedKey=[hidden], serverKey=[hidden], iterations={one.iterations}"
    )


def _pairs(own: MetaProperties) -> dict[str, str | int]:
    """What stands in `meta.properties`, by Kafka's names."""
    pairs = {
        "cluster.id": own.cluster_id,
        "directory.id": None if own.directory_id is None else id_to_text(own.directory_id),
        "node.id": own.node_id,
        "version": own.version,
    }
    return {name: value for name, value in pairs.items() if value is not None}


def _as_map(own: MetaProperties) -> str:
    return "{" + ", ".join(f"{k}={v}" for k, v in _pairs(own).items()) + "}"
