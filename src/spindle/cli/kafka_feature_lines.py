"""The lines and documents of `kafka-features`, line by line as Kafka's tool prints them.

Functions of values. Called by `kafka_features` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spindle.cli.storage.releases import name_of, needs_of
from spindle.client.failures import Refused
from spindle.client.results import FeatureMetadata
from spindle.model.feature_rules import METADATA_VERSION

Outcomes = Mapping[str, Exception | None]
"""Features, and why their levels could not be set; None: they are."""


def feature_lines(told: FeatureMetadata) -> list[str]:
    """`describe`."""
    epoch = "-" if told.epoch is None else told.epoch
    return [
        f"Feature: {name:<40}  SupportedMinVersion: {_level(name, levels.min):<15}"
        f"  SupportedMaxVersion: {_level(name, levels.max):<15}"
        f"  FinalizedVersionLevel: {_level(name, told.finalized.get(name, 0)):<15}"
        f"  Epoch: {epoch}"
        for name, levels in sorted(told.supported.items())
    ]


def _level(name: str, level: int) -> str:
    return name_of(level) if name == METADATA_VERSION else str(level)


def features_document(told: FeatureMetadata) -> dict[str, object]:
    """The same as a document; `release`: the name of the metadata.version in force."""
    return {
        "version": 1,
        "epoch": told.epoch,
        "release": name_of(told.finalized.get(METADATA_VERSION, 0)),
        "features": [
            {
                "feature": name,
                "supportedMinVersion": levels.min,
                "supportedMaxVersion": levels.max,
                "finalizedVersionLevel": told.finalized.get(name, 0),
            }
            for name, levels in sorted(told.supported.items())
        ],
    }


def mapping_document(release: str, levels: Mapping[str, int]) -> dict[str, object]:
    """`version-mapping` as a document."""
    return {"version": 1, "release": release, "features": dict(levels)}


def dependencies_document(features: Iterable[tuple[str, int]]) -> dict[str, object]:
    """`feature-dependencies` as a document."""
    return {
        "version": 1,
        "features": [
            {"feature": name, "level": level, "requires": dict(needs_of(name, level))}
            for name, level in features
        ],
    }


def outcome_lines(
    change: str, levels: Mapping[str, int], outcomes: Outcomes, *, dry_run: bool
) -> Iterator[str]:
    """What has become of each feature of `upgrade`, `downgrade` or `disable`, by their names."""
    for name, failure in sorted(outcomes.items()):
        if failure is not None:
            aim = name if change == "disable" else f"{name} to {levels[name]}"
            yield f"{'Can' if dry_run else 'Could'} not {change} {aim}. {failure_words(failure)}"
        else:
            done = "disabled" if change == "disable" else f"{change}d to {levels[name]}"
            yield f"{name} {'can be' if dry_run else 'was'} {done}."


def outcomes_document(
    change: str, levels: Mapping[str, int], outcomes: Outcomes, *, dry_run: bool
) -> dict[str, object]:
    """The same as a document; `error` is null where the level is set, or could be."""
    return {
        "version": 1,
        "change": change,
        "dryRun": dry_run,
        "features": [
            {
                "feature": name,
                "level": levels[name],
                "error": None if failure is None else failure_words(failure),
            }
            for name, failure in sorted(outcomes.items())
        ],
    }


def failure_words(failure: Exception) -> str:
    """The controller's own words, where there are any."""
    return failure.detail if isinstance(failure, Refused) and failure.detail else str(failure)
