"""The binary and the files that tests use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BINARY = Path(
    os.environ.setdefault(
        "BAGSCOPE_BINARY",
        str(ROOT / "build" / ("bagscope.exe" if sys.platform == "win32" else "bagscope")),
    )
)

from bagscope import close  # noqa: E402

TINY = ROOT / "wasm/parity/testdata/tiny.onnx"
TINY_BAGS = ROOT / "wasm/parity/testdata/tiny.csv"


def command(*args: object) -> str:
    """Run the command line and return its output."""
    return subprocess.run(
        [BINARY, *map(str, args)], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture(autouse=True, scope="session")
def _ends() -> object:
    yield
    close()
