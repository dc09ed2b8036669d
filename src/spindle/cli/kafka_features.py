"""`kafka-features`: which levels the features of a cluster have, and raise or lower them.

The sub-commands, lines and exit codes of Apache Kafka's (KIP-584, KIP-1022); `--json` is ours.
Where it differs on purpose: unreleased levels of metadata.version have no names, and a level of
--release-version that Spindle's nodes do not serve is not asked of a cluster that has it not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from spindle.cli.app import readers_may_leave
from spindle.cli.kafka_feature_lines import (
    Outcomes,
    dependencies_document,
    failure_words,
    feature_lines,
    features_document,
    mapping_document,
    outcome_lines,
    outcomes_document,
)
from spindle.cli.kafka_lines import TROUBLE, VerbLine, connected
from spindle.cli.storage.releases import (
    NEWEST,
    dependency_lines,
    level_of,
    mapping_lines,
    mapping_of,
    name_and_level,
)
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.model.errors import Unusable
from spindle.model.feature_rules import (
    METADATA_VERSION,
    RELEASES,
    SERVED,
    SUPPORTED,
    UpgradeType,
)

_EXAMPLES: Final = """\
examples:
  kafka-features --bootstrap-server HOST:PORT describe
  kafka-features version-mapping --release-version 4.3
  kafka-features --bootstrap-server HOST:PORT upgrade --release-version 4.3 --dry-run
  kafka-features --bootstrap-server HOST:PORT upgrade --feature group.version=1
  kafka-features --bootstrap-controller HOST:PORT downgrade --feature metadata.version=29
"""
_DEPRECATED: Final = " `metadata` flag is deprecated and may be removed in a future release."


class FeatureLine(VerbLine):
    """In the words of Kafka's tool, which shows no usage with a wrong line."""

    def error(self, message: str) -> NoReturn:
        """What is wrong."""
        words = self.in_kafkas_words(message)
        print(f"Command line error: {words}. Type --help for help.", file=sys.stderr)
        raise SystemExit(1)


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """Levels that a line asks for. `may_lack`: those that are left out where a cluster has none."""

    levels: Mapping[str, int]
    upgrade: UpgradeType
    may_lack: frozenset[str] = frozenset()


@readers_may_leave()
def features(arguments: Sequence[str] | None = None) -> None:
    """`kafka-features`: describe, upgrade, downgrade, disable, and what releases bring."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        match given.verb:
            case "version-mapping":
                _tell_mapping(given)
                return
            case "feature-dependencies":
                _tell_dependencies(given)
                return
        if not given.bootstrap_server and not given.bootstrap_controller:
            parser.error("You must specify either --bootstrap-controller or --bootstrap-server.")
        if given.verb == "describe":
            _describe(given)
        else:
            _change(given)
    except BrokenPipeError:
        raise  # The reader has gone, which is no trouble.
    except TROUBLE as trouble:
        words = failure_words(trouble) if isinstance(trouble, Refused) else str(trouble)
        print(words, file=sys.stderr)
        raise SystemExit(1) from None


def _parser() -> FeatureLine:
    parser = FeatureLine(
        prog="kafka-features",
        description="This tool manages feature flags in Kafka.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    servers = parser.add_mutually_exclusive_group()
    servers.add_argument("--bootstrap-server", metavar="HOST:PORT,...", help="brokers")
    servers.add_argument("--bootstrap-controller", metavar="HOST:PORT,...", help="controllers")
    parser.add_argument("--command-config", type=Path, metavar="FILE", help="client properties")
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=FeatureLine)
    describe = verbs.add_parser("describe", help="tell the levels of features")
    describe.add_argument("--node-id", type=int, metavar="ID", help="ask this broker or controller")
    upgrade = verbs.add_parser("upgrade", help="raise levels of features")
    downgrade = verbs.add_parser("downgrade", help="lower levels of features")
    disable = verbs.add_parser("disable", help="set features to level 0")
    mapping = verbs.add_parser("version-mapping", help="tell the features' levels of a release")
    needs = verbs.add_parser("feature-dependencies", help="tell what a feature's level needs")
    for verb in (upgrade, downgrade):
        verb.add_argument("--metadata", metavar="RELEASE", help="deprecated: of metadata.version")
        verb.add_argument("--feature", action="append", metavar="NAME=LEVEL", help="repeatable")
    disable.add_argument("--feature", action="append", metavar="NAME", help="repeatable")
    needs.add_argument("--feature", action="append", metavar="NAME=LEVEL", required=True)
    for verb in (upgrade, downgrade, mapping):
        verb.add_argument("--release-version", metavar="RELEASE", help="e.g. 4.3 or 4.0-IV3")
    for verb in (downgrade, disable):
        verb.add_argument("--unsafe", action="store_true", help="even if metadata is lost")
    for verb in (upgrade, downgrade, disable):
        verb.add_argument("--dry-run", action="store_true", help="check it, and change nothing")
    for verb in (describe, upgrade, downgrade, disable, mapping, needs):
        verb.add_argument("--json", action="store_true", help="JSON on stdout, for scripts")
    return parser


# -- what is known without a cluster -------------------------------------------------------------


def _tell_mapping(given: argparse.Namespace) -> None:
    release = NEWEST if given.release_version is None else given.release_version
    levels = mapping_of(release)
    if given.json:
        print(json.dumps(mapping_document(release, levels)))
    else:
        print("\n".join(mapping_lines(release, levels)))


def _tell_dependencies(given: argparse.Namespace) -> None:
    known = map(_known, given.feature)
    if given.json:
        print(json.dumps(dependencies_document(known)))
        return
    for name, level in known:
        print("\n".join(dependency_lines(name, level)))


def _known(wish: str) -> tuple[str, int]:
    """A level of a feature, in the words of Kafka's tool where there is no such level."""
    name, level = name_and_level(wish)
    if name not in SUPPORTED:
        raise Unusable(f"Unknown feature: {name}")
    if name == METADATA_VERSION and level not in RELEASES.values():
        raise Unusable(f"Unknown {METADATA_VERSION} {level}")
    if not SUPPORTED[name].min <= level <= SUPPORTED[name].max:
        raise Unusable(f"No feature:{name} with feature level {level}")
    return name, level


