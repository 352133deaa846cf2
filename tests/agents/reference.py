"""The agent's equations in NumPy, for one agent at a time and with nothing left out, reused or rearranged.

Written from section 6.1 of the paper and from what is known of the authors' model. The instruction is encoded as a whole
whenever it changes; inputs are concatenated before they meet one matrix; m' = m + W_c·v + b is made for every word. The
parameters are those of a `vnla.agents.agent.Agent`, by name; where it keeps a matrix in parts, the parts are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vnla.agents.paper import PaperAgent

Array = NDArray[np.float64]


class Layer(NamedTuple):
    """State of one LSTM layer."""

    hidden: Array
    cell: Array


class Pass(NamedTuple):
    """What one decoding pass gives."""

    logits: Array  # (6,)
    decoder: Array  # (hidden,)
    attended: Array  # (hidden,)
    weights: Array  # (words,)
    state: list[Layer]


def instruction(end_goal: Sequence[int], said: Sequence[int], end_mark: int) -> list[int]:
    """What the encoder reads: subgoal with its full stop and end-goal, all of it backwards, then the end mark."""
    return [*reversed([*said, *end_goal]), end_mark]


class Reference:
    """π_nav and π_ask without dropout."""

    def __init__(self, agent: PaperAgent) -> None:
        self.values = {name: each.detach().double().numpy() for name, each in agent.named_parameters()}
        self.config = agent.config

    def encode(self, tokens: Sequence[int]) -> Array:
        """The attention memory: (words, hidden)."""
        state = self.start()
        memory = []
        for token in tokens:
            values = self["navigation.encoder.embedding.weight"][token]
            for i in range(self.config.layers):
                cell = f"navigation.encoder.cells.{i}"
                state[i] = self._lstm(
                    values, state[i], self[f"{cell}.input.weight"], self[f"{cell}.recurrent.weight"],
                    self[f"{cell}.input.bias"] + self[f"{cell}.recurrent.bias"],
                )  # fmt: skip
                values = state[i].hidden
            memory.append(values)
        return np.stack(memory)

    def start(self) -> list[Layer]:
        """Zero vectors."""
        zero = np.zeros(self.config.hidden)
        return [Layer(zero, zero)] * self.config.layers

    def decode(self, view: Array, nav: int, ask: int, state: Sequence[Layer], memory: Array, coverage: Array) -> Pass:
        """One pass of the decoder with last actions `nav` and `ask`."""
        here = "navigation."
        parts = [self[f"{here}{name}_input.weight"] for name in ("view", "nav", "ask")]
        values = np.concatenate([view, self[f"{here}nav_embedding.weight"][nav], self[f"{here}ask_embedding.weight"][ask]])
        bias = self[f"{here}view_input.bias"] + self[f"{here}recurrent.bias"]
        after = [self._lstm(values, state[0], np.concatenate(parts, axis=1), self[f"{here}recurrent.weight"], bias)]
        for i, before in enumerate(state[1:]):
            cell = f"{here}upper_cells.{i}"
            bias = self[f"{cell}.input.bias"] + self[f"{cell}.recurrent.bias"]
            weight, recurrent = self[f"{cell}.input.weight"], self[f"{cell}.recurrent.weight"]
            after.append(self._lstm(after[-1].hidden, before, weight, recurrent, bias))
        hidden = after[-1].hidden
        uncovered = self._uncovered(memory, coverage)
        weights = softmax(uncovered @ (self[f"{here}attention.query.weight"] @ hidden))
        summary = weights @ uncovered
        attended = np.tanh(self[f"{here}attention.combine.weight"] @ np.concatenate([summary, hidden]))
        logits = self[f"{here}output.weight"] @ attended + self[f"{here}output.bias"]
        return Pass(logits, hidden, attended, weights, after)

    def cover(self, decoded: Pass, memory: Array, coverage: Array) -> Array:
        """The next coverage (words, coverage): a GRU for each word, with input [m'; h^dec; attention weight]."""
        here = "navigation.attention.cover"
        parts = self[f"{here}_context.weight"], self[f"{here}_hidden.weight"], self[f"{here}_weight"][:, None]
        weight, bias = np.concatenate(parts, axis=1), self[f"{here}_context.bias"]
        recurrent, recurrent_bias = self[f"{here}_recurrent.weight"], self[f"{here}_recurrent.bias"]
        rows = []
        for word, before, share in zip(self._uncovered(memory, coverage), coverage, decoded.weights, strict=True):
            of_input = weight @ np.concatenate([word, decoded.decoder, [share]]) + bias
            of_state = recurrent @ before + recurrent_bias
            reset_in, update_in, new_in = np.split(of_input, 3)
            reset_by, update_by, new_by = np.split(of_state, 3)
            reset, update = sigmoid(reset_in + reset_by), sigmoid(update_in + update_by)
            rows.append((1 - update) * np.tanh(new_in + reset * new_by) + update * before)
        return np.stack(rows)

    def help(self, view: Array, tentative: Array, decoded: Pass, budget: int) -> Array:
        """Logits of (do nothing, request)."""
        embedded = self["help.budget_embedding.weight"][min(budget, self.config.largest_budget)]
        values = np.concatenate([view, tentative, decoded.decoder, decoded.attended, embedded])
        for i in range(self.config.help_layers):
            values = np.maximum(0, self[f"help.hidden.{3 * i}.weight"] @ values + self[f"help.hidden.{3 * i}.bias"])
        logits = self["help.output.weight"] @ values + self["help.output.bias"]
        return logits if budget > 0 else np.array([logits[0], -np.inf])

    def __getitem__(self, name: str) -> Array:
        return self.values[name]

    def _uncovered(self, memory: Array, coverage: Array) -> Array:
        here = "navigation.attention.uncover"
        return memory + coverage @ self[f"{here}.weight"].T + self[f"{here}.bias"]

    @staticmethod
    def _lstm(values: Array, state: Layer, weight: Array, recurrent: Array, bias: Array) -> Layer:
        enter, forget, candidate, leave = np.split(weight @ values + recurrent @ state.hidden + bias, 4)
        cell = sigmoid(forget) * state.cell + sigmoid(enter) * np.tanh(candidate)
        return Layer(sigmoid(leave) * np.tanh(cell), cell)


def sigmoid(values: Array) -> Array:
    """The logistic function."""
    return 1 / (1 + np.exp(-values))


def softmax(values: Array) -> Array:
    """Probabilities of logits; -inf is impossible."""
    raised = np.exp(values - values.max())
    return raised / raised.sum()
