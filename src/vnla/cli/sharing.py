"""What commands have in common that many machines can share: the option `--shard`, and the line on a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from vnla.cli.console import plain, print_json
from vnla.pipeline.shards.shard import HELP, Shard

if TYPE_CHECKING:
    from vnla.pipeline.shards.parts import ShardParts

ShardOption = Annotated[str | None, typer.Option(metavar="I/N", help=HELP)]


def say_part(parts: ShardParts, shard: Shard, made: Mapping[str, int], new: bool, as_json: bool = False) -> None:
    """A line on the part of a shard, which is `new` or was there already."""
    what = "written" if new else "there already"
    if as_json:
        print_json({"out": str(parts.place(shard)), "shard": str(shard), "status": what, **made})
        return
    counts = ", ".join(f"{count:,} {name}" for name, count in made.items())
    plain().print(f"shard {shard} {what}: {parts.place(shard)}, {counts}; --shard merge puts all together", soft_wrap=True)
