"""Compares the greedy search for patches to remove with HIPPO's, in order and in time.

    pip install hippo-nn torch onnx numpy
    python greedy.py --bagscope build/bagscope [--write ../../../onnxbackend/testdata/greedy.json]

The network and the bag have the sizes of the example in HIPPO's README (Kaczmarzyk, Saltz and Koo
2024): 1,000 patches of 1,024 random features, gated attention with L = 512 and D = 384, two
classes; 1 % of the patches are removed, each time the one without which class 1 has the lowest
probability. The example's weights are not published with it. They are drawn here as PyTorch draws
those of a new layer, by a formula that a Go test repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import hippo
import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import helper, numpy_helper

PATCHES, FEATURES, L, D, CLASSES = 1000, 1024, 512, 384, 2
CLASS, ROUNDS = 1, 10

Layers = dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]
Found = tuple[list[int], list[float], float]


class Stream:
    """Uniform numbers in [0, 1), multiples of 2^-24: SplitMix64 of 0, 1, 2 and so on."""

    def __init__(self) -> None:
        self.drawn = 0

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        n = int(np.prod(shape))
        with np.errstate(over="ignore"):
            z = np.arange(self.drawn + 1, self.drawn + n + 1, dtype=np.uint64)
            z *= np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
        self.drawn += n
        return ((z >> np.uint64(40)) / 2.0**24).reshape(shape)

    def layer(self, inputs: int, outputs: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the weight (inputs, outputs) and the bias of a layer."""
        weight = (2 * self.uniform(inputs, outputs) - 1) / inputs**0.5
        bias = (2 * self.uniform(outputs) - 1) / inputs**0.5
        return weight.astype(np.float32), bias.astype(np.float32)


def torch_model(layers: Layers) -> hippo.AttentionMILModel:
    """Return HIPPO's model with the weights of the layers."""
    model = hippo.AttentionMILModel(in_features=FEATURES, L=L, D=D, num_classes=CLASSES)
    attention = model.attention_weights
    modules = {
        "encoder": model.encoder[0],
        "v": attention.attention_V[0],
        "u": attention.attention_U[0],
        "w": attention.attention_weights,
        "head": model.head,
    }
    for name, (weight, bias) in layers.items():
        modules[name].weight.data = torch.tensor(weight.T.copy())
        modules[name].bias.data = torch.tensor(bias)
    return model.eval()


def onnx_model(layers: Layers) -> bytes:
    """Return the same network as an ONNX file."""

    def layer(name: str, source: str) -> onnx.NodeProto:
        return helper.make_node("Gemm", [source, name, f"{name}.bias"], [f"{name}.out"])

    nodes = [
        layer("encoder", "bag"),
        helper.make_node("Relu", ["encoder.out"], ["h"]),
        layer("v", "h"),
        helper.make_node("Tanh", ["v.out"], ["value"]),
        layer("u", "h"),
        helper.make_node("Sigmoid", ["u.out"], ["gate"]),
        helper.make_node("Mul", ["value", "gate"], ["gated"]),
        layer("w", "gated"),
        helper.make_node("Softmax", ["w.out"], ["attention"], axis=0),
        helper.make_node("Transpose", ["attention"], ["row"]),
        helper.make_node("MatMul", ["row", "h"], ["pooled"]),
        layer("head", "pooled"),
        helper.make_node("Identity", ["head.out"], ["logits"]),
    ]
    number = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "abmil",
        [helper.make_tensor_value_info("bag", number, ["instances", FEATURES])],
        [helper.make_tensor_value_info("logits", number, [1, CLASSES])],
        [
            numpy_helper.from_array(values, name + end)
            for name, pair in layers.items()
            for values, end in zip(pair, ("", ".bias"), strict=True)
        ],
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def children_seconds() -> float:
    """Return the processor seconds of the commands that have run."""
    used = os.times()
    return used.children_user + used.children_system


def searched_by_hippo(model: torch.nn.Module, bag: torch.Tensor) -> Found:
    """Return the patches in the order of removal, the probabilities, and the processor seconds."""
    start = time.process_time()
    found = hippo.greedy_search(
        features=bag,
        model_probs_fn=lambda features: model(features).logits.softmax(1).squeeze(0),
        num_rounds=ROUNDS,
        output_index_to_optimize=CLASS,
        optimizer=hippo.minimize,
        disable_progbar=True,
    )
    seconds = time.process_time() - start
    values = found["model_outputs"][:, CLASS].tolist()
    return found["ablated_patches"].tolist(), values, seconds


def searched_by_bagscope(command: Path, model: bytes, bag: NDArray[np.float32]) -> Found:
    """Return the same of ``bagscope whatif``, with those of the whole command."""
    with TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "model.onnx").write_bytes(model)
        np.save(at / "bag.npy", bag)
        # No probability is below the level, so that the search takes all rounds.
        arguments = ["whatif", "--model", at / "model.onnx", "--bag", at / "bag.npy", "--json"]
        arguments += ["--class", str(CLASS), "--most", str(ROUNDS), "--level", "1e-30"]
        start = children_seconds()
        done = subprocess.run([command, *arguments], check=True, capture_output=True)
        seconds = children_seconds() - start
    answer = json.loads(done.stdout)
    steps = answer["steps"]
    values = [answer["prediction"][CLASS], *(s["values"][CLASS] for s in steps)]
    return [s["instance"] for s in steps], values, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bagscope", type=Path, required=True, help="the command")
    parser.add_argument("--write", type=Path, help="write the order that HIPPO finds as JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    stream = Stream()
    sizes = {
        "encoder": (FEATURES, L),
        "v": (L, D),
        "u": (L, D),
        "w": (D, 1),
        "head": (L, CLASSES),
    }
    layers = {name: stream.layer(*size) for name, size in sizes.items()}
    bag = stream.uniform(PATCHES, FEATURES).astype(np.float32)
    order, values, seconds = searched_by_hippo(torch_model(layers), torch.tensor(bag))
    print(f"hippo: {seconds:.1f} s, {order}")
    found, near, fast = searched_by_bagscope(arguments.bagscope, onnx_model(layers), bag)
    print(f"bagscope: {fast:.3f} s with the start of the command, {found}")
    print(f"ratio {seconds / fast:.0f}, largest difference {np.ptp(np.subtract(values, near)):.2g}")
    assert found == order
    if arguments.write:
        golden = {"removed": order, "values": values}
        arguments.write.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
