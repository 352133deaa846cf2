"""`vnla advice`: what an advisor says, beside pictures of the walks; and what visitors of a page said, as a data set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from vnla.cli.console import counting, plain, telling
from vnla.cli.help import CommandGroup
from vnla.common.files import writable, write_text
from vnla.common.registry import options_of


class AdviceGroup(CommandGroup):
    """`vnla advice WORLD` means `vnla advice say WORLD`."""

    default = "say"

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Typer calls this."""
        named = not args or args[0] in self.commands or args[0] == "--help"
        return super().parse_args(ctx, args if named else [self.default, *args])


app = typer.Typer(
    help="Advice: what an advisor says, and what visitors contributed. vnla advice WORLD means vnla advice say WORLD.",
    no_args_is_help=True,
)


@app.command("say", epilog="Example: vnla advice worlds/small --out advice.html")
def say(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="World folder.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page with pictures here.")] = None,
    count: Annotated[int, typer.Option(min=1, max=2000, help="Number of sentences.")] = 200,
    advisor_language: Annotated[
        str, typer.Option(metavar="NAME", help="template, grammar, speaker or openai:MODEL.")
    ] = "grammar",
    advisor_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the advisor, e.g. says=templates; may be repeated."),
    ] = None,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only in the houses of this split. [default: all]")
    ] = None,
    k: Annotated[int, typer.Option(min=1, max=8, help="Number of actions that a sentence describes.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of where the agents are and of what is said.")] = 0,
) -> None:
    """Show what an advisor says to agents in the houses of a world, as a list or beside pictures.

    Example: vnla advice worlds/small --split test --k 8 --count 20 --advisor-option says=synonyms
    """
    from vnla.houses.folder import read_world
    from vnla.language.facts import world_facts
    from vnla.language.registry import advisor_named
    from vnla.language.speaker.advisor import SpeakerAdvisor
    from vnla.report.advice import advice_examples, advice_page

    if out is not None:
        writable(out)
    options = options_of(advisor_option or [], "--advisor-option")
    advisor = advisor_named(advisor_language, options, k=k)
    folder = read_world(world)
    if split is not None:
        folder = replace(folder, houses=folder.split(split))
    with telling() as tell:
        houses = len(folder.houses)
        for _ in world_facts(folder, counting(tell, "looking around in the houses", houses)):
            pass
        if isinstance(advisor, SpeakerAdvisor):
            for _ in advisor.composed(folder, counting(tell, "composing what is said", houses)):
                pass
        advised = advice_examples(folder, advisor, count, seed)
        drawn = counting(tell, "drawing what is seen", count)
        page = advice_page(f"Advice in {world.name}", folder, advised, drawn) if out is not None else ""
    if out is None:
        for each in advised:
            plain().print(each.said or "…", soft_wrap=True, markup=False, highlight=False)
    else:
        write_text(out, page)
        typer.echo(f"written: {out}")


@app.command("export", epilog="Example: vnla advice export given --record sessions")
def export(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to make; it must not exist yet.")],
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of vnla serve --record. [default: in the user's cache]")
    ] = None,
) -> None:
    """Write what visitors of vnla serve --collect-advice contributed, as Parquet with a card and as walks with sentences.

    What visitors have withdrawn is left out. The server may keep running. Needs pip install 'vnla[parquet]'.
    """
    from vnla.cli.serve import check_installed
    from vnla.common.files import existing_file, vacant

    check_installed()
    from vnla.serve.contributions.export import SENTENCES, export_advice
    from vnla.serve.contributions.store import STORE, ContributionStore
    from vnla.serve.keys import read_key
    from vnla.serve.worlds import cache_folder

    vacant(out)
    folder = record or cache_folder() / "sessions"
    existing_file(folder / STORE, "what visitors gave")
    store = ContributionStore(folder, read_key(folder, "these sessions"))
    made = export_advice(store.everything(), out, f"vnla advice export {out.name}")
    typer.echo(f"{out}: {made.rows:,} sentences of {made.contributors:,} contributors; {made.sentences:,} in {SENTENCES}")
