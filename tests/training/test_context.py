"""Who takes part in a run: agents of all that there is to see and say, and advisors that a graph cannot hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from cottage_run import write_cottage
from vnla.agents.paper import PaperAgent
from vnla.assistance.advisor import Lexicon, TemplateAdvisor, TemplateVoice
from vnla.common.errors import InputError
from vnla.training.config import RunConfig, TrainingConfig
from vnla.training.context import make_agent, make_context, vocabulary_of
from vnla.training.data import RunData
from vnla.training.trainer import Trainer, uncaptured


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    world, tasks = write_cottage(tmp_path_factory.mktemp("cottage"))
    sizes = {"hidden": 8, "help_hidden": 8, "word_embedding": 4}
    return RunConfig(str(world), str(tasks), "symbolic", training=TrainingConfig(batch=4), agent_options=sizes)


@pytest.fixture(scope="module")
def data(config: RunConfig) -> RunData:
    return RunData.load(config)


def test_an_agent_sees_every_kind_of_view(config: RunConfig, data: RunData) -> None:
    (views,) = data.views.values()
    both = replace(data, views={"all": views, "some": views[:, :3]})
    agent = make_agent(config, both)
    assert isinstance(agent, PaperAgent) and agent.config.view_size == views.shape[1] + 3
    context = make_context(config, both, agent, training=True)
    trainer = Trainer(context, both.training_tasks(), config.training, learns_to_ask=True)
    assert float(trainer.iterate().nav) > 0


def test_a_run_has_the_words_of_its_advisor(config: RunConfig, data: RunData) -> None:
    assert vocabulary_of(config, data) is data.dataset.vocabulary
    seven = vocabulary_of(replace(config, advisor=TemplateAdvisor(k=7)), data)
    assert seven.words[len(data.dataset.vocabulary) :] == ("150", "180", "210", "5", "6", "7")


class Spontaneous(TemplateVoice):
    """A voice that looks something up on the host."""

    captured = False


@dataclass(frozen=True)
class Talker(TemplateAdvisor):
    """An advisor with such a voice."""

    def ready(self, lexicon: Lexicon, device: object = "cpu") -> Spontaneous:
        bound_advisor = super().ready(lexicon, str(device))
        return Spontaneous(bound_advisor.advisor, bound_advisor.phrases)


def test_who_cannot_be_captured_is_named(config: RunConfig, data: RunData) -> None:
    context = make_context(config, data, make_agent(config, data), training=True)
    assert uncaptured(context) is None
    talking = make_context(replace(config, advisor=Talker()), data, context.agent, training=True)
    assert uncaptured(talking) == "Spontaneous"


def test_what_is_no_agent_is_refused(config: RunConfig, data: RunData) -> None:
    with pytest.raises(
        InputError, match=r"agent collections:UserDict: is neither a class made from vnla\.agents\.agent\.Agent"
    ):
        make_agent(replace(config, agent="collections:UserDict", agent_options={}), data)
