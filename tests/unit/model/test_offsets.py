"""The history of leader epochs, against a log that remembers the epoch of every record."""

from hypothesis import given
from hypothesis import strategies as st

from spindle.model.offsets import EpochHistory, EpochStart, OffsetAndEpoch

runs = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 5)), max_size=12)
"""(how much the epoch grows, how many records it writes), one after the other."""


def written(steps: list[tuple[int, int]]) -> tuple[EpochHistory, list[int]]:
    history, epoch = EpochHistory(), 0
    epochs: list[int] = []
    for growth, count in steps:
        epoch += growth
        history.assign(epoch, len(epochs))
        epochs += [epoch] * count
    return history, epochs


@given(runs)
def test_it_knows_the_epoch_of_every_record(steps: list[tuple[int, int]]) -> None:
    history, epochs = written(steps)
    assert [history.epoch_at(offset) for offset in range(len(epochs))] == epochs
    assert history.latest == (epochs[-1] if epochs else -1)


@given(runs, st.integers(-1, 40))
def test_the_end_of_an_epoch_is_where_the_next_one_begins(
    steps: list[tuple[int, int]], epoch: int
) -> None:
    history, epochs = written(steps)
    found = history.end_of(epoch, len(epochs))
    if epoch < 0 or not epochs or epoch > epochs[-1]:
        assert found == OffsetAndEpoch(-1, -1)
    else:
        assert found.offset == sum(1 for e in epochs if e <= epoch)
        assert found.epoch == max((e for e in epochs if e <= epoch), default=epoch)


@given(runs, st.integers(0, 60))
def test_cutting_the_end_forgets_what_is_gone(steps: list[tuple[int, int]], offset: int) -> None:
    history, epochs = written(steps)
    history.truncate_end(offset)
    kept = epochs[:offset]
    assert [history.epoch_at(o) for o in range(len(kept))] == kept
    assert all(start < offset for _, start in history.entries)


@given(runs, st.integers(0, 60))
def test_cutting_the_start_keeps_the_epochs_of_what_is_left(
    steps: list[tuple[int, int]], offset: int
) -> None:
    history, epochs = written(steps)
    history.truncate_start(offset)
    for left in range(offset, len(epochs)):
        assert history.epoch_at(left) == epochs[left]
    assert all(start >= offset for _, start in history.entries)


def test_a_new_epoch_takes_the_place_of_what_contradicts_it() -> None:
    history = EpochHistory([EpochStart(1, 0), EpochStart(4, 10), EpochStart(6, 20)])
    assert history.assign(5, 10)
    assert history.entries == (EpochStart(1, 0), EpochStart(5, 10))
    assert not history.assign(5, 30)
