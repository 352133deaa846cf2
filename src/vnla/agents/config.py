"""Sizes of the agent, with the values of the paper's hyperparameter table."""

from __future__ import annotations

from dataclasses import dataclass, fields

from vnla.common.options import option
from vnla.common.outside import check_fields

LARGEST_SIZE = 1 << 16
MOST_LAYERS = 64


@dataclass(frozen=True)
class AgentConfig:
    """Everything that determines the agent's parameters, and its dropout."""

    words: int
    """Size of the vocabulary."""
    view_size: int = 2048
    """Length of a view's feature vector."""
    hidden: int = option(512, "Hidden size of LSTMs and help module.", min=1)
    """LSTM hidden size, of encoder and decoder."""
    layers: int = option(1, "LSTM layers.", min=1)
    word_embedding: int = 256
    pieces: int = 0
    """Number of vectors for pieces of words (`vnla.agents.spelling`), 2048, say; 0: words are known whole or not at all."""
    meanings: bool = False
    """With `pieces`: words that WordNet has as synonyms share vectors, so that a word never heard may be understood."""
    nav_embedding: int = 32
    ask_embedding: int = 32
    budget_embedding: int = 16
    coverage: int = 10
    """Length of a coverage vector; one for each word of the instruction."""
    help_hidden: int = 512
    """Hidden size of the help-requesting module."""
    help_layers: int = 1
    """Number of its hidden layers."""
    dropout: float = option(0.5, "Dropout ratio.", min=0, max=0.95)
    largest_budget: int = 19
    """Largest help budget that has an embedding of its own; larger ones share it."""
    trains_budget_embedding: bool = True
    """False leaves the budget embedding as it was drawn, as the authors' code does by stopping gradients before it."""

    def __post_init__(self) -> None:
        sizes = {each.name: (1, LARGEST_SIZE) for each in fields(self) if each.type == "int"}
        others = {
            "words": (1, 1 << 32),
            "view_size": (1, 1 << 24),
            "layers": (1, MOST_LAYERS),
            "help_layers": (0, MOST_LAYERS),
            "pieces": (0, LARGEST_SIZE),
            "largest_budget": (0, 1 << 16),
        }
        check_fields(self, **(sizes | others), dropout=(0, 0.99))
