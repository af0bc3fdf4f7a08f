"""What a model returns: which tensor holds the class scores, and which one scores instances."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._error import ExportError

Tensors = dict[str, NDArray[Any]]
"""The outputs of a model by name."""

SCORES = ("logits", "bag_logits", "scores", "y_pred", "output")
"""Names of class scores, the preferred one first, if several outputs could be them."""


@dataclass(frozen=True)
class Outputs:
    """The outputs that an export keeps.

    ``scores`` names the class scores, ``inherent`` the output with one score for each instance or
    None. ``scale`` is what the module states about the scores: another output is their softmax or
    sigmoid, or its criterion takes logits. It is None if nothing states it; ``notes`` give reasons.
    """

    scores: str
    inherent: str | None
    scale: str | None
    notes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The outputs that the file has, in order, by the names of ``flatten``."""
        return [self.scores] if self.inherent is None else [self.scores, self.inherent]


def graph_name(output: str, inputs: Collection[str]) -> str:
    """Return the name of an output in the file, which is none of its inputs."""
    while output in inputs:
        output += "_out"
    return output


def flatten(value: Any, is_tensor: Callable[[Any], bool], name: str = "") -> dict[str, Any]:
    """Return the tensors in what a model returned, by names such as ``logits`` or ``output_1``.

    Tuples, lists, mappings and dataclasses are opened. Everything else that is no tensor is left
    out. A single tensor is named ``scores``.
    """
    if is_tensor(value):
        return {name or "scores": value}
    if isinstance(value, Mapping):
        parts = [(str(key), part) for key, part in value.items()]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    elif isinstance(value, (tuple, list)):
        fields = getattr(value, "_fields", range(len(value)))
        parts = [(_key(key), part) for key, part in zip(fields, value, strict=True)]
    else:
        return {}
    found: dict[str, Any] = {}
    for key, part in parts:
        found.update(flatten(part, is_tensor, f"{name}.{key}" if name else key))
    return found


def _key(key: int | str) -> str:
    """Return the name of a part. Names in files must not begin with a digit."""
    return f"output_{key}" if isinstance(key, int) else key


def choose(
    small: Tensors,
    large: Tensors,
    sizes: tuple[int, int],
    wanted: str | None,
    attention: str | None,
    criterion: Any,
) -> Outputs:
    """Choose the class scores and the instances' scores.

    ``small`` and ``large`` are the outputs for two bags with numbers of instances ``sizes``. Class
    scores have the same number of elements for both, inherent scores one for each instance.
    """
    fixed = [n for n in _floats(small, large) if small[n].size == large[n].size]
    per = [n for n in _floats(small, large) if (small[n].size, large[n].size) == sizes]
    scores, scale, notes = _scores(small, fixed, wanted)
    if attention is None and len(per) > 1:
        named = [n for n in per if "att" in n.lower()]
        per = named if len(named) == 1 else per
    if attention is not None and attention not in per:
        raise ExportError(
            f"output {attention!r} does not have one number for each instance; those that do: "
            f"{_list(small, per)}"
        )
    if attention is None and len(per) > 1:
        notes.append(
            f"{len(per)} outputs have one number for each instance ({', '.join(per)}); attention "
            "chooses one for the method Inherent"
        )
        per = []
    inherent = attention or (per[0] if per else None)
    if scale is None:
        scale, note = _criterion_scale(criterion, small[scores].size)
        notes += note
    return Outputs(scores, inherent, scale, tuple(notes))


def _floats(small: Tensors, large: Tensors) -> list[str]:
    return [n for n, t in small.items() if n in large and t.dtype.kind == "f" and t.size]


def _scores(
    found: Tensors, fixed: list[str], wanted: str | None
) -> tuple[str, str | None, list[str]]:
    """Return the output with class scores, its scale if another output shows it, and notes."""
    if wanted is not None:
        if wanted not in found:
            raise ExportError(
                f"the model returns no output {wanted!r}; output is one of "
                f"{_list(found, list(found))}"
            )
        if wanted not in fixed:
            raise ExportError(
                f"output {wanted!r} changes its shape with the number of instances; class scores "
                f"do not: {_list(found, fixed)}"
            )
        return wanted, _scale_of(found, wanted, fixed), []
    if not fixed:
        raise ExportError(
            "no output has the same number of scores for every number of instances: "
            f"{_list(found, list(found))}. Return one score for each class of the bag"
        )
    for name in fixed:
        if (scale := _scale_of(found, name, fixed)) is not None:
            return name, scale, [f"output {name!r} holds {scale}: another output is their function"]
    named = [n for want in SCORES for n in fixed if n.lower().split(".")[-1] == want]
    if len(fixed) == 1 or named:
        return (named or fixed)[0], None, []
    raise ExportError(
        f"several outputs could be the class scores: {_list(found, fixed)}. Say which one by "
        f"output={fixed[0]!r}"
    )


def _scale_of(found: Tensors, name: str, others: list[str]) -> str | None:
    """Return the scale of logits of which another output is the softmax or sigmoid."""
    logits = found[name].ravel().astype(np.float64)
    parts = np.exp(logits - logits.max())
    for other in others:
        values = found[other].ravel()
        if other == name or values.shape != logits.shape:
            continue
        if len(logits) > 1 and np.allclose(values, parts / parts.sum(), atol=1e-5):
            return "logits"
        if np.allclose(values, 0.5 + 0.5 * np.tanh(logits / 2), atol=1e-5):
            return "sigmoid-logits"
    return None


def _criterion_scale(criterion: Any, classes: int) -> tuple[str | None, list[str]]:
    """Return the scale that a module's own loss states."""
    kinds = {"BCEWithLogitsLoss": "sigmoid-logits", "CrossEntropyLoss": "logits"}
    scale = kinds.get(type(criterion).__name__)
    if scale is None or (scale == "logits" and classes == 1):
        return None, []
    return scale, [
        f"scores are {scale}, because the module's criterion is {type(criterion).__name__}"
    ]


def _list(found: Tensors, names: list[str]) -> str:
    return ", ".join(f"{n!r} of shape {tuple(found[n].shape)}" for n in names) or "none"


def check_classes(card: dict[str, Any], scores: str, count: int) -> None:
    """Raise an ExportError if the names of classes are not as many as the scores."""
    names = card.get("classes")
    if names is None or len(names) == count:
        return
    way_out = (
        f"a single score is that of one class: classes=[{names[-1]!r}]"
        if count == 1 and names
        else "name each"
    )
    noun = "score" if count == 1 else "scores"
    raise ExportError(
        f"classes names {len(names)} classes, but output {scores!r} has {count} {noun}; {way_out}"
    )
