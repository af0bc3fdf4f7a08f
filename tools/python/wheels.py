"""Builds the wheels of all platforms and the source distribution.

The program is Go without C, so that every platform is compiled here, and a Linux program runs with
any C library. The same commit gives the same bytes: the program holds no paths and only the time of
the commit, and the build backend sorts the archive and takes its times from SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    # Go 1.26 runs on macOS 12 and newer.
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}
"""Go's names of the platforms, and the tags of their wheels."""

SIZES = ROOT / "tools" / "dev" / "sizes" / "sizes.json"
"""The recorded sizes of built files. The wheel's is that of Linux on amd64."""


def compile_program(platform: str, folder: Path) -> Path:
    """Compile the everyday command for a platform into a folder and return its path."""
    system, processor = platform.split("/")
    program = folder / program_name(platform)
    environment = os.environ | {"GOOS": system, "GOARCH": processor, "CGO_ENABLED": "0"}
    go = ["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./tools/cmd/bagscope"]
    subprocess.run(go, cwd=ROOT, env=environment, check=True)
    return program


def program_name(platform: str) -> str:
    """Return the name of the everyday command's file on a platform."""
    return "bagscope.exe" if platform.startswith("windows/") else "bagscope"


@contextmanager
def licences(platform: str) -> Iterator[None]:
    """Write the licences of what a program links where the wheel's metadata takes them."""
    system, processor = platform.split("/")
    file = HERE / "LICENSES.txt"
    go = ["go", "run", "./tools/dev/licences", "-os", system, "-arch", processor, "-out", file]
    subprocess.run([*go, "./tools/cmd/bagscope"], cwd=ROOT, check=True)
    try:
        yield
    finally:
        file.unlink()


def build(target: str, out: Path, environment: dict[str, str]) -> Path:
    """Build a distribution and return its path."""
    shutil.copyfile(ROOT / "LICENSE", HERE / "LICENSE")
    before = set(out.iterdir())
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", out],
        cwd=HERE,
        env=os.environ | environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return (set(out.iterdir()) - before).pop()


def wheel(platform: str, out: Path, programs: Path | None) -> Path:
    """Build the wheel of a platform, with the program of a folder of programs or a new one."""
    with tempfile.TemporaryDirectory() as folder:
        if programs:
            program = programs.resolve() / platform.replace("/", "-") / program_name(platform)
        else:
            program = compile_program(platform, Path(folder))
        environment = {
            "BAGSCOPE_PROGRAM": str(program),
            "BAGSCOPE_WHEEL_TAG": PLATFORMS[platform],
        }
        with licences(platform):
            path = build("wheel", out, environment)
    check_size(path)
    return path


def check_size(path: Path) -> None:
    """Exit if a wheel is more than 10 % above the recorded size, and warn if it is 10 % below.

    If the environment variable SIZES names a file, the size is appended to it and not compared:
    tools/dev/sizes/sizes.mjs does that.
    """
    size = path.stat().st_size
    if out := os.environ.get("SIZES"):
        with Path(out).open("a") as file:
            file.write(f"{size} wheel\n")
        return
    recorded = json.loads(SIZES.read_text())["wheel"]
    text = (
        f"{path.name} has {size} bytes, recorded are {recorded}; if the change is intended, "
        "record it by: make sizes ARGS=-update"
    )
    if 10 * size > 11 * recorded:
        raise SystemExit(text)
    if 10 * size < 9 * recorded:
        print(text, file=sys.stderr)


def main() -> None:
    """Build what the arguments name, all platforms by default, into an emptied folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheels")
    parser.add_argument("--platform", choices=PLATFORMS, action="append", default=[])
    parser.add_argument("--programs", type=Path, help="folder with programs, PLATFORM/bagscope")
    parser.add_argument("--sdist", action="store_true", help="also with --platform")
    options = parser.parse_args()
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in [*out.glob("*.whl"), *out.glob("*.tar.gz")]:
        old.unlink()
    for platform in options.platform or PLATFORMS:
        path = wheel(platform, out, options.programs)
        print(f"{path.stat().st_size / 1e6:5.1f} MB  {path.name}")
    if options.sdist or not options.platform:
        print(f"{build('sdist', out, {}).name}")


if __name__ == "__main__":
    main()
