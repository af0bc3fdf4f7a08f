"""Measures how well pairs that act together are found: xMIL's task AdjacentPairs, rebuilt.

    python adjacent.py --bagscope build/bagscope --train TRAIN.npz --test TEST.npz --out RESULT.json

A bag is positive if it holds two adjacent digits of 0 to 4, such as a 1 and a 2 (Hense et al.,
NeurIPS 2024, section 5). TRAIN and TEST are bags of ``go run ./tools/gen/digits``, of which only
the single digits are used; the seeds are 101 (300 bags) and 103 (60 bags).

An encoder learns the digits, and a network that pools learns new bags of its features. Both stop
after a fixed number of steps: no result of the test digits decides anything. Pairs of adjacent
digits are then ranked by interactions (order 2), and by the scores of their two instances
(order 1): their sum, and the smaller one. The result is the mean AUPRC over positive bags that the
network reads rightly.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[np.float32]

LOW = 5  # digits below may be adjacent
STEPS = 2500  # of each training
BAGS = 50  # positive and as many negative ones of the result


def digits(path: Path) -> tuple[Array, Array]:
    """Return the digits (n, 784) of a set of bags in 0..1, and their labels."""
    with np.load(path) as data:
        pixels = data["instances"].reshape(-1, 784).astype(np.float32) / 255
        return pixels, data["instance_labels"]


class Network:
    """Two layers, a mean over the instances of each bag, and two more layers.

    Digits are bags of one instance. Gradients are written out, and Adam follows them.
    """

    def __init__(self, sizes: list[int], seed: int) -> None:
        random = np.random.default_rng(seed)
        self.parameters: list[Array] = []
        for n, m in pairwise(sizes):
            weights = random.normal(0, (2 / n) ** 0.5, (n, m)).astype(np.float32)
            self.parameters += [weights, np.zeros(m, np.float32)]
        self.moments = [[np.zeros_like(p), np.zeros_like(p)] for p in self.parameters]
        self.steps = 0

    def forward(self, bags: Array) -> list[Array]:
        """Return the layers of bags (n, k, d): two of instances, the mean, one more, logits."""
        w0, b0, w1, b1, w2, b2, w3, b3 = self.parameters
        first = np.maximum(bags @ w0 + b0, 0)
        second = np.maximum(first @ w1 + b1, 0)
        mean = second.mean(1)
        third = np.maximum(mean @ w2 + b2, 0)
        return [first, second, mean, third, third @ w3 + b3]

    def step(self, bags: Array, truth: Array, rate: float) -> float:
        """Take a step of Adam on the cross entropy of bags with their classes, and return it."""
        first, second, mean, third, logits = self.forward(bags)
        _, _, w1, _, w2, _, w3, _ = self.parameters
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        n, k = bags.shape[:2]
        rows = np.arange(n)
        loss = float(-np.log(p[rows, truth] + 1e-9).mean())
        p[rows, truth] -= 1
        d3 = p / n
        d2 = d3 @ w3.T * (third > 0)
        d1 = np.repeat((d2 @ w2.T)[:, None] / k, k, 1) * (second > 0)
        d0 = d1 @ w1.T * (first > 0)
        gradients = []
        for x, d in ((bags, d0), (first, d1), (mean, d2), (third, d3)):
            x, d = x.reshape(-1, x.shape[-1]), d.reshape(-1, d.shape[-1])
            gradients += [x.T @ d, d.sum(0)]
        self.steps += 1
        for q, g, (m, v) in zip(self.parameters, gradients, self.moments, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            scale = (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
            q -= rate * scale * m / (np.sqrt(v) + 1e-8)
        return loss

    def save(self, path: Path) -> None:
        """Write the network for bags (k, d) as ONNX."""
        nodes, value = [], "bag"
        for n in range(4):
            if n == 2:
                nodes.append(helper.make_node("ReduceMean", [value], ["mean"], axes=[0]))
                value = "mean"
            nodes.append(helper.make_node("Gemm", [value, f"w{n}", f"b{n}"], [f"g{n}"]))
            value = f"g{n}"
            if n < 3:
                nodes.append(helper.make_node("Relu", [value], [f"r{n}"]))
                value = f"r{n}"
        real = onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            nodes, "adjacent",
            [helper.make_tensor_value_info("bag", real, ["k", len(self.parameters[0])])],
            [helper.make_tensor_value_info(value, real, [1, 2])],
            [numpy_helper.from_array(p, f"{'wb'[i % 2]}{i // 2}")
             for i, p in enumerate(self.parameters)],
        )  # fmt: skip
        opset = [helper.make_opsetid("", 13)]
        onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)


class Bags:
    """Draws bags of features: half of them are positive."""

    def __init__(self, features: Array, labels: Array, seed: int) -> None:
        self.features = features
        self.of = [np.flatnonzero(labels == d) for d in range(10)]
        self.random = np.random.default_rng(seed)

    def one(self, k: int, positive: bool) -> tuple[Array, Array]:
        """Return the features and the digits of a bag of k instances."""
        while True:
            low = self.random.integers(0, LOW, self.random.integers(1, 7))
            if bool(adjacent(low).any()) == positive:
                break
        all_digits = np.concatenate([low, self.random.integers(LOW, 10, k - len(low))])
        self.random.shuffle(all_digits)
        return self.features[[self.random.choice(self.of[d]) for d in all_digits]], all_digits


def adjacent(labels: Array) -> Array:
    """Return which pairs (i, j) of digits are adjacent."""
    low = labels < LOW
    both = low[:, None] & low[None, :]
    return both & (np.abs(labels[:, None] - labels[None, :]) == 1)


def train(pixels: Array, labels: Array, steps: int) -> tuple[Network, Network]:
    """Return a network of digits and one of bags of its features."""
    random = np.random.default_rng(1)
    encoder = Network([784, 128, 32, 64, 10], 1)
    for _ in range(1500):
        at = random.integers(0, len(pixels), 64)
        encoder.step(pixels[at, None], labels[at], 1e-3)
    bags, network = Bags(embeddings(encoder, pixels), labels, 2), Network([32, 64, 64, 64, 2], 2)
    truth = np.arange(64) % 2
    for step in range(steps):
        k = int(bags.random.integers(12, 25))  # equal in a batch
        batch = np.stack([bags.one(k, bool(t))[0] for t in truth])
        loss = network.step(batch, truth, 2e-3 * (1 - step / steps))
        if step % 500 == 0:
            print(f"step {step}: loss {loss:.3f}", flush=True)
    return encoder, network


def embeddings(encoder: Network, pixels: Array) -> Array:
    """Return the 32 features of digits, scaled to a variance of 1."""
    features = np.concatenate([
        encoder.forward(part[:, None])[2] for part in np.array_split(pixels, 20)
    ])  # fmt: skip
    return features / features.std()


def average_precision(truth: Array, scores: Array) -> float:
    """Return the area under the precision-recall curve; equal scores keep their order."""
    hits = truth[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean())


def ask(program: Path, command: str, model: Path, bag: Path, *flags: str) -> Any:
    """Return the JSON of a command of bagscope for class 1 of a bag."""
    run = [program, command, "--model", model, "--bag", bag, "--class", "1", "--json", *flags]
    return json.loads(subprocess.run(run, check=True, capture_output=True).stdout)


def measure(program: Path, model: Path, bag: Array, labels: Array) -> dict[str, float]:
    """Return the AUPRC of each ranking of the pairs of one bag."""
    a, b = np.triu_indices(len(labels), 1)
    truth = adjacent(labels)[a, b]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "bag.npy"
        np.save(file, bag)
        result = {}
        for index in ("guided", "shapley"):
            answer = ask(program, "pairs", model, file, "--among", "24", "--interaction", index)
            table = np.zeros((len(labels), len(labels)))
            for pair in answer["pairs"]:
                table[pair["a"], pair["b"]] = table[pair["b"], pair["a"]] = pair["value"]
            result[f"order 2, {index}"] = average_precision(truth, table[a, b])
        for method in ("consensus", "random_shap", "one_removed"):
            answer = ask(program, "explain", model, file, "--method", method)
            scores = np.array(answer["explanations"][0]["scores"])
            result[f"{method}, sum"] = average_precision(truth, scores[a] + scores[b])
            smaller = np.minimum(scores[a], scores[b])
            result[f"{method}, smaller"] = average_precision(truth, smaller)
    return result


def main() -> None:
    """Train, export, measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("bagscope", "train", "test", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    o = parser.parse_args()
    encoder, network = train(*digits(o.train), STEPS)
    model = o.out.with_suffix(".onnx")
    network.save(model)
    pixels, labels = digits(o.test)
    source = Bags(embeddings(encoder, pixels), labels, 3)
    right, rows = 0, []
    for n in range(2 * BAGS):
        bag, of = source.one(int(source.random.integers(12, 25)), n % 2 == 1)
        correct = int(network.forward(bag[None])[4].argmax()) == n % 2
        right += correct
        if correct and n % 2 == 1:
            rows.append(measure(o.bagscope, model, bag, of))
    result: dict[str, Any] = {"accuracy": right / (2 * BAGS), "bags": len(rows)}
    for key in rows[0]:
        values = np.array([row[key] for row in rows])
        result[key] = [values.mean(), values.std(ddof=1) / len(values) ** 0.5]
    o.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
