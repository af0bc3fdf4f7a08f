"""One game in three programs: a module of PyTorch, the same split by hand, and bagscope.

A game returns the probability of a class for coalitions (n, k) of zeros and ones. The empty
coalition, which no model takes, has the value 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from network import Network, Weighted, normalised
from torch import Tensor, nn

import bagscope

Game = Callable[[np.ndarray], np.ndarray]


class Module:
    """A module that predicts the members of each coalition, as a user of PyTorch writes it."""

    def __init__(self, path: Path, pixels: np.ndarray, class_: int) -> None:
        self.network, self.bag, self.class_ = Network(path), normalised(path, pixels), class_

    @torch.no_grad()
    def __call__(self, coalitions: np.ndarray) -> np.ndarray:
        """Return the probability for each coalition."""
        out = np.zeros(len(coalitions))
        for j, members in enumerate(np.asarray(coalitions) != 0):
            if members.any():
                out[j] = self.network(self.bag[:, members]).softmax(-1)[0, self.class_]
        return out


class Split:
    """A network of attention whose instances are encoded once.

    Attributes
    ----------
    attention : Tensor
        Attention before the softmax (k,).
    instances : Tensor
        Encoded instances (k, d).
    """

    def __init__(self, path: Path, pixels: np.ndarray) -> None:
        network = Network(path)
        pool = next(m for m in network.layers.values() if isinstance(m, Weighted))
        softmax = next(m for m in network.layers.values() if isinstance(m, nn.Softmax))
        layers = list(network.layers.values())
        self.head = nn.Sequential(*layers[layers.index(pool) + 1 :])
        softmax.register_forward_pre_hook(self._keep_attention)
        pool.register_forward_pre_hook(self._keep_instances)
        with torch.no_grad():
            network(normalised(path, pixels))

    def _keep_attention(self, _: nn.Module, inputs: tuple[Tensor]) -> None:
        self.attention = inputs[0][0, 0]

    def _keep_instances(self, _: nn.Module, inputs: tuple[Tensor, Tensor]) -> None:
        self.instances = inputs[1][0]


def split_game(path: Path, pixels: np.ndarray, class_: int) -> Game:
    """Return the game of a network that an expert has split: coalitions are pooled in a batch."""
    split = Split(path, pixels)

    @torch.no_grad()
    def game(coalitions: np.ndarray) -> np.ndarray:
        members = torch.tensor(np.atleast_2d(coalitions) != 0)
        weights = split.attention.expand(members.shape).masked_fill(~members, -torch.inf)
        pooled = weights.softmax(-1) @ split.instances
        scores = split.head(pooled).softmax(-1)[:, class_]
        return torch.where(members.any(1), scores, 0).double().numpy()

    return game


class Recorded:
    """A game that records what it is called with, and the processor time inside of it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.coalitions: list[np.ndarray] = []
        self.inside = 0.0

    def __call__(self, coalitions: np.ndarray) -> np.ndarray:
        """Return the probability for each coalition."""
        start = time.process_time()
        out = self.game(coalitions)
        self.inside += time.process_time() - start
        self.coalitions.append(np.atleast_2d(coalitions) != 0)
        return out


def reference(
    path: Path, pixels: np.ndarray, class_: int, permutations: int
) -> tuple[np.ndarray, float]:
    """Return the Shapley values (k,) of random permutations, and their largest standard error.

    Sums of the split network grow along a permutation, in float64 and without bagscope.
    """
    split = Split(path, pixels)
    head = split.head.double()
    weights = (split.attention - split.attention.max()).double().exp()[:, None]
    products = weights * split.instances.double()
    generator = torch.Generator().manual_seed(1)
    k = len(products)
    total, squares = torch.zeros(k).double(), torch.zeros(k).double()
    with torch.no_grad():
        for _ in range(permutations):
            order = torch.randperm(k, generator=generator)
            pooled = products[order].cumsum(0) / weights[order].cumsum(0)
            values = head(pooled).softmax(-1)[:, class_]
            gains = values.diff(prepend=torch.zeros(1).double())
            total[order] += gains
            squares[order] += gains**2
    mean = total / permutations
    deviation = (squares / permutations - mean**2).clamp(min=0).sqrt()
    return mean.numpy(), float(deviation.max() / permutations**0.5)


def cpu_seconds() -> float:
    """Return the processor time of this process and of the engine.

    It does not depend on other programs of the machine as the clock does.
    """
    pid = bagscope._process.engine().process.pid
    # The clock of another process, as clock_getcpuclockid computes it on Linux.
    return time.process_time() + time.clock_gettime((~pid << 3) | 2)


def timed(work: Callable[[], np.ndarray], repeats: int) -> tuple[np.ndarray, float]:
    """Return a result and the least processor time of several runs in seconds."""
    times = []
    for _ in range(repeats):
        start = cpu_seconds()
        out = work()
        times.append(cpu_seconds() - start)
    return out, min(times)
