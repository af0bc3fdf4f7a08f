"""What a PyTorch module computes for bags of several sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ._error import ExportError
from ._inputs import Example
from ._outputs import Outputs, flatten
from ._proof import SIZES, TOLERANCE, Expected, deviation, first_line


def run(module: torch.nn.Module, example: Example) -> dict[str, torch.Tensor]:
    """Return the module's outputs by name."""
    return flatten(example.call(module, list(example.tensors.values())))


def expect(
    module: torch.nn.Module, bags: dict[int, Example], outputs: Outputs, seed: int
) -> Expected:
    """Compute the module's scores of bags.

    It raises an ExportError if the module returns other scores for the same bag again, or if it
    accepts fewer than two of the bags.
    """
    found: dict[int, NDArray[np.float64]] = {}
    refused: dict[int, str] = {}
    for k, bag in bags.items():
        try:
            found[k] = _scores(module, bag, outputs.scores)
            again = _scores(module, bag, outputs.scores)
        except Exception as e:  # the module's own, of any kind
            refused[k] = first_line(e)
            continue
        if deviation(again, found[k]) > TOLERANCE:
            raise ExportError(
                "the module returns different scores for the same bag in evaluation mode: "
                "something is random in its forward. Write F.dropout(x, p, self.training) instead "
                "of F.dropout(x, p), and return the mean instead of samples of a distribution"
            )
    if len(found) < 2:
        raise ExportError(
            f"the module accepts bags of {list(found) or 'none'} of {list(SIZES)} instances: "
            + "; ".join(f"{k}: {e}" for k, e in refused.items())
        )
    size = max(found)
    order = np.random.default_rng([seed, 0]).permutation(size)
    permuted = bags[size].take(order)
    scores = _scores(module, permuted, outputs.scores)
    notes = list(outputs.notes)
    if deviation(scores, found[size]) > TOLERANCE:
        notes.append(
            "The module's scores depend on the order of the instances, as with an encoding of "
            "positions: removing one changes the places of others."
        )
    arrays = {k: bags[k].bag() for k in found}
    return Expected(arrays, found, refused, (permuted.bag(), scores), tuple(notes))


def _scores(module: torch.nn.Module, bag: Example, name: str) -> NDArray[np.float64]:
    tensor: Any = run(module, bag)[name]
    numbers: NDArray[np.float64] = tensor.detach().double().numpy().ravel()
    return numbers
