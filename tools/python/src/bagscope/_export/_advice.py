"""What to write instead of code that an exporter writes as a constant."""

from __future__ import annotations

import inspect
import linecache
import os
import re

import torch

from ._file import File

LINES: tuple[tuple[str, str], ...] = (
    (r"\blen\(", "write x.shape[0] instead of len(x), which is a Python number"),
    (r"\b(int|float|round)\(", "use x.shape[0] as it is: int() and float() make it a constant"),
    (
        r"\.(item|tolist|numpy)\(",
        "keep the value a tensor: item(), tolist() and numpy() make it a constant",
    ),
    (r"\bmath\.|\bnp\.", "compute with torch instead of math and numpy, which make constants"),
    (
        r"\bfor\b",
        "a loop over instances is written as often as the example has them: compute all "
        "instances together, and their mean or maximum along the axis",
    ),
    (
        r"\b(max|min)\(",
        "write torch.clamp, or choose a k that does not depend on "
        "the bag: min() and max() of Python make constants",
    ),
    (
        r"\bif\b|\bassert\b",
        "a condition on the number of instances is decided once: use "
        "torch.where, or min() of tensors",
    ),
    (
        r"\.(view|reshape|expand|repeat)\(|\b(zeros|ones|arange)\(",
        "give the number of instances as -1 or x.shape[0], not as a number",
    ),
    (
        r"topk\(",
        "a k that depends on the number of instances becomes a constant: use a fixed k, "
        "or sort and weight the places",
    ),
)
"""Patterns in lines of Python, and what to write instead; the first that matches counts."""

LAYERS: dict[str, str] = {
    "AdaptiveAvgPool": "pool by x.mean(dim) over all instances, or fix the size of the input",
    "AdaptiveMaxPool": "pool by x.amax(dim) over all instances, or fix the size of the input",
    "BatchNorm": "call model.eval() and keep track_running_stats: statistics of the bag differ "
    "for every number of instances",
    "MultiheadAttention": "use PyTorch 2.9 or newer, or F.scaled_dot_product_attention: older "
    "exporters write the sizes of this layer as constants",
    "Transformer": "use PyTorch 2.9 or newer, or F.scaled_dot_product_attention: older exporters "
    "write the sizes of this layer as constants",
    "Dropout": "call model.eval(): dropout is random",
    "LSTM": "let PyTorch make the initial state, or make it from x.shape",
    "GRU": "let PyTorch make the initial state, or make it from x.shape",
}
"""Beginnings of the names of layers, and what to write instead."""


def advise(module: torch.nn.Module, owner: str, file: File | None) -> str:
    """Return sentences on what to change in a layer: the lines that the exporter warned about."""
    layer = module.get_submodule(owner)
    lines = _lines(layer, file)
    if lines:
        return " ".join(
            f'{name}:{number}: "{text}": {_instead(text)}.' for name, number, text in lines
        )
    for start, text in LAYERS.items():
        if type(layer).__name__.startswith(start):
            return f"For {type(layer).__name__}, {text}."
    if found := _forward(layer):
        numbered = [(found[0], found[1] + i, text) for i, text in enumerate(found[2])]
        hits = [(os.path.basename(n), i, t.strip()) for n, i, t in numbered if _known(t)]
        if hits:
            return " ".join(f'{n}:{i}: "{t}": {_instead(t)}.' for n, i, t in hits[:3])
    return (
        "Look there for numbers that Python computed from the number of instances: len(), "
        "int(), item(), loops and conditions become constants."
    )


def advise_operator(module: torch.nn.Module, said: str) -> str:
    """Return what to write instead of the layer whose operator an exporter does not know, or ""."""
    plain = said.lower().replace("_", "")
    for name, layer in module.named_modules():
        kind = type(layer).__name__
        start = next((s for s in LAYERS if kind.startswith(s)), None)
        if start is not None and start.lower() in plain:
            return f"It is layer {name!r} ({kind}): {LAYERS[start]}."
    if "static shape" in said or "specialized" in said or "Constraints violated" in said:
        return (
            "Python code fixes the number of instances, by a loop over them, a condition on "
            "it, or a size that is computed from it."
        )
    return ""


def _lines(layer: torch.nn.Module, file: File | None) -> list[tuple[str, int, str]]:
    """Return up to three lines of the layer that were warned about, or of all user code."""
    here = os.path.join(os.path.dirname(torch.__file__), "")
    mine = os.path.join(os.path.dirname(__file__), "")
    warned = [
        (f, n)
        for f, n in dict.fromkeys(file.warned if file else ())
        if not f.startswith((here, mine))
    ]
    if found := _forward(layer):
        path, first, text = found
        inside = [(f, n) for f, n in warned if f == path and first <= n < first + len(text)]
        warned = inside or warned
    return [(os.path.basename(f), n, linecache.getline(f, n).strip()) for f, n in warned[:3]]


def _forward(layer: torch.nn.Module) -> tuple[str, int, list[str]] | None:
    """Return the file, first line and lines of a layer's forward, None for those of PyTorch."""
    try:
        path = inspect.getsourcefile(type(layer).forward)
        text, first = inspect.getsourcelines(type(layer).forward)
    except (OSError, TypeError):
        return None
    if path is None or path.startswith(os.path.join(os.path.dirname(torch.__file__), "")):
        return None
    return path, first, text


def _known(text: str) -> bool:
    return any(re.search(pattern, text) for pattern, _ in LINES)


def _instead(text: str) -> str:
    for pattern, instead in LINES:
        if re.search(pattern, text):
            return instead
    return "the value of a tensor decides in Python; compute with tensors only"
