"""How other threads call an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

from spindle.runtime.bell import Bell

THREADS, RINGS = 4, 2_000


def test_nothing_that_is_put_down_before_a_ring_is_missed() -> None:
    put_down: deque[int] = deque()
    heard: list[int] = []

    async def main() -> None:
        over = asyncio.Event()

        def on_rung() -> None:
            while put_down:
                heard.append(put_down.popleft())
            if len(heard) == THREADS * RINGS:
                over.set()

        bell = Bell(asyncio.get_running_loop(), on_rung)

        def ring(thread: int) -> None:
            for number in range(RINGS):
                put_down.append(thread * RINGS + number)
                bell.ring()

        threads = [threading.Thread(target=ring, args=(n,)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        try:
            await asyncio.wait_for(over.wait(), 60)
        finally:
            for thread in threads:
                thread.join()
            bell.close()

    asyncio.run(main())
    assert sorted(heard) == list(range(THREADS * RINGS))


def test_many_rings_are_heard_as_one() -> None:
    calls = 0

    async def main() -> None:
        nonlocal calls

        def on_rung() -> None:
            nonlocal calls
            calls += 1

        bell = Bell(asyncio.get_running_loop(), on_rung)
        for _ in range(100):
            bell.ring()
        for _ in range(3):
            await asyncio.sleep(0)
        bell.close()

    asyncio.run(main())
    assert calls == 1


def test_a_thread_that_is_left_behind_may_ring_after_the_end() -> None:
    async def main() -> None:
        bell = Bell(asyncio.get_running_loop(), lambda: None)
        bell.close()
        bell.ring()

    asyncio.run(main())
