"""The engine on a file that was exported."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _wire as wire
from .._bag import Bag
from .._errors import (
    BagError,
    FormatError,
    LimitError,
    MissingError,
    NonFiniteError,
    RunError,
    UnsupportedError,
)
from .._explain import predict
from .._model import Model
from ._file import File

errors = (
    BagError,
    FormatError,
    LimitError,
    MissingError,
    NonFiniteError,
    RunError,
    UnsupportedError,
)
"""What the engine raises if it cannot run a file on a bag."""


class Judge:
    """Opens a file with a card, and computes with it what bagscope will compute."""

    def __init__(self, file: File, card: dict[str, Any]) -> None:
        # The engine reads weights beside the file, and opens it again if it has to restart.
        folder = Path(tempfile.mkdtemp(prefix="bagscope-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        for name, data in file.external.items():
            (folder / name).write_bytes(data)
        path = folder / "model.onnx"
        path.write_bytes(file.data)
        self.model = Model(path, card=card)

    def outputs(self, bag: Bag) -> dict[str, NDArray[np.float64]]:
        """Return all outputs of the file for a bag by name, not transformed."""
        return predict(self.model, bag).outputs

    def plan(self, bag: Bag) -> list[str]:
        """Return sentences on what runs once for a bag, and why."""
        bound = self.model.bound(bag)
        plan = bound.call(wire.Plan(bound.model.handle, bound.bag.handle))
        assert isinstance(plan, wire.Planned)
        once, each = len(plan.once), len(plan.each)
        first = f"Nothing is encoded once: all {each} nodes run for coalitions"
        if once:
            first = f"Instances are encoded once: {once} nodes for the bag, {each} for coalitions"
        return [f"{first} ({plan.strategy}).", *plan.why]
