"""A figure that a node tells about itself: a name, labels, a value, what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sample:
    """One figure now. `name` is Kafka's MBean name in Prometheus form; units are in `help`."""

    name: str
    value: float
    help: str
    labels: Mapping[str, str] = field(default_factory=dict)
