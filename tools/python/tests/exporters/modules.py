"""Modules of multiple instance learning that exporters write well, badly or not at all."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Attention(nn.Module):
    """Attention pooling, which also returns the weights of the instances."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(8, 16)
        self.weigh = nn.Linear(16, 1)
        self.classify = nn.Linear(16, 3)

    def forward(self, bag: Tensor) -> dict[str, Tensor | None]:
        h = self.encode(bag).relu()
        weights = self.weigh(h).softmax(0)
        logits = self.classify((weights * h).sum(0))
        return {
            "probabilities": logits.softmax(0),
            "logits": logits,
            "loss": None,
            "attention": weights.squeeze(1),
        }


class FixedPool(nn.Module):
    """Pools with a Python number of instances."""

    def __init__(self) -> None:
        super().__init__()
        self.weigh = nn.Linear(16, 1)

    def forward(self, h: Tensor) -> Tensor:
        k = round(float(h.shape[0]))
        return self.weigh(h).reshape(1, k).softmax(1) @ h


class Fixed(nn.Module):
    """Is correct but for its pooling layer."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(8, 16)
        self.pool = FixedPool()
        self.classify = nn.Linear(16, 3)

    def forward(self, bag: Tensor) -> Tensor:
        return self.classify(self.pool(self.encode(bag).relu()))


class Square(nn.Module):
    """Pads a bag to a square and convolves it, as TransMIL does."""

    def __init__(self, by: str) -> None:
        super().__init__()
        self.by = by
        self.convolve = nn.Conv2d(8, 4, 3, padding=1)
        self.classify = nn.Linear(4, 2)

    def forward(self, bag: Tensor) -> Tensor:
        n = bag.shape[0]
        roots = {
            "numpy": lambda: int(np.ceil(np.sqrt(n))),
            "math": lambda: math.ceil(math.sqrt(len(bag))),
        }
        side = roots[self.by]()
        square = torch.cat([bag, bag[: side * side - n]])
        picture = square.T.reshape(1, 8, side, side)
        return self.classify(self.convolve(picture).relu().mean((2, 3)))[0]


class Item(nn.Module):
    """Subtracts a mean that Python computed."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(8, 16)
        self.classify = nn.Linear(16, 3)

    def forward(self, bag: Tensor) -> Tensor:
        h = self.encode(bag).relu()
        mean = h.mean().item()
        return self.classify((h - mean).amax(0))


class Loop(nn.Module):
    """Adds instances in a loop of Python."""

    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(8, 16)
        self.classify = nn.Linear(16, 3)

    def forward(self, bag: Tensor) -> Tensor:
        total = torch.zeros(16)
        for i in range(bag.shape[0]):
            total = total + self.encode(bag[i])
        return self.classify(total / bag.shape[0])


class Mean(nn.Module):
    """A module of batches, (1, k, 8)."""

    def __init__(self) -> None:
        super().__init__()
        self.dropout = nn.Dropout(0.5)
        self.classify = nn.Linear(8, 2)

    def forward(self, bags: Tensor) -> Tensor:
        return self.classify(self.dropout(bags).mean(1))


class AlwaysDropout(Mean):
    """Drops in evaluation too."""

    def forward(self, bags: Tensor) -> Tensor:
        return self.classify(F.dropout(bags.mean(1)))


class Places(nn.Module):
    """Takes features and coordinates."""

    def __init__(self) -> None:
        super().__init__()
        self.classify = nn.Linear(10, 2)

    def forward(self, features: Tensor, coords: Tensor, scale: float = 1.0) -> Tensor:
        return self.classify(torch.cat([features, coords * scale], 1)).amax(0)


class Related(nn.Module):
    """Takes features and an adjacency matrix, with a batch of one bag or without."""

    def __init__(self) -> None:
        super().__init__()
        self.classify = nn.Linear(8, 2)

    def forward(self, features: Tensor, adj: Tensor) -> Tensor:
        return (adj @ self.classify(features)).tanh().mean(-2)


class Listed(Mean):
    """Takes a list of bags."""

    def forward(self, bags: list[Tensor]) -> Tensor:
        return torch.stack([self.classify(bag.mean(0)) for bag in bags])


class Adaptive(nn.Module):
    """Pools to four values, which no exporter writes for every number of instances."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AdaptiveMaxPool1d(4)
        self.classify = nn.Linear(32, 2)

    def forward(self, bag: Tensor) -> Tensor:
        return self.classify(self.pool(bag.t()[None]).flatten(1))


class Two(nn.Module):
    """Returns two vectors that could be class scores."""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Linear(8, 2)
        self.right = nn.Linear(8, 2)

    def forward(self, bag: Tensor) -> tuple[Tensor, Tensor]:
        return self.left(bag).amax(0), self.right(bag).amax(0)


class Ordered(nn.Module):
    """Weighs instances by their places."""

    def __init__(self) -> None:
        super().__init__()
        self.classify = nn.Linear(8, 2)

    def forward(self, bag: Tensor) -> Tensor:
        places = torch.arange(bag.shape[0]).unsqueeze(1).float()
        return self.classify((bag * torch.cos(places)).sum(0))
