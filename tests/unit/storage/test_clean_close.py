"""How often the directory of a log is synced: a stop closes thousands of logs one by one."""

from collections import Counter

from tests.support.storage import KEY, append, batch, create, fill, fresh

from spindle.model.jobs import Close, Flush
from spindle.sim.memory_disk import MemoryDisk


def counted(disk: MemoryDisk) -> Counter[str]:
    """From now on how often each directory is synced."""
    synced: Counter[str] = Counter()
    sync_dir = disk.sync_dir

    def sync(path: str) -> None:
        synced[path] += 1
        sync_dir(path)

    disk.sync_dir = sync  # type: ignore[method-assign]
    return synced


def test_a_clean_close_syncs_the_directory_of_a_log_once() -> None:
    disk, directory = fresh()
    create(directory)
    fill(directory, 5)
    log, synced = directory.logs[KEY].path, counted(disk)
    directory.run(Close(directory.path, 5))
    assert synced[log] == 1


def test_a_flush_syncs_the_directory_of_a_log_where_the_file_of_its_epochs_is_new() -> None:
    disk, directory = fresh()
    create(directory)
    end = fill(directory, 5)
    directory.run(Flush(directory.path, KEY))
    log, synced = directory.logs[KEY].path, counted(disk)
    for epoch, times in ((0, 0), (1, 1), (1, 1), (2, 2)):
        end = append(directory, batch(end, [b"more"], epoch=epoch))
        directory.run(Flush(directory.path, KEY))
        assert synced[log] == times
