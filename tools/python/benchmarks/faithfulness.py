"""Measures how faithful the attributions of captum and zennit are, beside bagscope's methods.

    python faithfulness.py --bags BAGS.npz --out RESULT.json MODEL.onnx ...

BAGS.npz holds bags of digits with the labels of instances, such as those of
``go run ./tools/gen/digits -seed 12 -bags 100 BAGS.npz``. Results are of its first bags. Its last
bags are for one choice: whether logits, log-odds or probabilities are attributed, for each package,
method and network by the larger sum of NDCG@n and AOPC-R.
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from attributions import PEERS, TARGETS, Target, scores
from network import Network, normalised

import bagscope

METRICS = ["ndcg", "aopc_r"]
COUNT, CHOICE = 30, 8
"""Bags of the result, and of the choice."""
NEAR = 1e-4
"""Most difference of a logit, which is up to 40: float32 sums in another order."""


def read_bags(path: Path) -> list[bagscope.Bag]:
    """Return all bags of a file, with the labels of their instances."""
    file = np.load(path)
    pixels, labels, offsets = (file[n] for n in ("instances", "instance_labels", "offsets"))
    return [bagscope.Bag(pixels[a:b], labels=labels[a:b]) for a, b in pairwise(offsets)]


def prove(network: Network, path: Path, bags: list[bagscope.Bag]) -> float:
    """Return the largest difference of a logit between PyTorch and the engine.

    Raises
    ------
    AssertionError
        If it is not near 0.
    """
    worst = 0.0
    for bag in bags:
        theirs = network(normalised(path, bag.data))[0].numpy()
        ours = bagscope.predict(path, bag, output="logit").scores
        worst = max(worst, float(np.abs(theirs - ours).max()))
    assert worst < NEAR, f"the logits of {path} differ by {worst}"
    return worst


def attributed(
    network: Network, path: Path, bags: list[bagscope.Bag], name: str, target: str
) -> list[np.ndarray]:
    """Return the scores (C, k) of each bag by a method of another package."""
    model = Target(network, target)
    return [scores(PEERS[name], model, normalised(path, bag.data)) for bag in bags]


def chosen_targets(network: Network, path: Path, bags: list[bagscope.Bag]) -> dict[str, str]:
    """Return the target of each method that has the largest sum of both metrics on some bags."""
    candidates = {f"{n}|{t}": attributed(network, path, bags, n, t) for n in PEERS for t in TARGETS}
    found = bagscope.evaluate(path, bags, methods=[], scores=candidates, metrics=METRICS).summary()
    total = {key: sum(found[key][m]["mean"] for m in METRICS) for key in candidates}
    return {n: max(TARGETS, key=lambda t, n=n: total[f"{n}|{t}"]) for n in PEERS}


def measure(path: Path, bags: list[bagscope.Bag], choice: list[bagscope.Bag]) -> dict[str, Any]:
    """Return the results of one network."""
    network = Network(path)
    difference = prove(network, path, bags)
    targets = chosen_targets(network, path, choice)
    foreign = {n: attributed(network, path, bags, n, targets[n]) for n in PEERS}
    found = bagscope.evaluate(
        path, bags, methods="all", scores=foreign, metrics=METRICS, settings="mnist"
    )
    return {
        "model": str(path),
        "difference": difference,
        "targets": targets,
        "skipped": found.skipped,
        "summary": found.summary(),
    }


def main() -> None:
    """Measure all networks and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--bags", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    bags = read_bags(args.bags)
    if len(bags) < COUNT + CHOICE:
        parser.error(f"{args.bags} holds {len(bags)} bags, fewer than the result and the choice")
    result = {
        "versions": {p: version(p) for p in ("torch", "captum", "zennit", "numpy")},
        "bags": COUNT,
        "choice": CHOICE,
        "networks": [],
    }
    for path in args.models:
        result["networks"].append(measure(path, bags[:COUNT], bags[-CHOICE:]))
        args.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
