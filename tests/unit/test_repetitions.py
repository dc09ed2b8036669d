"""A record that came twice is laid to the reader or to the brokers."""

from __future__ import annotations

from tests.support.repetitions import Got, repetitions


def test_each_record_once_is_no_repetition() -> None:
    assert repetitions([Got(0, 0, 5), Got(1, 0, 6), Got(0, 1, 7)]) == []


def test_one_offset_twice_is_the_readers() -> None:
    (told,) = repetitions([Got(0, 0, 5), Got(0, 1, 6), Got(0, 1, 6)])
    assert "partition 0, record 6 of its producer: the reader got offset 1 twice" in told
    assert "as its 2. and 3. record of 3" in told


def test_one_record_at_two_offsets_is_the_brokers() -> None:
    (told,) = repetitions([Got(0, 0, 5), Got(1, 0, 6), Got(1, 1, 6)])
    assert told == "partition 1, record 6 of its producer: the brokers hold it at offsets 0 and 1"
