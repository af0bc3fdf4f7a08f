"""Explain multiple-instance-learning models: which instances of a bag mattered, for each class.

>>> import bagscope
>>> model = bagscope.open("model.onnx")  # doctest: +SKIP
>>> bagscope.explain(model, bag).scores  # doctest: +SKIP
"""

from ._bag import Bag
from ._check import Check, LayersCheck, LayersStep, MarkCheck, NoiseCheck, check
from ._document import Covariate, Fold, FoldScores, Missed
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
from ._evaluate import Evaluation, Plan, evaluate, inspect, plan, values
from ._explain import Prediction, explain, methods, open, predict
from ._explanation import Explanation, Explanations, Reliability
from ._export import ExportedModel, ExportError, export
from ._game import Game, game
from ._groups import Groups, groups
from ._inside import Inside, inside
from ._load import load
from ._model import Model
from ._pairs import Pairs, pairs
from ._process import close
from ._profile import Profile, profile
from ._sets import Curve, DecisiveSet, Sets, sets
from ._slides import Tiles, tiles
from ._whatif import Change, Step, WhatIf, whatif

__version__ = "0.1.0"

__all__ = [
    "Bag",
    "BagError",
    "BagscopeError",
    "BagscopeMemoryError",
    "BudgetError",
    "CallableError",
    "CancelledError",
    "Change",
    "Check",
    "Covariate",
    "Curve",
    "DecisiveSet",
    "EngineError",
    "Evaluation",
    "Explanation",
    "Explanations",
    "ExportError",
    "ExportedModel",
    "Fold",
    "FoldScores",
    "FormatError",
    "Game",
    "Groups",
    "Inside",
    "LayersCheck",
    "LayersStep",
    "LimitError",
    "MarkCheck",
    "MemoryBusyError",
    "Missed",
    "MissingError",
    "Model",
    "NoiseCheck",
    "NonFiniteError",
    "Pairs",
    "Plan",
    "Prediction",
    "Profile",
    "Reliability",
    "RunError",
    "Sets",
    "SettingError",
    "Step",
    "Tiles",
    "UnavailableError",
    "UnsupportedError",
    "WhatIf",
    "check",
    "close",
    "evaluate",
    "explain",
    "export",
    "game",
    "groups",
    "inside",
    "inspect",
    "load",
    "methods",
    "open",
    "pairs",
    "plan",
    "predict",
    "profile",
    "sets",
    "tiles",
    "values",
    "whatif",
]
