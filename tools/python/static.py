"""Copies the widget of wasm/npm into the package, and its engine compressed as pages read it."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent.parent / "wasm" / "npm" / "dist"
STATIC = HERE / "src" / "bagscope" / "static"


def main() -> None:
    """Write the files. Equal inputs give equal bytes: the archive has no time."""
    STATIC.mkdir(exist_ok=True)
    shutil.copyfile(BUILT / "widget.js", STATIC / "widget.js")
    shutil.copyfile(BUILT / "LICENSES.txt", HERE / "LICENSES-widget.txt")
    program = gzip.compress((BUILT / "bagscope.wasm").read_bytes(), 9, mtime=0)
    (STATIC / "bagscope.wasm.gz").write_bytes(program)


if __name__ == "__main__":
    main()
