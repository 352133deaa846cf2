"""Table 6: hyperparameters, read from the configuration that the agent LEARNED was trained with."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from vnla.agents.config import AgentConfig
from vnla.evaluation.scores import SUCCESS_RADIUS
from vnla.experiments.paper.published import TABLE_6
from vnla.experiments.paper.results import Results
from vnla.report.document import Group, Item, Row, Table

REFERENCE = "learned"


def items(results: Results, command: str = "") -> list[Item]:
    """The table."""
    rows: list[Row | Group] = []
    for group, values in hyperparameters(results).items():
        rows.append(Group(group))
        rows += [(name, value, TABLE_6[name]) for name, value in values.items()]
    columns = ["Hyperparameter", "Here", "Paper"]
    note = "Of the agent LEARNED; the other trainings differ from it only in what they compare."
    return [Table("table-6", "Table 6: hyperparameters", columns, rows, note, command)]


def hyperparameters(results: Results) -> dict[str, dict[str, str]]:
    """Group → the paper's name of a hyperparameter → its value here."""
    config = results.config(REFERENCE)
    defaults = {each.name: each.default for each in fields(AgentConfig)}
    agent: dict[str, Any] = {**defaults, **config.agent_options}
    training, teacher = config.training, config.teacher
    return {
        "Navigation module": {
            "LSTM hidden size": _text(agent["hidden"]),
            "Number of LSTM layers": _text(agent["layers"]),
            "Word embedding size": _text(agent["word_embedding"]),
            "Navigation action embedding size": _text(agent["nav_embedding"]),
            "Help-requesting action embedding size": _text(agent["ask_embedding"]),
            "Budget embedding size": _text(agent["budget_embedding"]),
            "Image embedding size": f"{results.view_size:,} ({config.features})",
            "Coverage vector size": _text(agent["coverage"]),
        },
        "Help-requesting module": {
            "Hidden size": _text(agent["help_hidden"]),
            "Number of hidden layers": _text(agent["help_layers"]),
            "Activation function": "ReLU",
        },
        "Help-requesting teacher": {
            "Deviation threshold (δ)": _text(teacher.deviation),
            "Uncertainty threshold (ε)": _text(teacher.uncertainty),
            "Non-moving threshold (μ)": _text(teacher.non_moving),
            "Number of actions suggested by a subgoal (k)": _text(config.advisor.k),
        },
        "Training": {
            "Optimizer": "Adam",
            "Number of training iterations": _text(training.iterations),
            "Learning rate": _text(training.learning_rate),
            "Learning rate decay": f"to zero over the last {training.cooldown:.0%}" if training.cooldown else "no",
            "Batch size": _text(training.batch),
            "Weight decay (L2-norm regularization)": _text(training.weight_decay),
            "Dropout ratio": _text(agent["dropout"]),
            "Help-requesting ratio (τ)": _text(training.ratio),
        },
        "Evaluation": {
            "Success radius (d)": _text(SUCCESS_RADIUS),
            "Number of evaluating random seeds": _text(len(results.preset.seeds)),
            "Maximum time budget (L_max)": _text(results.dataset("asknav").budgets.longest),
        },
    }


def _text(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.10f}".rstrip("0").rstrip(".")
