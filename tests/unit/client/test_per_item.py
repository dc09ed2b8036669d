"""One awaitable for each item, and one for all."""

from __future__ import annotations

import asyncio

import pytest

from spindle.client.per_item import PerItem, Tasks


def test_items_settle_on_their_own_and_all_raises_the_first_failure_asked_for() -> None:
    async def scenario() -> None:
        items: PerItem[str, int] = PerItem(["a", "b", "c"])
        items.fail("c", ValueError("c"))
        items.answer("a", 1)
        items.fail("b", ValueError("b"))
        items.answer("b", 2)  # too late
        items.answer("never asked for", 3)
        assert await items["a"] == 1
        with pytest.raises(ValueError, match="b"):
            await items.all()
        settled = await items.settled()
        assert [str(v) for v in settled.values()] == ["1", "b", "c"]

    asyncio.run(scenario())


def test_no_items_are_settled_at_once() -> None:
    async def scenario() -> None:
        items: PerItem[str, int] = PerItem([])
        assert await items.all() == {}

    asyncio.run(scenario())


def test_the_failure_of_the_work_is_the_failure_of_each_item_it_left() -> None:
    async def scenario() -> None:
        items: PerItem[str, int] = PerItem(["a", "b"])

        async def work() -> None:
            items.answer("a", 1)
            raise OSError("gone")

        tasks = Tasks()
        tasks.answer(items, items, work)
        assert await items["a"] == 1
        with pytest.raises(OSError, match="gone"):
            await items["b"]
        await tasks.close()

    asyncio.run(scenario())


def test_closing_ends_the_work_and_fails_what_waits() -> None:
    async def scenario() -> None:
        items: PerItem[str, int] = PerItem(["a"])
        tasks = Tasks()
        tasks.answer(items, items, asyncio.Event().wait)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        await tasks.close()
        with pytest.raises(asyncio.InvalidStateError, match="closed"):
            await items["a"]

    asyncio.run(scenario())
