"""Tests of the wheel that make wheels builds for this platform."""

from __future__ import annotations

import os
import platform
import struct
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "tools" / "python" / "wheels.py"

EXAMPLE = """
import bagscope

model = bagscope.open("examples/digits/model.onnx")
e = bagscope.explain(model, "examples/digits/bags.npz", seed=7)
print(e.scores.shape, e.classes[e.prediction.argmax()])
"""


def here() -> str:
    """Return Go's name of this platform."""
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}[sys.platform]
    processor = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    return f"{system}/{processor[platform.machine().lower()]}"


def build(out: Path) -> Path:
    """Build the wheel of this platform."""
    subprocess.run([sys.executable, SCRIPT, "--platform", here(), "--out", out], check=True)
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


def test_wheel_runs_where_only_numpy_is(wheel: Path, tmp_path: Path) -> None:
    """Nothing is fetched: pip gets a folder with the wheels, and no index."""
    wheels = tmp_path / "wheels"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    numpy = f"numpy=={np.__version__}"
    subprocess.run([*pip, "download", "-q", "--no-deps", "-d", wheels, numpy], check=True)
    venv.create(tmp_path / "empty", with_pip=False)
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = tmp_path / "empty" / folder / "python"
    subprocess.run(
        [*pip, "--python", python, "install", "-q", "--no-index", "--find-links", wheels, wheel],
        check=True,
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("BAGSCOPE_", "PYTHON"))}
    ran = subprocess.run(
        [python, "-c", EXAMPLE], cwd=ROOT, env=clean, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "(4, 29) an 8 and a 9\n"
    for command in ([python, "-m", "bagscope"], [python.with_name("bagscope")]):
        ran = subprocess.run(
            [*command, "version"], env=clean, capture_output=True, text=True, check=True
        )
        assert ran.stdout.startswith("bagscope ")
        ran = subprocess.run([*command, "explain"], env=clean, capture_output=True, text=True)
        assert ran.returncode == 2, ran.stderr


def test_wheel_is_reproducible(wheel: Path, tmp_path: Path) -> None:
    assert build(tmp_path).read_bytes() == wheel.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="the tags of Linux")
def test_program_of_linux_needs_no_library(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        program = archive.read("bagscope/bin/bagscope")
        mode = archive.getinfo("bagscope/bin/bagscope").external_attr >> 16
        (metadata,) = (n for n in archive.namelist() if n.endswith(".dist-info/WHEEL"))
        tags = archive.read(metadata).decode()
    assert "manylinux_2_17" in tags
    assert "musllinux_1_1" in tags
    assert mode & 0o111 == 0o111
    assert dynamic(program) == set()


def dynamic(elf: bytes) -> set[int]:
    """Return which of PT_DYNAMIC and PT_INTERP a 64-bit program has: the loader and libraries."""
    offset, size, count = struct.unpack_from("<Q", elf, 32) + struct.unpack_from("<HH", elf, 54)
    kinds = {struct.unpack_from("<I", elf, offset + i * size)[0] for i in range(count)}
    return kinds & {2, 3}


def test_source_distribution_says_what_it_needs(tmp_path: Path) -> None:
    hatchling = [sys.executable, "-m", "hatchling", "build"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BAGSCOPE_")}
    subprocess.run([*hatchling, "-t", "sdist", "-d", tmp_path], cwd=SCRIPT.parent, check=True)
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = (p for p in tmp_path.iterdir() if p.is_dir())
    ran = subprocess.run(
        [*hatchling, "-t", "wheel"], cwd=source, env=clean, capture_output=True, text=True
    )
    assert ran.returncode != 0
    assert "install Go 1.26 or newer, and run 'make wheels'" in ran.stderr
