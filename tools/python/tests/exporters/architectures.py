"""The 17 architectures of torchmil and the 9 of MIL-Lab, at toy size and with random weights."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torchmil.models as mil
import torchmil.nn
from torch import Tensor, nn

INSTANCES = 20
VALUES = 16
MIL_LAB = os.environ.get("MIL_LAB", "")
"""Folder of a clone of https://github.com/mahmoodlab/MIL-Lab at commit dfc3c17. Its licence forbids
a copy, so that only the torchmil rows of the table can be tested without it."""


@dataclass(frozen=True)
class Architecture:
    """A model and the inputs that it takes beside the instances."""

    name: str
    build: Callable[[], nn.Module]
    beside: str = ""  # "adj", "coords" or "mask"
    options: Mapping[str, Any] = field(default_factory=dict)  # of bagscope.export

    def module(self) -> nn.Module:
        """Return the model with the same random weights each time."""
        torch.manual_seed(0)
        return self.build().eval()

    def bag(self, k: int = INSTANCES) -> dict[str, Tensor]:
        """Return a random bag of k instances, with a batch axis of one."""
        places = torch.stack([torch.arange(k) % 5, torch.arange(k) // 5], 1).float()
        random = torch.Generator().manual_seed(k)
        bag = {"X": torch.randn(1, k, VALUES, generator=random)}
        if self.beside == "adj":
            bag["adj"] = adjacency(places)[None]
        elif self.beside == "coords":
            bag["coords"] = places[None]
        elif self.beside == "mask":
            bag["mask"] = torch.ones(1, k)
        return bag


def adjacency(places: Tensor) -> Tensor:
    """Return torchmil's matrix: neighbours up to distance 1.5, symmetrically normalised.

    Each instance is joined with itself, so that rows of single instances are not 0.
    """
    near = (torch.cdist(places, places) <= 1.5).float()
    roots = near.sum(1).sqrt()
    return near / roots[:, None] / roots[None]


class Scored(nn.Module):
    """A model of MIL-Lab in inference: the logits of the features of a slide.

    Its ``forward`` also computes a loss, for which some models need a label.
    """

    def __init__(self, model: nn.Module, label: bool = False) -> None:
        super().__init__()
        self.model = model
        self.label = label

    def forward(self, X: Tensor) -> Tensor:
        if self.label:
            features = self.model.forward_features(X[0], torch.zeros(1, dtype=torch.long))[0]
            return self.model.forward_head(features)[0]
        return self.model.forward_head(self.model.forward_features(X)[0])


def torchmil_models() -> list[Architecture]:
    """Return the architectures of torchmil."""
    shape = (VALUES,)
    small = {"transf_att_dim": VALUES, "transf_n_heads": 2, "pool_att_dim": 8}
    samples = {"n_samples_test": 50}
    zero = {"n_samples_test": 1, "covar_mode": "zero"}

    def vae() -> nn.Module:
        encoder = torchmil.nn.VariationalAutoEncoderMIL(shape, [16, 8])
        return mil.VAEABMIL(encoder, shape, att_dim=8)

    return [
        Architecture("ABMIL", lambda: mil.ABMIL(shape, att_dim=8)),
        Architecture(
            "CAMIL", lambda: mil.CAMIL(shape, 16, 8, n_heads=2, n_landmarks=4), beside="adj"
        ),
        Architecture("CLAM_SB", lambda: mil.CLAM_SB(shape, att_dim=8)),
        Architecture(
            "DeepGraphSurv", lambda: mil.DeepGraphSurv(shape, hidden_dim=8, att_dim=8), beside="adj"
        ),
        Architecture("DSMIL", lambda: mil.DSMIL(shape, att_dim=8)),
        Architecture("DTFDMIL", lambda: mil.DTFDMIL(shape, att_dim=8), beside="mask"),
        Architecture(
            "GTP", lambda: mil.GTP(shape, att_dim=16, n_clusters=4, n_heads=2), beside="adj"
        ),
        Architecture("IIBMIL", lambda: mil.IIBMIL(shape, att_dim=16, n_heads=2)),
        Architecture(
            "PatchGCN", lambda: mil.PatchGCN(shape, hidden_dim=8, att_dim=8), beside="adj"
        ),
        Architecture(
            "ProbSmoothABMIL", lambda: mil.ProbSmoothABMIL(shape, att_dim=8, **samples), "adj"
        ),
        Architecture(
            "ProbSmoothABMIL, covar_mode zero",
            lambda: mil.ProbSmoothABMIL(shape, att_dim=8, **zero),
            beside="adj",
        ),
        Architecture("SETMIL", lambda: mil.SETMIL(shape, att_dim=16, set_n_heads=2), "coords"),
        Architecture("SmABMIL", lambda: mil.SmABMIL(shape, att_dim=8), beside="adj"),
        Architecture(
            "SmTransformerABMIL", lambda: mil.SmTransformerABMIL(shape, **small), beside="adj"
        ),
        Architecture("TransformerABMIL", lambda: mil.TransformerABMIL(shape, **small)),
        Architecture(
            "TransformerProbSmoothABMIL",
            lambda: mil.TransformerProbSmoothABMIL(shape, **small, **samples),
            beside="adj",
        ),
        Architecture(
            "TransformerProbSmoothABMIL, covar_mode zero",
            lambda: mil.TransformerProbSmoothABMIL(shape, **small, **zero),
            beside="adj",
        ),
        Architecture("TransMIL", lambda: mil.TransMIL(shape, att_dim=16, n_heads=2)),
        Architecture("VAEABMIL", vae),
    ]


def millab_models() -> list[Architecture]:
    """Return the architectures of MIL-Lab, none if its folder is not known."""
    if not MIL_LAB:
        return []
    if MIL_LAB not in sys.path:
        sys.path.insert(0, MIL_LAB)

    def make(file: str, name: str, label: bool = False, **options: Any) -> Callable[[], nn.Module]:
        def build() -> nn.Module:
            kind = getattr(importlib.import_module(f"src.models.{file}"), name)
            return Scored(kind(in_dim=VALUES, embed_dim=32, num_classes=2, **options), label)

        return build

    layers = {"num_fc_layers": 1, "dropout": 0.0, "num_attention_layers": 2, "num_heads": 2}
    return [
        Architecture("ABMIL", make("abmil", "ABMIL", attn_dim=8)),
        Architecture("CLAM", make("clam", "CLAMSB", attention_dim=8, instance_loss_fn="ce")),
        Architecture("DFTD", make("dftd", "DFTD", True, attention_dim=8, num_group=4)),
        Architecture("DSMIL", make("dsmil", "DSMIL", attn_dim=8)),
        Architecture("ILRA", make("ilra", "ILRA", num_heads=2, topk=3, num_attention_layers=2)),
        Architecture("RRT", make("rrt", "RRTMIL", mlp_dim=32, trans_dim=32, n_heads=2, n_layers=2)),
        Architecture("Transformer", make("transformer", "Transformer", **layers)),
        Architecture("TransMIL", make("transmil", "TransMIL", **layers)),
        Architecture("WIKG", make("wikg", "WIKGMIL", topk=4)),
    ]
