"""Run the command line that the package contains: ``python -m bagscope explain --help``."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

from ._errors import EngineError
from ._process import binary


def main() -> int:
    """Run ``bagscope`` with the arguments of this process, and return its exit code."""
    try:
        command = [binary(), *sys.argv[1:]]
    except EngineError as e:
        print(f"bagscope: {e}", file=sys.stderr)
        return 1
    if sys.platform != "win32":
        # Signals and pipes then reach the command itself.
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        with suppress(KeyboardInterrupt):  # the command gets Ctrl-C too, and ends by itself
            return process.wait()


if __name__ == "__main__":
    sys.exit(main())
