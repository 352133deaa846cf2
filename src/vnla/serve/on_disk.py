"""What waits for the disk, on a thread of its own: meanwhile the event loop serves everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")

_ONE_BY_ONE = ThreadPoolExecutor(1, "vnla disk")


async def on_disk(work: Callable[Given, Result], *args: Given.args, **more: Given.kwargs) -> Result:
    """Return what `work` returns. One after the other is done, each to its end, also if nobody waits for it any more."""
    working = asyncio.get_running_loop().run_in_executor(_ONE_BY_ONE, lambda: work(*args, **more))
    return await asyncio.shield(working)
