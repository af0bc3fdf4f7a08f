"""Scores of instances by captum and zennit: functions of a network, a bag and a class."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import torch
from captum.attr import DeepLift, InputXGradient, IntegratedGradients, Occlusion
from network import Network
from torch import Tensor, nn
from zennit.attribution import Gradient
from zennit.composites import EpsilonPlus

TARGETS = ("logit", "log_odds", "prob")
"""What is attributed: a class's logit, its log-odds or its probability."""


class Target(nn.Module):
    """A network whose outputs are the logits, log-odds or probabilities of all classes."""

    def __init__(self, network: Network, target: str) -> None:
        super().__init__()
        self.network, self.target = network, target

    def forward(self, bags: Tensor) -> Tensor:
        return transformed(self.network(bags), self.target)


def transformed(logits: Tensor, target: str) -> Tensor:
    """Return logits (B, C) as the target of the attribution."""
    if target == "logit":
        return logits
    if target == "prob":
        return logits.softmax(-1)
    others = logits.unsqueeze(-2).masked_fill(torch.eye(logits.shape[-1], dtype=bool), -torch.inf)
    return logits - others.logsumexp(-1)


def _summed(values: Tensor) -> np.ndarray:
    """Return the scores (k,): the sum over everything inside of an instance."""
    return values.detach()[0].flatten(1).sum(1).double().numpy()


Attribution = Callable[[Target, Tensor, int], np.ndarray]


def integrated_gradients(model: Target, bag: Tensor, class_: int) -> np.ndarray:
    method = IntegratedGradients(model)
    # 50 is the default; batches that fit into the processor's cache are the fastest.
    return _summed(method.attribute(bag, target=class_, n_steps=50, internal_batch_size=4))


def input_x_gradient(model: Target, bag: Tensor, class_: int) -> np.ndarray:
    return _summed(InputXGradient(model).attribute(bag.requires_grad_(), target=class_))


def deep_lift(model: Target, bag: Tensor, class_: int) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # captum announces its hooks
        return _summed(DeepLift(model).attribute(bag, target=class_))


def occlusion(model: Target, bag: Tensor, class_: int) -> np.ndarray:
    """Replace one instance after another by zeros, the mean grey."""
    window = (1, *bag.shape[2:])
    found = Occlusion(model).attribute(bag, window, target=class_, perturbations_per_eval=16)
    return found[0].flatten(1)[:, 0].double().numpy()


def lrp(model: Target, bag: Tensor, class_: int) -> np.ndarray:
    """Propagate relevance by zennit's EpsilonPlus, with attention as a constant.

    The relevance of the logits is their gradient times themselves. Ones in place of it would change
    the sign for a negative logit.
    """
    network = model.network
    network.constant_weights(True)
    try:
        logits = network(bag).requires_grad_()
        transformed(logits, model.target)[0, class_].backward()
        with Gradient(network, EpsilonPlus()) as attributor:
            return _summed(attributor(bag, logits.grad * logits.detach())[1])
    finally:
        network.constant_weights(False)


PEERS: dict[str, Attribution] = {
    "captum IG": integrated_gradients,
    "captum GxI": input_x_gradient,
    "captum DeepLift": deep_lift,
    "captum Occlusion": occlusion,
    "zennit LRP": lrp,
}


def scores(attribution: Attribution, model: Target, bag: Tensor) -> np.ndarray:
    """Return the scores of all classes (C, k)."""
    with torch.no_grad():
        classes = model(bag).shape[-1]
    return np.stack([attribution(model, bag.detach().clone(), c) for c in range(classes)])
