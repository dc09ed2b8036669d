"""What a setting is: its name, type, default, bounds and documentation, and what Spindle does with
it (N-01). The tables beside this module list all settings that exist; here a text becomes a value,
and a wrong one is refused in Kafka's words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Final, cast

from spindle.model.errors import Unusable

MAX_INT: Final = (1 << 31) - 1
MAX_LONG: Final = (1 << 63) - 1

Value = bool | int | float | str | tuple[str, ...]


class Kind(IntEnum):
    """A setting's type, by Kafka's numbers in DescribeConfigs."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


_BITS: Final = {Kind.SHORT: 15, Kind.INT: 31, Kind.LONG: 63}


class Update(Enum):
    """Whether a setting can change while the node runs (KIP-226)."""

    NO = "read-only"
    BROKER = "per-broker"
    CLUSTER = "cluster-wide"


class Status(Enum):
    """What Spindle does with a setting."""

    HONOURED = "honoured"
    NO_EFFECT = "no effect"
    """It is accepted, decides nothing here, and the node says so when it starts."""
    REFUSED = "refused"
    """A node with another value than the default does not start."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `default` is a text as in a file; None where there is none."""

    name: str
    kind: Kind
    default: str | None
    doc: str
    least: float | None = None
    most: float | None = None
    allowed: tuple[str, ...] = ()
    """The only texts (of a list: entries) that are right; empty: all are."""
    check: Callable[[Value], None] | None = None
    """What else must hold; a ValueError says what does not."""
    update: Update = Update.NO
    status: Status = Status.HONOURED
    why: str = ""
    """Why it has no effect or is refused."""
    unset: tuple[tuple[str, int], ...] = ()
    """What counts where it is not set: (name, factor), the first one that is set."""
    broker: str | None = None
    """Of a topic's setting: the broker's setting that counts where the topic has none."""
    described: bool = True
    """Whether DescribeConfigs names it although it is not set."""

    @property
    def dynamic(self) -> bool:
        """Whether it can change while the node runs."""
        return self.update is not Update.NO

    @property
    def sensitive(self) -> bool:
        """Whether its value is never shown."""
        return self.kind is Kind.PASSWORD

    @property
    def unit(self) -> str:
        """What its number counts, as its name says; empty where that is a plain count."""
        for part, unit in _UNITS:
            if self.kind in (*_BITS, Kind.DOUBLE) and part in self.name.split("."):
                return unit
        return ""

    @property
    def documentation(self) -> str:
        """What it is for, and what Spindle does with it."""
        if self.status is Status.NO_EFFECT:
            return f"{self.doc} Has no effect here: {self.why}"
        if self.status is Status.REFUSED:
            return f"{self.doc} Cannot be changed here: {self.why}"
        return self.doc

    def read(self, text: str) -> Value:
        """A text as the value of this setting. Unusable in Kafka's words where it is wrong."""
        shown: object = text
        if self.allowed and self.kind is Kind.LIST and has_gaps(text):
            raise Unusable(f"Configuration '{self.name}' values must not be empty.")
        try:
            value = _READERS.get(self.kind, str.strip)(text)
            if not isinstance(value, bool | tuple):
                shown = value
            self._check(value)
        except ValueError as error:
            shown = "[hidden]" if self.sensitive else shown
            raise Unusable(
                f"Invalid value {shown} for configuration {self.name}: {error}"
            ) from None
        return value

    def show(self, text: str | None) -> str | None:
        """A text of this setting as DescribeConfigs shows it."""
        if text is None or self.sensitive:
            return None
        try:
            value = self.read(text)
        except Unusable:
            return text  # Another node may know better; ours is refused where it is set.
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, tuple):
            return ",".join(value)
        return _java_double(value) if isinstance(value, float) else str(value)

    def is_default(self, text: str) -> bool:
        """Whether a text says what is so anyway."""
        default = None if self.default is None else self.read(self.default)
        return self.read(text) == ("" if default is None and text.strip() == "" else default)

    def _check(self, value: Value) -> None:
        if isinstance(value, int | float) and not isinstance(value, bool):
            bits = _BITS.get(self.kind)
            if bits is not None and not -(1 << bits) <= value < 1 << bits:
                raise ValueError(f"Not a number of type {self.kind.name}")
            if self.least is not None and value < self.least:
                raise ValueError(f"Value must be at least {self.least}")
            if self.most is not None and value > self.most:
                raise ValueError(f"Value must be no more than {self.most}")
        if self.check is not None:
            self.check(value)
        if not self.allowed:
            return
        if isinstance(value, str) and value not in self.allowed:
            raise ValueError(f"String must be one of: {', '.join(self.allowed)}")
        for entry in value if isinstance(value, tuple) else ():
            if entry not in self.allowed:
                raise ValueError(f"String must be one of: {', '.join(self.allowed)}")


def gzip_level(value: Value) -> None:
    """Refuse what is no level of gzip: 0 would not compress."""
    if value != -1 and not 1 <= int(cast("int", value)) <= 9:
        raise ValueError("Value must be between 1 and 9 or equal to -1")


def without_effect(why: str, *settings: Setting) -> tuple[Setting, ...]:
    """Settings that decide nothing here, for one reason."""
    return tuple(replace(s, status=Status.NO_EFFECT, why=why) for s in settings)


def refused(why: str, *settings: Setting) -> tuple[Setting, ...]:
    """Settings that keep their defaults here, for one reason."""
    return tuple(replace(s, status=Status.REFUSED, why=why) for s in settings)


_UNITS: Final = (
    ("ms", "ms"),
    ("millis", "ms"),
    ("seconds", "s"),
    ("minutes", "min"),
    ("hours", "h"),
    ("second", "bytes/s"),
    ("bytes", "bytes"),
)


def _boolean(text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "false"):
        raise ValueError("Expected value to be either true or false")
    return word == "true"


def _entries(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def has_gaps(text: str) -> bool:
    """Whether a list has an entry without a word; a list without entries has none."""
    return bool(text.strip()) and not all(part.strip() for part in text.split(","))


def _integer(kind: Kind, text: str) -> int:
    try:
        return int(text.strip().replace("_", "?"))  # 1_000 is a number in Python alone.
    except ValueError:
        raise ValueError(f"Not a number of type {kind.name}") from None


def _double(text: str) -> float:
    try:
        return float(text.strip().replace("_", "?"))
    except ValueError:
        raise ValueError(f"Not a number of type {Kind.DOUBLE.name}") from None


_READERS: Final[dict[Kind, Callable[[str], Value]]] = {
    Kind.BOOLEAN: _boolean,
    Kind.SHORT: lambda text: _integer(Kind.SHORT, text),
    Kind.INT: lambda text: _integer(Kind.INT, text),
    Kind.LONG: lambda text: _integer(Kind.LONG, text),
    Kind.DOUBLE: _double,
    Kind.LIST: _entries,
}


def _java_double(value: float) -> str:
    """As Java writes it: 1.7976931348623157E308, where Python writes e+308."""
    return repr(value).replace("e+", "E").replace("e", "E")
