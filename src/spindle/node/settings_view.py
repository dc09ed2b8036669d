"""Settings as DescribeConfigs tells them: value, where it comes from, and what it hides.

Pure: looks at the image and the node's settings. Kafka's rule of precedence is kept: a topic's own
value, the broker's dynamic one, the cluster-wide dynamic one, the file's, the default. Used by the
handler of DescribeConfigs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from spindle.model.errors import Error, Refusal
from spindle.model.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
    ClusterImage,
)
from spindle.model.settings.client_metrics_settings import CLIENT_METRICS_SETTINGS
from spindle.model.settings.group_settings import GROUP_SETTINGS
from spindle.model.settings.setting import Kind, Setting
from spindle.model.settings.table import NODE_SETTINGS, TOPIC_SETTINGS, node_setting
from spindle.model.settings.typed_settings import Settings, TopicSettings
from spindle.node.topic_selection import absent


class SettingSource(IntEnum):
    """Where a value comes from."""

    TOPIC = 1
    BROKER = 2
    CLUSTER = 3
    STATIC = 4
    DEFAULT = 5
    CLIENT_METRICS = 7
    GROUP = 8


class Synonym(NamedTuple):
    """One place that gives the setting a value; the first one wins."""

    name: str
    value: str | None
    source: SettingSource


@dataclass(frozen=True, slots=True)
class DescribedConfig:
    """A setting as a client sees it."""

    setting: Setting
    value: str | None
    read_only: bool
    synonyms: tuple[Synonym, ...]

    @property
    def source(self) -> SettingSource:
        """Where the value comes from."""
        return self.synonyms[0].source if self.synonyms else SettingSource.DEFAULT


class SettingsView:
    """The settings of one node, and of the topics as that node sees them."""

    def __init__(self, image: ClusterImage, node: Settings, node_id: int) -> None:
        self._image = image
        self._node = node
        self._node_id = node_id
        self._own = image.config(BROKER_RESOURCE, str(node_id))
        self._shared = image.config(BROKER_RESOURCE, "")

    def of(self, kind: int, name: str, names: Collection[str] = ()) -> list[DescribedConfig]:
        """The settings of a resource, by name; without names all of them.

        Refusal where it has none or is not known here.
        """
        every = self._every(kind, name)
        return [told for told in every if not names or told.setting.name in names]

    def _every(self, kind: int, name: str) -> Iterator[DescribedConfig]:
        if kind == TOPIC_RESOURCE:
            if self._image.topic(name) is None:
                error = absent(name).error
                raise Refusal(error, f"topic {name} does not exist")
            return self.topic(name)
        if kind == BROKER_RESOURCE:
            if name == "":
                return self.cluster()
            if name != str(self._node_id):
                raise Refusal(
                    Error.INVALID_REQUEST,
                    f"Unexpected broker id, expected {self._node_id} or empty string, but received"
                    f" {name}",
                )
            return self.broker()
        if kind == GROUP_RESOURCE:
            if not name:
                raise Refusal(Error.INVALID_REQUEST, "Group name must not be empty")
            return self.kept(kind, name, GROUP_SETTINGS, SettingSource.GROUP)
        if kind == CLIENT_METRICS_RESOURCE:
            if not name:
                raise Refusal(
                    Error.INVALID_REQUEST, "Client metrics subscription name must not be empty"
                )
            return self.kept(kind, name, CLIENT_METRICS_SETTINGS, SettingSource.CLIENT_METRICS)
        raise Refusal(Error.INVALID_REQUEST, f"resources of type {kind} have no settings here")

    def topic(self, topic: str) -> Iterator[DescribedConfig]:
        """All settings of a topic."""
        own = self._image.config(TOPIC_RESOURCE, topic)
        values = TopicSettings(own, self._node, {**self._shared, **self._own})
        for name, setting in TOPIC_SETTINGS.items():
            value = setting.show(values.text(name))
            synonyms = self._synonyms(setting.broker) if setting.broker else ()
            if name in own:
                synonyms = (Synonym(name, value, SettingSource.TOPIC), *synonyms)
            elif not setting.described:
                continue
            yield DescribedConfig(setting, value, False, synonyms)

    def kept(
        self, kind: int, name: str, table: Mapping[str, Setting], source: SettingSource
    ) -> Iterator[DescribedConfig]:
        """All settings of a group or a client metrics subscription.

        What another controller has let it have is there, too.
        """
        own = self._image.config(kind, name)
        for key in {**table, **own}:
            setting = table.get(key) or Setting(key, Kind.STRING, None, "")
            synonyms = self._synonyms(setting.broker) if setting.broker else ()
            value = synonyms[0].value if synonyms else setting.default
            if key in own:
                value = own[key]
                synonyms = (Synonym(key, value, source), *synonyms)
            yield DescribedConfig(setting, value, False, synonyms)

    def broker(self) -> Iterator[DescribedConfig]:
        """All settings of this node, and what its file has beyond them."""
        given = {**self._node.given, **self._shared, **self._own}
        for name in {**NODE_SETTINGS, **given}:
            setting = node_setting(name) or _stranger(name)
            if setting.described or name in given:
                synonyms = self._synonyms(name)
                value = setting.show(given.get(name, setting.default))
                yield DescribedConfig(setting, value, not setting.dynamic, synonyms)

    def cluster(self) -> Iterator[DescribedConfig]:
        """What is set for all brokers of the cluster."""
        for name, text in self._shared.items():
            setting = node_setting(name) or _stranger(name)
            value = setting.show(text)
            synonym = Synonym(name, value, SettingSource.CLUSTER)
            yield DescribedConfig(setting, value, not setting.dynamic, (synonym,))

    def _synonyms(self, name: str) -> tuple[Synonym, ...]:
        """Every place that gives a node's setting a value, the nearest first.

        As in Apache Kafka, what comes before the setting's own name is left out: a value under the
        name of a synonym counts, and is shown under that name alone.
        """
        setting = node_setting(name) or _stranger(name)
        names = (name, *(other for other, _ in setting.unset))
        found = []
        for source, texts in (
            (SettingSource.BROKER, self._own),
            (SettingSource.CLUSTER, self._shared),
            (SettingSource.STATIC, self._node.given),
            (SettingSource.DEFAULT, _DEFAULTS),
        ):
            for each in names:
                row = NODE_SETTINGS.get(each) or setting
                if texts.get(each) is not None:
                    found.append(Synonym(each, row.show(texts[each]), source))
        while found and found[0].name != name:
            del found[0]
        return tuple(found)


_DEFAULTS: Mapping[str, str] = {
    name: setting.default for name, setting in NODE_SETTINGS.items() if setting.default is not None
}


def _stranger(name: str) -> Setting:
    """A name that no table has: it may be a secret of a plugin's, so its value is not shown."""
    return Setting(name, Kind.PASSWORD, None, "")
