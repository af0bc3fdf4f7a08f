"""Which layers of a module compute in another precision than the engine, and what to do."""

from __future__ import annotations

import torch

from ._inputs import Example
from ._outputs import flatten

HALF = (torch.float16, torch.bfloat16)

REMEDY = (
    "Export copy.deepcopy(module).float() with an example of float32, and without torch.autocast: "
    "float32 holds all weights of half precision exactly"
)


def advise_half(module: torch.nn.Module, bag: Example) -> str:
    """Return what to do about the first layer that returns half precision, "" if none does.

    The engine computes in float32, so that scores of such a layer differ by its rounding.
    """
    found: list[str] = []

    def watch(name: str, layer: torch.nn.Module) -> torch.utils.hooks.RemovableHandle:
        def after(_: torch.nn.Module, __: object, result: object) -> None:
            halves = [t for t in flatten(result, torch.is_tensor).values() if t.dtype in HALF]
            if halves and not found:
                place = f"Layer {name!r}" if name else "The module"
                found.append(
                    f"{place} ({type(layer).__name__}) returns {_name(halves[0])}, whose rounding "
                    f"the engine, which computes in float32, does not repeat. {REMEDY}."
                )

        return layer.register_forward_hook(after)

    handles = [watch(name, layer) for name, layer in module.named_modules()]
    try:
        bag.call(module, list(bag.tensors.values()))
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else ""


def advise_mixed(module: torch.nn.Module, bag: Example) -> str:
    """Return what to do if the example has floats of other types than the weights, "" if not."""
    weights = [t for t in module.state_dict().values() if _is_float(t)]
    inputs = [t for t in bag.tensors.values() if _is_float(t)]
    if not weights or not inputs or any(t.dtype == weights[0].dtype for t in inputs):
        return ""
    said = f"The weights are {_name(weights[0])} and the example is {_name(inputs[0])}"
    if weights[0].dtype in HALF:
        return f"{said}. {REMEDY}"
    return f"{said}: pass the example as {_name(weights[0])}"


def _is_float(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
