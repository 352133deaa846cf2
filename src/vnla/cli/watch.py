"""`vnla watch`: one episode, told step by step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from vnla.cli.options import BudgetSeedOption, ForwardOption, OneCheckpointOption, RatioOption, RunArgument, TasksOption
from vnla.report.printing import SafeConsole

if TYPE_CHECKING:
    from torch import Tensor

    from vnla.houses.folder import WorldFolder
    from vnla.language.dialogue import Asking
    from vnla.language.surroundings import Surroundings
    from vnla.report.film import Images
    from vnla.report.story import Account, EpisodeStep
    from vnla.serve.events import Pose
    from vnla.serve.places import PlaceNames
    from vnla.serve.reading import AdviceReader
    from vnla.serve.terminal import PersonsAnswer, TerminalEpisode


def watch(
    run: RunArgument,
    episode: Annotated[str | None, typer.Option(metavar="ID", help="Id of a task. [default: the split's first]")] = None,
    split: Annotated[
        str, typer.Option(metavar="NAME", help="val_seen, val_unseen, test_seen or test_unseen.")
    ] = "test_unseen",
    seed: BudgetSeedOption = 123,
    ratio: RatioOption = None,
    checkpoint: OneCheckpointOption = "val_unseen",
    world: Annotated[Path | None, typer.Option(metavar="DIR", help="World. [default: the run's, or the small one]")] = None,
    tasks: TasksOption = None,
    forward: ForwardOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Draw a film strip and an animated map into this folder.")
    ] = None,
    video: Annotated[bool, typer.Option("--video", help="Also write the animated map as MP4; needs ffmpeg.")] = False,
    ask: Annotated[bool, typer.Option("--ask", help="Be the agent's advisor: type an answer whenever it asks.")] = False,
    price: Annotated[
        int, typer.Option(min=0, max=100, help="With --ask: number of requests that a question back to you costs the agent.")
    ] = 1,
    device: Annotated[str, typer.Option(help="cpu, cuda.")] = "cpu",
) -> None:
    """Show one episode step by step: the task, where the agent was, how sure it was, what it was told, and what it did.

    Example: vnla watch runs/learned --split test_unseen --out pictures

    Example: vnla watch runs/learned --ask

    Example: vnla watch pretrained
    """
    from vnla.cli.embedded import open_run
    from vnla.common.files import file_name
    from vnla.common.machine import device_named
    from vnla.evaluation.evaluate import run_task, task_named
    from vnla.report.episodes import images_of
    from vnla.report.story import follow, put_into_words
    from vnla.serve.terminal import TerminalEpisode
    from vnla.training.context import make_context, vocabulary_of

    with Console(stderr=True).status("loading …"):
        trained = open_run(run, world=world, tasks=tasks, device=device_named(device), forward=forward)
        config, material = trained.config, trained.material
        context = make_context(config, material, trained.agent(checkpoint), training=False)
        task_set = material.evaluation_tasks(split)
    name = episode or task_set.tasks[0].id
    share = config.with_ratio(ratio).help(training=False).ratio
    task = task_named(task_set, name)
    house = next(each for each in material.folder.houses if each.name == task.house)
    if ask:
        words = vocabulary_of(config, material)
        account = _with_a_person(TerminalEpisode(context, task_set, task, house, words, seed, share), material.folder, price)
    else:
        account = follow(run_task(context, task_set, name, seed=seed, ratio=share), 0, house, task, context.advisor)
    SafeConsole().print(put_into_words(account))
    if out is not None:
        _draw(account, out / file_name(name), images_of(material.folder, house, (320, 240)), video=video)


def _draw(account: Account, stem: Path, images: Images | None, *, video: bool) -> None:
    """Draw a film strip and a moving map, and say where."""
    from vnla.report.animation import write_animation
    from vnla.report.film import draw_strip

    wanted = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "gif", *(["mp4"] if video else []))]
    draw_strip(account, wanted[0], images)
    for path in wanted[1:]:
        write_animation(account, path, images)
    for path in wanted:
        typer.echo(f"drawn: {path}")


def _with_a_person(walked: TerminalEpisode, folder: WorldFolder, price: int) -> Account:
    """An episode in which whoever sits at the terminal is the advisor."""
    from vnla.language.dialogue import Asking
    from vnla.language.surroundings import Surroundings
    from vnla.serve.places import PlaceNames
    from vnla.serve.reading import AdviceReader
    from vnla.serve.terminal import walk_with

    places = PlaceNames([walked.house])
    with Console(stderr=True).status("looking around in the house …"):
        around = Surroundings.of(folder, walked.house)
    reader = AdviceReader(folder, places, walked.words, walked.context.advisor, {walked.house.name: around})
    person = _Person(walked, around, places, reader, Asking(price), SafeConsole(highlight=False, markup=False))
    return walk_with(walked, person.answer)


@dataclass(frozen=True)
class _Person:
    """Whoever sits at the terminal."""

    walked: TerminalEpisode
    around: Surroundings
    places: PlaceNames
    reader: AdviceReader
    asking: Asking
    console: SafeConsole

    def answer(self, account: Account, step: EpisodeStep, left: Tensor) -> PersonsAnswer:
        """What is typed at a step at which the agent asks with so many requests left."""
        from vnla.camera import HEADINGS
        from vnla.serve.events import Pose
        from vnla.serve.terminal import PersonsAnswer

        self._tell(account, step)
        row, heading = divmod(step.view, HEADINGS)
        pose = Pose(viewpoint=self.places.viewpoints(self.walked.house)[step.viewpoint], heading=heading, row=row)
        paid = 0
        while True:
            text = self._typed("Tell it the way (Enter: as the advisor would, -: nothing): ")
            if text in ("", "-"):
                return PersonsAnswer(step.said if not text else None, paid)
            found = self.reader.read(text, pose)
            strange = ", ".join(f"“{text[start:end]}”" for start, end, good in found.parts if not good)
            told = f" Not understood: {strange}." if strange else ""
            chosen, more = self._asked_back(text, pose, left - paid)
            paid += more
            because = f" ({found.why})" if found.why and not chosen else ""
            self.console.print(f"Understood as: {chosen or found.understood or 'nothing'}{because}.{told}")
            if found.plans and not chosen:
                self.console.print(f"It could also mean: {found.plans[1].understood}.")
            if chosen or found.understood is not None:
                return PersonsAnswer(chosen or found.understood, paid)

    def _asked_back(self, text: str, pose: Pose, left: Tensor) -> tuple[str | None, int]:
        """What was meant, and what asking cost, where a text may mean several things and there are requests left to ask."""
        from vnla.episode import may_ask_back

        question = self.reader.ask_back(text, pose, self.asking) if may_ask_back(left, self.asking.price) else None
        if question is None:
            return None, 0
        cost = "no request" if not self.asking.price else f"{self.asking.price} more of its {int(left) - 1} requests"
        self.console.print(f"It asks back, for {cost}: {question}")
        return self.reader.chosen(self._typed("Which (Enter: none of them)? "), question), self.asking.price

    def _typed(self, prompt: str) -> str:
        try:
            return input(prompt).strip()
        except EOFError:
            return "-"

    def _tell(self, account: Account, step: EpisodeStep) -> None:
        """Say where it is, what is in view, and what the advisor would say."""
        from vnla.report.story import compass, place
        from vnla.serve.terminal import in_view

        if step.number == next(each.number for each in account.steps if each.asks):
            self.console.print(f"“{account.end_goal}.” You are its advisor.")
        house = self.walked.house
        where = f"{place(house, step.viewpoint)} and looks {compass(step.view)}"
        self.console.print(f"Step {step.number + 1}: it is {where}, {step.metres_left:.1f} m from the goal, and asks.")
        seen = ", ".join(in_view(self.around, house.viewpoints[step.viewpoint].id, step.view))
        self.console.print(f"In view: {seen or 'nothing of note'}.")
        self.console.print(f"The advisor would say: {step.said or 'nothing'}.")