# -- what a cluster has --------------------------------------------------------------------------


def _describe(given: argparse.Namespace) -> None:
    node = given.node_id
    if node is not None and node < 0:
        raise Unusable(f"Invalid node id {node}: must be non-negative.")
    told = connected(given, lambda admin: admin.describe_features(node))
    if given.json:
        print(json.dumps(features_document(told)))
    else:
        print("\n".join(feature_lines(told)))


def _change(given: argparse.Namespace) -> None:
    change = _wanted(given)
    if not change.levels:
        raise Unusable(f"You must specify at least one feature to {given.verb}")
    levels, outcomes = connected(given, lambda admin: _carried_out(admin, given, change))
    if given.json:
        document = outcomes_document(given.verb, levels, outcomes, dry_run=given.dry_run)
        print(json.dumps(document))
    else:
        print("\n".join(outcome_lines(given.verb, levels, outcomes, dry_run=given.dry_run)))
    if failed := sum(failure is not None for failure in outcomes.values()):
        raise Unusable(f"{failed} out of {len(outcomes)} operation(s) failed.")


async def _carried_out(
    admin: AdminClient, given: argparse.Namespace, change: FeatureChange
) -> tuple[Mapping[str, int], Outcomes]:
    levels = dict(change.levels)
    if change.may_lack:
        supported = (await admin.describe_features()).supported
        for name in change.may_lack:
            if name not in supported or levels[name] > supported[name].max:
                lacks = f"this cluster does not support level {levels.pop(name)}"
                print(f"{name} is left out: {lacks}", file=sys.stderr)
    settled = await admin.update_features(
        levels, change.upgrade, validate_only=given.dry_run
    ).settled()
    return levels, settled


def _wanted(given: argparse.Namespace) -> FeatureChange:
    """The change that a line asks for. Unusable where it makes no sense."""
    if given.verb == "disable":
        lower = _lower(given)
        return FeatureChange(_checked(((name, 0) for name in given.feature or ()), lower), lower)
    upgrade = UpgradeType.UPGRADE if given.verb == "upgrade" else _lower(given)
    if given.release_version is not None:
        if given.metadata is not None or given.feature is not None:
            raise Unusable("Can not specify `release-version` with other feature flags.")
        return _to_release(given.release_version, upgrade)
    return FeatureChange(_checked(_wishes(given), upgrade), upgrade)


def _wishes(given: argparse.Namespace) -> Iterator[tuple[str, int]]:
    if given.metadata is not None:
        print(_DEPRECATED, file=sys.stderr if given.json else sys.stdout)
        yield METADATA_VERSION, level_of(given.metadata)
    yield from map(name_and_level, given.feature or ())


def _lower(given: argparse.Namespace) -> UpgradeType:
    return UpgradeType.UNSAFE_DOWNGRADE if given.unsafe else UpgradeType.SAFE_DOWNGRADE


def _to_release(release: str, upgrade: UpgradeType) -> FeatureChange:
    levels = mapping_of(release)
    if upgrade is UpgradeType.UPGRADE:
        levels = {name: level for name, level in levels.items() if level > 0}
    may_lack = frozenset(name for name, level in levels.items() if level > SERVED[name].max)
    return FeatureChange(levels, upgrade, may_lack)


def _checked(wishes: Iterable[tuple[str, int]], upgrade: UpgradeType) -> dict[str, int]:
    """Levels that a request can ask for; Unusable, in the words of Kafka's client, if it cannot."""
    levels: dict[str, int] = {}
    for name, level in wishes:
        if level == 0 and upgrade is UpgradeType.UPGRADE:
            raise Unusable(
                "The upgradeType flag should be set to SAFE_DOWNGRADE or UNSAFE_DOWNGRADE when the"
                " provided maxVersionLevel:0 is < 1."
            )
        if level < 0:
            raise Unusable("Cannot specify a negative version level.")
        if name in levels:
            raise Unusable(f"Feature {name} was specified more than once.")
        levels[name] = level
    if any(not name.strip() for name in levels):
        raise Unusable("Provided feature can not be empty.")
    return levels
