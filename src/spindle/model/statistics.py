"""Figures that a node tells about itself: what there is (Metric), and one value of it (Sample).

All metrics stand in the tables of `model.metric_tables`, from which docs/metrics.md is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class Sample:
    """One figure now. `name` is Kafka's MBean name in Prometheus form; units are in `help`."""

    name: str
    value: float
    help: str
    labels: Mapping[str, str] = field(default_factory=dict)


Figures: TypeAlias = Iterator[Sample | None]
"""Figures that take a while to find; at None others may have their turn."""

AT_ONCE: Final = 200
"""Partitions, or groups, that are looked at before others have their turn."""


class MetricKind(StrEnum):
    """Prometheus' types."""

    GAUGE = "gauge"
    COUNTER = "counter"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of a table. The name of a counter ends in `_total`."""

    name: str
    help: str
    """What it tells, with the unit."""
    labels: tuple[str, ...] = ()
    summary: bool = False
    """It has quantiles, `_count` and `_sum`."""

    @property
    def kind(self) -> MetricKind:
        """Its type."""
        if self.summary:
            return MetricKind.SUMMARY
        return MetricKind.COUNTER if self.name.endswith("_total") else MetricKind.GAUGE

    def of(self, value: float, *labels: str) -> Sample:
        """The figure for these values of its labels; without any: for all of them together."""
        return Sample(self.name, value, self.help, self._named(labels))

    def quantile(self, share: str, value: float, *labels: str) -> Sample:
        """What a share ("0.99") of all that was seen did not exceed."""
        named = {**self._named(labels), "quantile": share}
        return Sample(self.name, value, self.help, named)

    def count(self, value: float, *labels: str) -> Sample:
        """How many were seen."""
        return Sample(f"{self.name}_count", value, self.help, self._named(labels))

    def sum(self, value: float, *labels: str) -> Sample:
        """All of them together."""
        return Sample(f"{self.name}_sum", value, self.help, self._named(labels))

    def _named(self, labels: tuple[str, ...]) -> dict[str, str]:
        return dict(zip(self.labels, labels, strict=True)) if labels else {}


class MetricSection(NamedTuple):
    """Metrics of one subject."""

    title: str
    where: str
    """The nodes that have them."""
    metrics: tuple[Metric, ...]


def section(title: str, where: str, names: Mapping[str, object]) -> MetricSection:
    """A section of all rows that a module has named (its `vars()`)."""
    return MetricSection(
        title, where, tuple(each for each in names.values() if isinstance(each, Metric))
    )
