"""Answers that depend on the metadata alone are made once, until it changes."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.cluster_image import add_topic
from tests.unit.node.test_slices import Bench, joined, turn, with_topics
from tools.messages.entities import make, request_types
from tools.messages.frames import encode_message

from spindle.model import metadata_records as r
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
    image = bench.router._target.image
    kept = bench.router._target.slices._kept
    image.apply(r.NoOp())
    assert answered(bench, request) == first
    assert len(kept._answers) == 1, "an idle cluster writes records that change nothing"
    add_topic(image, "another", (1, 2))
    assert answered(bench, request) == first, "of these topics nothing has changed"
    assert answered(bench, asked("another")) != first
    assert made[20:] == [0], "no other topic is described again"


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


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "KEPT_MAX", 1000)
    bench = with_topics(80)
    kept = bench.router._target.slices._kept
    sizes = []
    for name in ("small-0", "small-1", "small-2", "small-0"):
        answered(bench, asked(name))
        sizes.append(len(kept._answers))
    assert sizes == [1, 2, 0, 1], "all were given up for the third"


def test_large_answers_are_kept_too(made: list[int]) -> None:
    bench = with_topics(4000)
    first, second = (bench.ask(asked("large")) for _ in range(2))
    assert len(made) == 2000
    assert second == first
    assert len(first.topics[0].partitions) == 2000


def test_an_answer_begun_before_a_change_is_not_given_after_it(made: list[int]) -> None:
    bench = with_topics(4000)
    image = bench.router._target.image
    bench.router.on_frame(bench.connection, encode_message(asked("large"), 1, None))
    add_topic(image, "meanwhile", (1, 2))
    bench.router.on_frame(bench.connection, encode_message(asked("meanwhile"), 2, None))
    told = [number for _ in range(20) for number, _ in turn(bench)]
    assert told == [1, 2]
    (kept,) = bench.router._target.slices._kept._answers
    assert kept[3].topics[0].name == "meanwhile"
