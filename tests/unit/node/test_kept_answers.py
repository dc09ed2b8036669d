"""Small answers that depend on the metadata alone are made once, until it changes."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.cluster_image import add_topic
from tests.unit.node.test_slices import Bench, joined, with_topics
from tools.messages.entities import make, request_types
from tools.messages.frames import encode_message

from spindle.node import slices
from spindle.node.handlers import metadata
from spindle.wire.apis import Key


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The partitions that were described."""
    seen: list[int] = []
    before = metadata._partition

    def counted(version: int, listening: Any, partition: Any) -> Any:
        seen.append(partition.partition_id)
        return before(version, listening, partition)

    monkeypatch.setattr(metadata, "_partition", counted)
    return seen


def asked(*names: str, creates: bool = True) -> Any:
    types = request_types(Key.METADATA, 12)
    topics = tuple(make(types.MetadataRequestTopic, name=name, topic_id=None) for name in names)
    return make(types.MetadataRequest, topics=topics, allow_auto_topic_creation=creates)


def answered(bench: Bench, request: Any) -> bytes:
    """The bytes of an answer."""
    bench.router.on_frame(bench.connection, encode_message(request, 1, None))
    ready = bench.out.take()
    assert ready is not None
    return joined(ready.answers[0].buffers)


def test_an_answer_is_given_again_until_the_metadata_changes(made: list[int]) -> None:
    bench = with_topics(40)
    request = asked("small-0", "small-1")
    first = answered(bench, request)
    assert len(made) == 20
    assert answered(bench, request) == first
    assert len(made) == 20
    image = bench.router._target.image
    add_topic(image, "another", (1, 2))
    image.offset += 1
    assert answered(bench, request) == first, "of these topics nothing has changed"
    assert len(made) == 40


def test_another_question_has_another_answer(made: list[int]) -> None:
    bench = with_topics(40)
    answered(bench, asked("small-0"))
    answered(bench, asked("small-1"))
    assert len(made) == 20


def test_a_topic_that_may_have_to_be_made_is_asked_for_each_time() -> None:
    bench = with_topics(40)
    wanted: list[Any] = []
    bench.router._target.topic_creation = type("", (), {"want": wanted.append})
    for _ in range(3):
        answered(bench, asked("small-0", "not-there"))
    assert len(wanted) == 3


def test_what_is_kept_is_bounded(made: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "KEPT_MAX", 1000)
    bench = with_topics(80)
    for name in ("small-0", "small-1", "small-2", "small-0"):
        answered(bench, asked(name))
    assert len(made) == 40, "the first was given up for the third"


def test_large_answers_are_not_kept(made: list[int]) -> None:
    bench = with_topics(2000)
    for _ in range(2):
        bench.ask(asked("large"))
    assert len(made) == 2000
