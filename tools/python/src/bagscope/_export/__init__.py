"""Export of models to ONNX files that are proved to compute the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .._model import Model
from ._error import ExportError
from ._proof import Proof

__all__ = ["ExportError", "ExportedModel", "Proof", "export"]


class ExportedModel(Model):
    """A model that was exported and proved.

    Attributes
    ----------
    proof : Proof
        What was compared.
    """

    def __init__(self, path: str | os.PathLike[str], proof: Proof) -> None:
        super().__init__(path)
        self.proof = proof


def export(
    module: Any,
    example_bag: Any,
    path: str | os.PathLike[str],
    classes: Sequence[str] | None = None,
    *,
    output: str | None = None,
    attention: str | None = None,
    instance_axis: int | None = None,
    scale: str | None = None,
    pool: str | None = None,
    card: dict[str, Any] | None = None,
    seed: int = 0,
) -> ExportedModel:
    """Write a model to an ONNX file and prove that the file computes the same.

    The file is compared with the module for bags of 1, 2, 7 and 64 instances and for a bag in
    another order. Scores may differ by 1e-4 of the larger of 1 and the largest score. A module is
    exported on the CPU in evaluation mode; its mode and device are restored. A module in half
    precision is exported as ``copy.deepcopy(module).float()``, because the engine computes in
    float32.

    From PyTorch 2.9 on, the exporter based on ``torch.export`` is tried first and the one based on
    TorchScript second; older versions try them the other way around. A Keras model is exported by
    Keras itself, which needs tf2onnx; with PyTorch as its backend it is a module.

    Parameters
    ----------
    module : torch.nn.Module, keras.Model or scikit-learn estimator
        The model of bags. An estimator scores instances, and ``pool`` combines their scores.
    example_bag : tensor, array, tuple, mapping or list
        A bag of at least two instances: (k, ...), or (1, k, ...) for a module of batches. A tuple
        is passed as positional arguments, a mapping as keywords, and a list of one bag as a list.
        Further inputs with the bag's number of instances, such as coordinates, are part of the
        instances.
    path : path
        The file to write. Weights of more than 2 GB lie beside it.
    classes : sequence of str, optional
        Names of the classes.
    output : str, optional
        The output with the class scores, if several could be: a key, a field, or ``output_0`` for
        the first of a tuple.
    attention : str, optional
        The output with one score for each instance, for the method Inherent; found if there is one.
    instance_axis : int, optional
        Axis of the instances, by default 0, or 1 behind an axis of one.
    scale : {"logits", "sigmoid-logits", "probabilities", "log-probabilities", "raw"}, optional
        Meaning of the scores, by default found from outputs, the module's criterion and the graph.
    pool : {"mean", "max"}, optional
        How the instances' probabilities of an estimator are combined.
    card : dict, optional
        Further keys of the model card, such as ``negative``, ``truth`` and ``preprocess``.
    seed : int, default 0
        Seed of the bags that are compared.

    Returns
    -------
    ExportedModel
        The opened file. Its attribute ``proof`` states what was compared.

    Raises
    ------
    ExportError
        If no exporter writes a file that computes the same. The message says which layer is the
        cause, as far as it was found, and what to write instead.
    """
    keys = dict(card or {})
    if classes is not None:
        keys["classes"] = list(classes)
    if scale is not None:
        keys["output"] = scale
    # The frameworks are loaded where they are needed: all are optional.
    if hasattr(module, "state_dict") and callable(module):
        from ._module import export_module

        proof = export_module(
            module,
            example_bag,
            path,
            keys,
            output=output,
            attention=attention,
            instance_axis=instance_axis,
            seed=seed,
        )
    elif hasattr(module, "predict_proba"):
        from ._estimator import export_estimator

        proof = export_estimator(module, example_bag, path, keys, pool, seed)
    elif any(c.__module__.partition(".")[0] == "keras" for c in type(module).__mro__):
        from ._keras import export_keras

        proof = export_keras(
            module,
            example_bag,
            path,
            keys,
            output=output,
            attention=attention,
            instance_axis=instance_axis,
            seed=seed,
        )
    else:
        raise ExportError(
            f"a {type(module).__name__} cannot be exported; pass a torch.nn.Module, a keras.Model "
            "or a fitted classifier of scikit-learn. bagscope.explain takes any function of a bag "
            "as it is"
        )
    return ExportedModel(path, proof)
