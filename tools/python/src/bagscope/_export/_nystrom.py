"""Nyström attention for bags of every size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

NAMES = {
    "num_landmarks": ("to_qkv", "to_out", "heads", "scale"),
    "n_landmarks": ("qkv_nn", "out_proj", "n_heads", "scale_factor"),
}
"""Attributes of ``NystromAttention`` of the package nystrom-attention, of which TransMIL and its
kin have copies, and of torchmil: the number of landmarks, and what computes with them."""


@contextmanager
def unconditional(module: torch.nn.Module) -> Iterator[None]:
    """Let layers of Nyström attention compute without a condition on the number of instances.

    They pad a bag to a multiple of their landmarks by ``if remainder > 0``, which exporters decide
    once, for the example. Within the block they pad by ``-n % landmarks``, which may be 0.
    """
    layers = [m for m in module.modules() if type(m).__name__ == "NystromAttention" and _known(m)]
    for layer in layers:
        layer.forward = _Forward(layer)
    try:
        yield
    finally:
        for layer in layers:
            del layer.forward


def _known(layer: torch.nn.Module) -> bool:
    """Tell whether a layer has the attributes that are computed with."""
    return "forward" not in vars(layer) and any(
        isinstance(getattr(layer, count, None), int)
        and all(getattr(layer, name, None) is not None for name in others)
        for count, others in NAMES.items()
    )


class _Forward:
    """Computes Nyström attention (Xiong et al. 2021) with the weights of a layer."""

    def __init__(self, layer: torch.nn.Module) -> None:
        self.layer: Any = layer
        self.before = layer.forward

    def __call__(self, x: Tensor, mask: Tensor | None = None, *args: Any, **options: Any) -> Any:
        if mask is not None or any(args) or any(options.values()):
            return self.before(x, mask, *args, **options)
        count = next(name for name in NAMES if hasattr(self.layer, name))
        landmarks: int = getattr(self.layer, count)
        project, out, heads, scale = (getattr(self.layer, name) for name in NAMES[count])
        # -n % landmarks would be negative: the remainder of exported files has the dividend's sign.
        padding = (landmarks - x.shape[1] % landmarks) % landmarks
        padded = F.pad(x, (0, 0, padding, 0))
        q, k, v = (
            part.reshape(x.shape[0], -1, heads, part.shape[-1] // heads).transpose(1, 2)
            for part in project(padded).chunk(3, dim=-1)
        )
        q = q * scale
        means = [t.reshape(x.shape[0], heads, landmarks, -1, t.shape[-1]).mean(3) for t in (q, k)]
        by_landmark = (q @ means[1].transpose(-2, -1)).softmax(-1)
        between = (means[0] @ means[1].transpose(-2, -1)).softmax(-1)
        by_key = (means[0] @ k.transpose(-2, -1)).softmax(-1)
        y = (by_landmark @ _inverse(between, self.layer.pinv_iterations)) @ (by_key @ v)
        if getattr(self.layer, "residual", False):
            y = y + self.layer.res_conv(v)
        merged = y.transpose(1, 2).reshape(x.shape[0], -1, heads * y.shape[-1])
        return out(merged)[:, padding:]


def _inverse(x: Tensor, iterations: int) -> Tensor:
    """Return the iterative pseudoinverse of matrices (equation 11 of the paper)."""
    z = x.transpose(-2, -1) / (x.sum(-1).max() * x.sum(-2).max())
    one = torch.eye(x.shape[-1], dtype=x.dtype)
    for _ in range(iterations):
        xz = x @ z
        z = 0.25 * z @ (13 * one - xz @ (15 * one - xz @ (7 * one - xz)))
    return z
