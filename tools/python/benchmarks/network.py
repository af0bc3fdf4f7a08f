"""The paper's networks as modules of PyTorch, with the weights of their ONNX files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn
from zennit.layer import Sum


class Weighted(nn.Module):
    """A sum of instances (B, k, d), weighted by attention (B, 1, k).

    With ``constant_weights``, relevance flows to the instances as their products have it, as in LRP
    for attention (Ali et al. 2022); gradients would count the weight twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self.constant_weights = False
        self.sum = Sum(1)

    def forward(self, weights: Tensor, instances: Tensor) -> Tensor:
        products = weights.transpose(1, 2) * instances
        if self.constant_weights:
            products = instances + (products - instances).detach()
        return self.sum(products).unsqueeze(1)


class Mean(nn.Module):
    """The mean over the instances (B, k, d)."""

    def __init__(self) -> None:
        super().__init__()
        self.sum = Sum(1)

    def forward(self, instances: Tensor) -> Tensor:
        return self.sum(instances).unsqueeze(1) / instances.shape[1]


class Plus(nn.Module):
    """The sum of two values that broadcast, by a layer for which zennit has a rule."""

    def __init__(self) -> None:
        super().__init__()
        self.sum = Sum(-1)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return self.sum(torch.stack(torch.broadcast_tensors(a, b), -1))


class Bias(nn.Module):
    """Adds a constant."""

    def __init__(self, bias: Tensor) -> None:
        super().__init__()
        self.bias = nn.Parameter(bias)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.bias


class Transposed(nn.Module):
    """Exchanges the instances and the features of (B, k, d)."""

    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2)


class EachInstance(nn.Module):
    """A layer of pictures (N, ...), applied to bags of them (B, k, ...)."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x.flatten(0, 1)).unflatten(0, x.shape[:2])


class Network(nn.Module):
    """A network of ``examples`` or of the paper: bags (B, k, ...) to logits (B, C).

    Every layer is a module of its own, so that captum and zennit find it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        graph = onnx.load(path).graph
        weights = {w.name: numpy_helper.to_array(w) for w in graph.initializer}
        self.input = graph.input[0].name
        self.steps: list[tuple[str, list[str], str]] = []
        self.layers = nn.ModuleDict()
        for node in graph.node:
            if node.op_type in ("Constant", "Squeeze") or node.output[0] == "instance_logits":
                continue  # the axis of one at the end is removed in forward
            name = node.output[0].replace(".", "_")
            self.layers[name] = _layer(node, weights)
            self.steps.append((name, [i for i in node.input if i not in weights], node.output[0]))
        squeezed = [n.input[0] for n in graph.node if n.output[0] == "logits"]
        self.result = "logits" if any(s[2] == "logits" for s in self.steps) else squeezed[0]
        self.requires_grad_(False)
        self.eval()

    def forward(self, bags: Tensor) -> Tensor:
        values = {self.input: bags}
        for name, inputs, output in self.steps:
            values[output] = self.layers[name](*(values[i] for i in inputs))
        return values[self.result].squeeze(1)

    def constant_weights(self, on: bool) -> None:
        """Choose whether attention is a constant, for LRP."""
        for layer in self.modules():
            if isinstance(layer, Weighted):
                layer.constant_weights = on


def _linear(weight: np.ndarray, bias: np.ndarray | None) -> nn.Linear:
    """Return the layer of a weight (inputs, outputs)."""
    out = nn.Linear(*weight.shape, bias=bias is not None)
    out.weight.data = torch.tensor(weight.T.copy())
    if bias is not None:
        out.bias.data = torch.tensor(bias.reshape(-1))
    return out


def _layer(node: onnx.NodeProto, weights: dict[str, np.ndarray]) -> nn.Module:
    """Return the layer of a node, for bags with a first axis of batches."""
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    given = [weights[i] for i in node.input if i in weights]
    match node.op_type:
        case "Conv":
            conv = nn.Conv2d(*given[0].shape[1::-1], given[0].shape[2:])
            conv.weight.data, conv.bias.data = (torch.tensor(w) for w in given)
            return EachInstance(conv)
        case "MaxPool":
            return EachInstance(nn.MaxPool2d(attributes["kernel_shape"], attributes["strides"]))
        case "Flatten":
            return nn.Flatten(2)
        case "Gemm":
            return _linear(given[0].T if attributes.get("transB") else given[0], given[1])
        case "MatMul":
            return _linear(given[0], None) if given else Weighted()
        case "Add":
            return Bias(torch.tensor(given[0])) if given else Plus()
        case "ReduceMean":
            return Mean()
        case "Transpose":
            return Transposed()
    simple: dict[str, Callable[[], nn.Module]] = {
        "Relu": nn.ReLU,
        "Tanh": nn.Tanh,
        "Softmax": lambda: nn.Softmax(-1),
    }
    return simple[node.op_type]()


def normalised(path: Path, pixels: np.ndarray) -> Tensor:
    """Return pixels (k, ...) as a batch of one bag, (1, k, ...), by the model card's rule."""
    properties = {p.key: p.value for p in onnx.load(path, load_external_data=False).metadata_props}
    rule = json.loads(properties["bagscope"])["preprocess"]
    mean, std = (np.float32(rule[key]).reshape(-1, 1, 1) for key in ("mean", "std"))
    return torch.tensor((np.float32(pixels) * np.float32(rule["scale"]) - mean) / std)[None]
