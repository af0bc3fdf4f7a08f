"""The networks and games of tools/python/benchmarks are those of the engine."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import bagscope

ROOT = Path(__file__).resolve().parents[4]
sys.path.append(str(ROOT / "tools" / "python" / "benchmarks"))

with warnings.catch_warnings():  # of shap and captum, about their own use of others
    warnings.simplefilter("ignore")
    from attributions import PEERS, TARGETS, Target, scores
    from faithfulness import prove, read_bags
    from game import Module, reference, split_game
    from network import Network, normalised
    from shapley import SAMPLED, listed

pytestmark = pytest.mark.filterwarnings("ignore")
DIGITS = ROOT / "examples" / "digits"
ATTENTION = DIGITS / "networks" / "mi-attn.onnx"
NETWORKS = [
    DIGITS / "model.onnx",
    *sorted((DIGITS / "networks").glob("*.onnx")),
    *sorted((ROOT / "testdata" / "models" / "mnist").glob("mi_net*.onnx")),
]


@pytest.fixture(scope="module")
def pixels() -> np.ndarray:
    return read_bags(DIGITS / "bags.npz")[0].data[14:22]


@pytest.mark.parametrize("path", NETWORKS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_networks_have_the_engines_logits(path: Path) -> None:
    network = Network(path)
    bags = read_bags(DIGITS / "bags.npz")[:2]
    assert prove(network, path, bags) < 1e-4
    x = normalised(path, bags[0].data)
    want = network(x)
    network.constant_weights(True)
    torch.testing.assert_close(network(x), want)  # LRP's form has the same values


def test_attributions_sum_to_the_logits(pixels: np.ndarray) -> None:
    x = normalised(ATTENTION, pixels)
    network = Network(ATTENTION)
    logits, zero = network(x)[0], network(torch.zeros_like(x))[0]
    found = scores(PEERS["captum IG"], Target(network, "logit"), x).sum(1)
    # Completeness, up to the error of 50 steps.
    np.testing.assert_allclose(found, logits - zero, atol=0.05 * float(logits.abs().max()))
    relevance = scores(PEERS["zennit LRP"], Target(network, "logit"), x).sum(1)
    # LRP conserves relevance, except what biases and epsilon take.
    np.testing.assert_allclose(relevance, logits, atol=0.2 * float(logits.abs().max()))


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("target", TARGETS)
def test_attributions_have_a_score_for_each_instance(
    name: str, target: str, pixels: np.ndarray
) -> None:
    found = scores(PEERS[name], Target(Network(ATTENTION), target), normalised(ATTENTION, pixels))
    assert found.shape == (4, len(pixels))
    assert np.isfinite(found).all()


def test_games_are_equal(pixels: np.ndarray) -> None:
    members = np.random.default_rng(3).integers(0, 2, (30, len(pixels)))
    members[0] = 0
    want = Module(ATTENTION, pixels, 3)(members)
    np.testing.assert_allclose(split_game(ATTENTION, pixels, 3)(members), want, atol=1e-6)
    engine = bagscope.game(ATTENTION, pixels, class_=3, empty=0)
    np.testing.assert_allclose(engine(members), want, atol=1e-5)


def test_shapley_values_agree(pixels: np.ndarray) -> None:
    game, k = split_game(ATTENTION, pixels, 3), len(pixels)
    want = listed(game, k)
    assert want.sum() == pytest.approx(game(np.ones(k))[0], abs=1e-6)
    sampled, error = reference(ATTENTION, pixels, 3, 2000)
    np.testing.assert_allclose(sampled, want, atol=5 * error)
    for name, run in SAMPLED.items():
        # 4,000 coalitions are 500 permutations: five of their standard errors.
        np.testing.assert_allclose(run(game, k, 4000), want, atol=0.1, err_msg=name)
