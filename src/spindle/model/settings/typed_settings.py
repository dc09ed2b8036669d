"""Settings as our code reads them: typed, in seconds where they are times.

Each accessor names the type that the caller expects; a name that does not exist, or is of another
type, is a bug and fails at once (`tests/house` looks at every call).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final, TypeVar

from spindle.model.errors import Unusable
from spindle.model.settings.setting import Setting, Status, Value
from spindle.model.settings.table import NODE_SETTINGS, TOPIC_SETTINGS, node_setting

T = TypeVar("T")
_PER_SECOND: Final = {"ms": 1000, "s": 1}


class Values(ABC):
    """Typed access to settings by name."""

    def __init__(self) -> None:
        self._values: dict[str, Value | None] = {}
        self._per_second: dict[str, int] = {}
        """By name: what its number counts does not change with it."""

    @abstractmethod
    def setting(self, name: str) -> Setting:
        """The row of a name; KeyError where there is none."""

    @abstractmethod
    def text(self, name: str) -> str | None:
        """The value that counts, as a text; None where there is none."""

    def flag(self, name: str) -> bool:
        """A yes or no."""
        return self._get(name, bool)

    def whole(self, name: str) -> int:
        """A whole number in the setting's own unit."""
        return self._get(name, int)

    def find_whole(self, name: str) -> int | None:
        """The same, of a setting that may be unset."""
        return None if self._find(name) is None else self.whole(name)

    def number(self, name: str) -> float:
        """A number with a fraction."""
        return self._get(name, float)

    def seconds(self, name: str) -> float:
        """A time in seconds, whatever the setting's unit."""
        if name not in self._per_second:
            self._per_second[name] = _PER_SECOND[self.setting(name).unit]
        return self.whole(name) / self._per_second[name]

    def word(self, name: str) -> str:
        """A text."""
        return self._get(name, str)

    def find_word(self, name: str) -> str | None:
        """The same, of a setting that may be unset."""
        return None if self._find(name) is None else self.word(name)

    def names(self, name: str) -> tuple[str, ...]:
        """A list; empty where it is not set."""
        return () if self._find(name) is None else self._get(name, tuple)

    def _find(self, name: str) -> Value | None:
        if name not in self._values:
            text = self.text(name)
            self._values[name] = None if text is None else self.setting(name).read(text)
        return self._values[name]

    def _get(self, name: str, kind: type[T]) -> T:
        value = self._find(name)
        assert type(value) is kind, f"{name} is {value!r}, no {kind.__name__}"
        return value


class Settings(Values):
    """A node's settings: what its file says, over which dynamic values may be laid."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__()
        self.given: Final = dict(given)
        self.dynamic: dict[str, str] = {}
        self.version = 0
        """How often dynamic values have changed."""
        for name, text in self.given.items():
            if (setting := node_setting(name)) is not None:
                setting.read(text)

    def setting(self, name: str) -> Setting:
        """The row of a node's setting."""
        return NODE_SETTINGS[name]

    def text(self, name: str) -> str | None:
        """Dynamic, else the file's, else what counts where it is not set, else the default."""
        if name in self.dynamic:
            return self.dynamic[name]
        setting = NODE_SETTINGS[name]
        if name in self.given:
            return self.given[name]
        for other, factor in setting.unset:
            value = self._find(other)
            if value is not None:
                assert isinstance(value, int)
                return str(value * factor if value >= 0 else -1)
        return setting.default

    def of_listener(self, listener: str) -> Settings:
        """The settings as a listener has them: its own `listener.name.NAME.` values first."""
        prefix = f"listener.name.{listener.lower()}."

        def own(values: Mapping[str, str]) -> dict[str, str]:
            return {n.removeprefix(prefix): v for n, v in values.items() if n.startswith(prefix)}

        static = own(self.given)
        settings = Settings({**self.given, **static})
        shared = {n: v for n, v in self.dynamic.items() if n not in static}
        settings.set_dynamic({**shared, **own(self.dynamic)})
        return settings

    def set_dynamic(self, values: Mapping[str, str]) -> list[str]:
        """Lay dynamic values over the file's, all at once; which decide nothing here, and why.

        The controller refuses what is wrong: such values come from a controller of another kind.
        """
        self.dynamic, idle = {}, []
        for name, text in values.items():
            setting = node_setting(name)
            if setting is None:
                idle.append(f"{name}: Spindle knows no such setting")
                continue
            try:
                changed = not setting.is_default(text)
            except Unusable as error:
                idle.append(str(error))
                continue
            self.dynamic[name] = text
            if changed and setting.status is not Status.HONOURED:
                idle.append(f"{name}: {setting.why}")
        self._values.clear()
        self.version += 1
        return idle


class TopicSettings(Values):
    """A topic's settings: its own, else the node's, else the defaults."""

    def __init__(
        self, own: Mapping[str, str], node: Settings, shared: Mapping[str, str] | None = None
    ) -> None:
        """`shared`: dynamic values of all brokers, where `node` knows none of its own."""
        super().__init__()
        self._own = own
        self._node = node
        self._shared = shared or {}

    def setting(self, name: str) -> Setting:
        """The row of a topic's setting."""
        return TOPIC_SETTINGS[name]

    def text(self, name: str) -> str | None:
        """The topic's own, else the node's, else the default."""
        setting = TOPIC_SETTINGS[name]
        if name in self._own:
            return self._own[name]
        if setting.broker is None:
            return setting.default
        text = self._shared.get(setting.broker, self._node.text(setting.broker))
        return setting.default if text is None else text
