"""Measures the time of Shapley values at equal error: shap and shapiq, with three games.

    python shapley.py --out RESULT.json NAME:MODEL.onnx:BAGS.npz:INDEX:K:CLASS:BUDGETS ...

The README has these, with the bags of ``go run ./tools/gen/digits -seed 12 -bags 100 digits.npz``
and ``go run ./tools/gen/tissue -seed 13 -slides 7 slide.npz``:

    "12 digits:examples/digits/networks/mi-attn.onnx:digits.npz:1:12:1:1000,4096"
    "30 digits:examples/digits/networks/mi-attn.onnx:digits.npz:1:30:1:2000,20000"
    "310 patches:examples/tissue/model.onnx:slide.npz:0:310:1:2000,20000"

An estimator draws the same coalitions whichever game it gets, so that its error is the same. The
error is the root mean square difference from exact Shapley values: of all coalitions for at most 12
instances, otherwise of permutations (see ``game.reference``). Times are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from importlib.metadata import version
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import shap
import shapiq
import torch
from game import Game, Module, Recorded, reference, split_game, timed

import bagscope

SEED = 3
PERMUTATIONS = 20_000
REPEATS = 3
SAMPLE = 100
"""Coalitions on which the module is timed."""
LISTED = 12
"""Most instances of a game whose coalitions are all listed."""


def kernel_shap(game: Game, k: int, budget: int) -> np.ndarray:
    """Run shap's KernelExplainer without its selection of ten instances."""
    np.random.seed(SEED)  # shap draws from it
    explainer = shap.KernelExplainer(game, np.zeros((1, k)))
    return explainer.shap_values(np.ones((1, k)), nsamples=budget, l1_reg=False, silent=True)[0]


def permutation_shap(game: Game, k: int, budget: int) -> np.ndarray:
    """Run shap's PermutationExplainer."""
    explainer = shap.PermutationExplainer(game, np.zeros((1, k)), seed=SEED)
    return explainer(np.ones((1, k)), max_evals=budget, silent=True).values[0]


def exact_shap(game: Game, k: int, budget: int) -> np.ndarray:
    """Run shap's ExactExplainer."""
    explainer = shap.ExactExplainer(game, np.zeros((1, k)))
    return explainer(np.ones((1, k)), max_evals=budget, silent=True).values[0]


def shapiq_values(approximator: type) -> Callable[[Game, int, int], np.ndarray]:
    """Return a function that runs an approximator of shapiq."""

    def run(game: Game, k: int, budget: int) -> np.ndarray:
        found = approximator(n=k, random_state=SEED).approximate(budget, game)
        return found.get_n_order_values(1)

    return run


SAMPLED = {
    "shap Kernel": kernel_shap,
    "shap Permutation": permutation_shap,
    "shapiq KernelSHAP": shapiq_values(shapiq.KernelSHAP),
    "shapiq PermutationSamplingSV": shapiq_values(shapiq.PermutationSamplingSV),
}


def listed(game: Game, k: int) -> np.ndarray:
    """Return the Shapley values (k,) of all coalitions."""
    members = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
    values, sizes = game(members), members.sum(1)
    out = np.zeros(k)
    for i in range(k):
        with_i = np.flatnonzero(members[:, i])
        gains = values[with_i] - values[with_i - 2**i]
        weights = [1 / (k * comb(k - 1, s - 1)) for s in sizes[with_i]]
        out[i] = gains @ weights
    return out


def measure(text: str) -> dict[str, Any]:
    """Return the rows of one game, given as on the command line."""
    name, model, bags, index, count, number, budgets = text.split(":")
    path, k, class_ = Path(model), int(count), int(number)
    file = np.load(bags)
    start = file["offsets"][int(index)]
    pixels = file["instances"][start : start + k]
    assert len(pixels) == k, f"{bags} has {len(pixels)} instances from bag {index} on"
    if k <= LISTED:
        truth, error = listed(split_game(path, pixels, class_), k), 0.0
    else:
        truth, error = reference(path, pixels, class_, PERMUTATIONS)
    spread = float(truth.std())
    out: dict[str, Any] = {"name": name, "k": k, "spread": spread, "reference": error, "rows": []}
    jobs = [(n, run, b) for b in map(int, budgets.split(",")) for n, run in SAMPLED.items()]
    if k <= LISTED:
        jobs.append(("shap Exact", exact_shap, 2**k))
    for estimator, run, budget in jobs:
        row = compare(path, pixels, class_, run, budget, truth)
        out["rows"].append({"estimator": estimator, **row})
        print(out["rows"][-1], flush=True)
    if k <= LISTED:
        values, cpu = timed(lambda: random_shap(path, pixels, class_), REPEATS)
        out["explain"] = {"cpu": cpu, "rmse": difference(values, truth)}
    return out


def compare(
    path: Path, pixels: np.ndarray, class_: int,
    run: Callable[[Game, int, int], np.ndarray], budget: int, truth: np.ndarray,
) -> dict[str, Any]:  # fmt: skip
    """Return the error of an estimator and its processor time with each game."""
    k = len(truth)

    def engine() -> np.ndarray:
        return run(bagscope.game(path, pixels, class_=class_, empty=0), k, budget)

    engine()  # compiles what numba compiles
    found, cpu = timed(engine, REPEATS)
    _, by_hand = timed(lambda: run(split_game(path, pixels, class_), k, budget), REPEATS)
    _, opening = timed(
        lambda: np.zeros(bagscope.game(path, pixels, class_=class_, empty=0).instances), REPEATS
    )
    recorded = Recorded(split_game(path, pixels, class_))
    (theirs, whole) = timed(lambda: run(recorded, k, budget), 1)
    asked = np.concatenate(recorded.coalitions)
    # The estimator draws these coalitions from any game, so that some suffice for the time of all.
    sample = asked[np.random.default_rng(SEED).choice(len(asked), min(SAMPLE, len(asked)), False)]
    module = Module(path, pixels, class_)
    module(sample[:5])
    probabilities, seconds = timed(lambda: module(sample), 1)
    same = np.abs(probabilities - split_game(path, pixels, class_)(sample)).max()
    assert same < 1e-5, f"the module and its split form differ by {same}"
    return {
        "coalitions": len(asked),
        "rmse": difference(found, truth),
        "rmse of module": difference(theirs, truth),
        "estimator": whole - recorded.inside,
        "opening": opening,
        "module": whole - recorded.inside + seconds / len(sample) * len(asked),
        "by hand": by_hand,
        "bagscope": cpu,
    }


def random_shap(path: Path, pixels: np.ndarray, class_: int) -> np.ndarray:
    """Return the scores of Random SHAP, which lists all coalitions if there are few."""
    model, all_ = bagscope.open(path), 2 ** len(pixels)
    e = bagscope.explain(model, pixels, method="random_shap", class_=class_,
                         samples=all_, efficiency="zero")  # fmt: skip
    return e.score(class_)


def difference(values: np.ndarray, truth: np.ndarray) -> float:
    """Return the root mean square difference."""
    return float(np.sqrt(np.mean((values - truth) ** 2)))


def main() -> None:
    """Measure all games and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # numba announces that it compiles
    result: dict[str, Any] = {
        "versions": {p: version(p) for p in ("torch", "shap", "shapiq", "numpy")},
        "seed": SEED,
        "permutations": PERMUTATIONS,
        "games": [],
    }
    for text in args.games:
        result["games"].append(measure(text))
        args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
