"""Linear layers whose weight gradient is one product at the end of an episode instead of one at every step.

An episode applies the same weights 25 times to a batch of a hundred. Summing 25 thin products into a large matrix moves more
memory than it does arithmetic; putting the inputs and output gradients of all steps together first makes it one well-shaped
product. The result is the same sum. After `backward()` call `collect_gradients(module)`, which does it for every such layer.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

Operands = tuple[Tensor, Tensor | None]


@runtime_checkable
class Deferring(Protocol):
    """A module that computes some gradients only when they are collected."""

    def collect(self) -> None:
        """Add the gradients of everything since the last time to the parameters."""


class DeferredLinear(nn.Linear):
    """`nn.Linear` over (…, features) that keeps what its weight gradient needs until it is collected.

    Under mixed precision its weights are converted once for each of their values, not at every step.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__(in_features, out_features, bias)
        self.pending: list[tuple[Tensor, Tensor]] = []
        self._converted: tuple[tuple[torch.dtype, int], Operands] | None = None

    def forward(self, values: Tensor) -> Tensor:
        """The layer's output; `values` may have any number of leading dimensions."""
        weight, bias = self._operands(values.device.type)
        if not torch.is_grad_enabled() or not self.weight.requires_grad:
            return nn.functional.linear(values.to(weight.dtype), weight, bias)
        result: Tensor = _Deferred.apply(values, self.weight, weight, bias, self.pending)  # type: ignore[no-untyped-call]
        return result

    @torch.no_grad()
    def collect(self) -> None:
        """Add the gradient of everything since the last time to the parameters."""
        if not self.pending:
            return
        inputs = torch.cat([values.flatten(0, -2) for values, _ in self.pending])
        outputs = torch.cat([gradient.flatten(0, -2) for _, gradient in self.pending])
        self.pending.clear()
        _add(self.weight, outputs.T @ inputs.to(outputs.dtype))
        if self.bias is not None:
            _add(self.bias, outputs.sum(dim=0))

    def _operands(self, device: str) -> Operands:
        """Weight and bias in the precision that products are computed in."""
        if not torch.is_autocast_enabled(device):
            return self.weight, self.bias
        wanted = torch.get_autocast_dtype(device), self.weight._version
        if self._converted is None or self._converted[0] != wanted:
            bias = None if self.bias is None else self.bias.detach().to(wanted[0])
            self._converted = wanted, (self.weight.detach().to(wanted[0]), bias)
        return self._converted[1]


class _Deferred(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, values: Tensor, _: Tensor, weight: Tensor, bias: Tensor | None, pending: list[tuple[Tensor, Tensor]]
    ) -> Tensor:
        """The second argument is the parameter itself: it tells autograd that somebody learns here."""
        values = values.to(weight.dtype)
        ctx.save_for_backward(values, weight)
        ctx.pending = pending
        return nn.functional.linear(values, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = gradients
        values, weight = ctx.saved_tensors
        ctx.pending.append((values, gradient))
        onward = gradient @ weight.to(gradient.dtype) if ctx.needs_input_grad[0] else None
        return onward, None, None, None, None


def collect_gradients(module: nn.Module) -> None:
    """Complete the gradients of every part of `module` that defers some, after `backward()`."""
    for part in module.modules():
        if isinstance(part, Deferring):
            part.collect()


def _add(parameter: Tensor, gradient: Tensor) -> None:
    gradient = gradient.to(parameter.dtype)
    parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
