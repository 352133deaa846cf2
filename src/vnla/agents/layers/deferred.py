"""Linear layers whose weight gradient is one product at the end of an episode instead of one at every step.

An episode applies the same weights 25 times to a batch of a hundred. Summing 25 thin products into a large matrix moves more
memory than it does arithmetic; putting the inputs and output gradients of all steps together first makes it one well-shaped
product. The result is the same sum. After `backward()` call `collect_gradients(module)`, which does it for every such layer.

The products themselves are those of `vnla.agents.layers.products`.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from vnla.agents.layers.products import Products, precision, weight_gradients
from vnla.agents.layers.registry import make_products

Pending = list[tuple[Tensor, Tensor]]
"""Inputs and gradients of outputs, call for call."""


@runtime_checkable
class Deferring(Protocol):
    """A module that computes some gradients only when they are collected."""

    def collect(self) -> None:
        """Add the gradients of everything since the last time to the parameters."""


class DeferredLinear(nn.Linear):
    """`nn.Linear` over (…, features) that keeps what its weight gradient needs until it is collected.

    The weights are made ready for products once for each of their values, not at every step.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__(in_features, out_features, bias)
        self.pending: Pending = []
        self._ready: tuple[tuple[object, ...], Products] | None = None

    def forward(self, values: Tensor, fixed: Tensor | None = None) -> Tensor:
        """Return the layer's output; `values` may have any number of leading dimensions.

        `fixed` are inputs before the others that nobody wants the gradient of.
        """
        rows, products = values.flatten(0, -2), self.products
        if not torch.is_grad_enabled():
            result = products.forward(products.inputs(_joined(rows, fixed)))
        else:
            kept = self.pending if self.weight.requires_grad else None
            result = _Deferred.apply(rows, fixed, self.weight, products, kept)  # type: ignore[no-untyped-call]
        return result.view(*values.shape[:-1], self.out_features)  # there may be no rows

    @property
    def products(self) -> Products:
        """The products with this weight, in the precision that is asked for."""
        dtype = precision(self.weight.device)
        parameters = (self.weight,) if self.bias is None else (self.weight, self.bias)
        state = (dtype, *((each.data_ptr(), each._version) for each in parameters))
        if self._ready is None or self._ready[0] != state:
            bias = None if self.bias is None else self.bias.detach()
            self._ready = state, make_products(self.weight.detach(), bias, dtype)
        return self._ready[1]

    @torch.no_grad()
    def collect(self) -> None:
        """Add the gradient of everything since the last time to the parameters."""
        self._ready = None  # not every optimiser tells that it changed the weights, but this is when it does
        if not self.pending:
            return
        inputs, outputs = ([each[i] for each in self.pending] for i in (0, 1))
        self.pending.clear()
        weight, bias = weight_gradients(inputs, outputs)
        _add(self.weight, weight)
        if self.bias is not None:
            _add(self.bias, bias)


class _Deferred(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, values: Tensor, fixed: Tensor | None, _: Tensor, products: Products, pending: Pending | None
    ) -> Tensor:
        """Return the third argument is the parameter itself: it tells autograd that somebody learns here."""
        ctx.inputs = products.inputs(_joined(values, fixed))
        ctx.first = 0 if fixed is None else fixed.shape[1]
        ctx.products, ctx.pending = products, pending
        return products.forward(ctx.inputs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        outputs = ctx.products.outputs(gradients[0])
        if ctx.pending is not None:
            ctx.pending.append((ctx.inputs, outputs))
        return ctx.products.backward(outputs, ctx.first) if ctx.needs_input_grad[0] else None, None, None, None, None


def _joined(values: Tensor, fixed: Tensor | None) -> Tensor:
    return values if fixed is None else torch.cat([fixed, values], dim=1)


def collect_gradients(module: nn.Module) -> None:
    """Complete the gradients of every part of `module` that defers some, after `backward()`."""
    for part in module.modules():
        if isinstance(part, Deferring):
            part.collect()


def _add(parameter: Tensor, gradient: Tensor) -> None:
    gradient = gradient.to(parameter.dtype)
    parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
