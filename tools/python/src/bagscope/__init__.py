"""Explain multiple-instance-learning models: which instances of a bag mattered, for each class.

>>> import bagscope
>>> model = bagscope.open("model.onnx")  # doctest: +SKIP
>>> bagscope.explain(model, bag).scores  # doctest: +SKIP
"""

from ._bag import Bag
from ._errors import (
    BagError,
    BagscopeError,
    BagscopeMemoryError,
    BudgetError,
    CallableError,
    CancelledError,
    EngineError,
    FormatError,
    LimitError,
    MemoryBusyError,
    MissingError,
    NonFiniteError,
    RunError,
    SettingError,
    UnavailableError,
    UnsupportedError,
)
from ._explain import Prediction, explain, methods, open, predict
from ._explanation import Explanation, Explanations, Reliability
from ._export import ExportedModel, ExportError, export
from ._model import Model
from ._process import close

__version__ = "0.1.0"

__all__ = [
    "Bag",
    "BagError",
    "BagscopeError",
    "BagscopeMemoryError",
    "BudgetError",
    "CallableError",
    "CancelledError",
    "EngineError",
    "Explanation",
    "Explanations",
    "ExportError",
    "ExportedModel",
    "FormatError",
    "LimitError",
    "MemoryBusyError",
    "MissingError",
    "Model",
    "NonFiniteError",
    "Prediction",
    "Reliability",
    "RunError",
    "SettingError",
    "UnavailableError",
    "UnsupportedError",
    "close",
    "explain",
    "export",
    "methods",
    "open",
    "predict",
]
