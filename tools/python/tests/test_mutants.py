"""The programs that change the code of the package find known gaps in the tests of a small one."""

import json
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).parents[3] / "tools/dev/mutate/python"

CODE = '''"""A package with known gaps in its tests."""


def clamp(v: int, low: int, high: int) -> int:
    """Return v, or the bound that it exceeds."""
    if v < low:
        return low
    if v > high:
        raise ValueError(f"{v} is above {high + 1}")
    return v


def untested(v: int) -> int:
    return v * 2


def endless(n: int) -> int:
    while n > 0:
        n -= 1
    return n
'''

TESTS = """
from tiny import clamp, endless


def test_clamp():
    assert [clamp(v, 2, 5) for v in (1, 3)] == [2, 3]


def test_endless():
    assert endless(3) == 0


def test_that_fails():
    assert clamp(1, 2, 5) == 1
"""


def tool(name: str, *args: object, given: object = None) -> object:
    """Run a program beside the one that measures, and return what it prints."""
    ran = subprocess.run(
        [sys.executable, TOOLS / name, *map(str, args)],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def test_known_gaps_are_found(tmp_path: Path) -> None:
    package, tests = tmp_path / "src" / "tiny", tmp_path / "tests"
    package.mkdir(parents=True)
    tests.mkdir()
    (package / "__init__.py").write_text(CODE)
    (tests / "test_tiny.py").write_text(TESTS)
    listed = tool("candidates.py", package / "__init__.py")
    assert isinstance(listed, list)
    shown = [f"{m['function']} {m['operator']}: {m['shown']}" for m in listed]
    assert shown == [
        "clamp early return: → return 0",
        "clamp guard: v < low → ((v < low) and False)",
        "clamp compare: v < low → v <= low",
        "clamp compare: v < low → v >= low",
        "clamp guard: v > high → ((v > high) and False)",
        "clamp compare: v > high → v >= high",
        "clamp compare: v > high → v <= high",
        "untested early return: → return 0",
        "untested arithmetic: v * 2 → v / 2",
        "untested constant: v * 2 → v * 3",
        "untested constant: v * 2 → v * 0",
        "endless early return: → return 0",
        "endless compare: n > 0 → n >= 0",
        "endless compare: n > 0 → n <= 0",
        "endless constant: n > 0 → n > 1",
        "endless assignment: n -= 1 → pass",
        "endless constant: 1 → 2",
        "endless constant: 1 → 0",
    ]
    tried = [
        "clamp guard: v < low → ((v < low) and False)",
        "clamp guard: v > high → ((v > high) and False)",
        "untested arithmetic: v * 2 → v / 2",
        "endless constant: n > 0 → n > 1",
    ]
    chosen = [dict(m, id=i) for i, m in enumerate(listed) if shown[i] in tried]
    before = (package / "__init__.py").read_bytes()
    found = tool("trial.py", package, tmp_path, "tests", given=chosen)
    assert isinstance(found, dict)
    assert found["left"] == ["tests/test_tiny.py::test_that_fails"]
    assert (package / "__init__.py").read_bytes() == before
    noticed = [shown[i] for i in found["noticed"]]
    assert noticed == [tried[0], tried[3]]
    unreached = [shown[m["id"]] for m in chosen if m["id"] not in found["reached"]]
    assert unreached == [tried[2]]
