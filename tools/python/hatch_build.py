"""Puts the engine's program into a wheel. tools/python/wheels.py sets what to put there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAM = "BAGSCOPE_PROGRAM"
"""The environment variable with the path of the program that the wheel holds."""
TAG = "BAGSCOPE_WHEEL_TAG"
"""The environment variable with the wheel's platform, such as ``win_amd64``."""


class Program(BuildHookInterface):
    """Adds the program to ``bagscope/bin``, and names the platform that it runs on."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuse a wheel without a program: it could not explain anything.

        Editable installs are for work on the package, with BAGSCOPE_BINARY.
        """
        if self.target_name != "wheel" or version == "editable":
            return
        program, tag = os.environ.get(PROGRAM), os.environ.get(TAG)
        if not program or not tag:
            raise RuntimeError(
                "bagscope's wheels hold a program written in Go, and its sources are not part of "
                "this distribution. Install a wheel (pip install --only-binary bagscope bagscope), "
                "or clone the repository, install Go 1.26 or newer, and run 'make wheels'"
            )
        name = "bagscope.exe" if Path(program).suffix == ".exe" else "bagscope"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        build_data["force_include"][program] = f"bagscope/bin/{name}"
