"""Many questions, one awaitable each: a mapping from what was asked to its answer to be awaited.

    moves = admin.alter_replica_log_dirs({replica: "/d2", other: "/d1"})
    await moves[replica]            # this one
    await moves.all()               # every one, or the first failure
    await moves.settled()           # every one, failures as values

Knows nothing of requests. `admin` makes them; an answer that no caller awaits fails silently.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class PerItem(Mapping[K, "asyncio.Future[V]"], Generic[K, V]):
    """Keys in the order asked; each with a future of its answer or its failure."""

    def __init__(self, keys: Iterable[K]) -> None:
        loop = asyncio.get_running_loop()
        self._futures: dict[K, asyncio.Future[V]] = {key: loop.create_future() for key in keys}
        for future in self._futures.values():
            future.add_done_callback(_seen)

    def __getitem__(self, key: K) -> asyncio.Future[V]:
        return self._futures[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._futures)

    def __len__(self) -> int:
        return len(self._futures)

    async def all(self) -> dict[K, V]:
        """Every answer; raises the first failure (in the order asked) once all are known."""
        settled = await self.settled()
        for result in settled.values():
            if isinstance(result, Exception):
                raise result
        return {key: future.result() for key, future in self._futures.items()}

    async def settled(self) -> dict[K, V | Exception]:
        """Every answer, or the exception that stands in its place. Raises nothing."""
        if self._futures:
            await asyncio.wait(self._futures.values())
        outcomes: dict[K, V | Exception] = {}
        for key, future in self._futures.items():
            failure = _failure(future)
            outcomes[key] = future.result() if failure is None else failure
        return outcomes

    # -- for the answering side-------------------------------------------------------------

    def answer(self, key: K, value: V) -> None:
        """Settle one item; ignored where it is settled or was never asked for."""
        future = self._futures.get(key)
        if future is not None and not future.done():
            future.set_result(value)

    def fail(self, key: K, failure: Exception) -> None:
        """Settle one item with a failure."""
        future = self._futures.get(key)
        if future is not None and not future.done():
            future.set_exception(failure)

    def fail_rest(self, keys: Iterable[K], failure: Exception) -> None:
        """Settle those of the items that nothing has settled."""
        for key in keys:
            self.fail(key, failure)


class Tasks:
    """The work behind PerItems: kept while it runs, ended with its caller."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def answer(
        self,
        items: PerItem[K, V],
        keys: Iterable[K],
        work: Callable[[], Coroutine[object, None, None]],
    ) -> None:
        """Run `work`, which settles `keys` of `items`; a failure of it is theirs."""
        task = asyncio.create_task(_answer(items, tuple(keys), work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        """End what still runs."""
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _answer(
    items: PerItem[K, V], keys: tuple[K, ...], work: Callable[[], Coroutine[object, None, None]]
) -> None:
    try:
        await work()
    except asyncio.CancelledError:
        items.fail_rest(keys, asyncio.InvalidStateError("the client was closed"))
        raise
    except Exception as failure:
        items.fail_rest(keys, failure)
    else:
        missing = [key for key in keys if not items[key].done()]
        assert not missing, f"no answer was given for {missing}"


def _failure(future: asyncio.Future[V]) -> Exception | None:
    if future.cancelled():
        return asyncio.InvalidStateError("the awaitable was cancelled")
    failure = future.exception()
    assert failure is None or isinstance(failure, Exception)
    return failure


def _seen(future: asyncio.Future[V]) -> None:
    # A caller that does not await an item does not need it: no warning when it is collected.
    if not future.cancelled():
        future.exception()
