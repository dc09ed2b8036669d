"""What holds for topics is read once for each change of settings."""

from __future__ import annotations

from tests.support.logdirs_world import World

from spindle.model import metadata_records as r
from spindle.model.image import TOPIC_RESOURCE
from spindle.model.settings.typed_settings import TopicSettings
from spindle.node.broker_context import PerTopic


def change(world: World, topic: str, key: str, value: str | None) -> None:
    """A record of the metadata that sets a topic's setting, or takes it away."""
    record = r.DynamicConfig(
        resource_type=TOPIC_RESOURCE, resource_name=topic, key=key, value=value
    )
    world.image.apply(record)


def test_a_topics_settings_are_read_once_for_each_change() -> None:
    world = World()
    made = []

    def make(settings: TopicSettings) -> int:
        made.append(settings.whole("segment.bytes"))
        return made[-1]

    of = PerTopic(world.context, make).of
    change(world, "t", "segment.bytes", "2000000")
    assert [of("t") for _ in range(1000)] == [2_000_000] * 1000
    change(world, "other", "segment.bytes", "3000000")
    assert (of("t"), of("other"), made) == (2_000_000, 3_000_000, [2_000_000, 3_000_000])
    change(world, "t", "segment.bytes", "4000000")
    assert of("t") == 4_000_000
    change(world, "t", "segment.bytes", None)
    plain = of("t")
    assert {of(f"plain-{n}") for n in range(100)} == {plain}
    assert made == [2_000_000, 3_000_000, 4_000_000, plain], "all that have none of their own share"
    world.context.settings.set_dynamic({"log.segment.bytes": "5000000"})
    assert (of("plain"), of("other"), of("t")) == (5_000_000, 3_000_000, 5_000_000)


def test_topics_that_are_gone_are_forgotten() -> None:
    world = World()
    of = PerTopic(world.context, lambda settings: settings.whole("segment.bytes")).of
    for n in range(1000):
        change(world, f"t-{n}", "segment.bytes", "2000000")
        assert of(f"t-{n}") == 2_000_000
        change(world, f"t-{n}", "segment.bytes", None)
    assert len(world.context._topics) < 100
