"""Tries mutants of the Python package by the tests that run their lines.

    python trial.py SOURCE PROJECT TESTS... < mutants.json > noticed.json

SOURCE is the folder of the package, PROJECT that of pyproject.toml, where the tests run, and TESTS
are arguments of pytest there. Both lists have the form that
foreign.go describes. The tests import a copy of SOURCE, so that no file of the tree is edited.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

RECORD = "MUTANTS_RECORD"
"""The environment variable with the file that a recording run writes; it holds the mutants."""

SLACK, GRACE = 5, 20.0
"""Tests with a mutant may take SLACK times what they take without one, and GRACE seconds more."""


class Recorder:
    """A plugin of pytest that notes which mutants each test reaches, its time and its result."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.tests: dict[str, dict[str, Any]] = {}
        self.seen: set[int] = set()
        self.places: dict[str, dict[int, list[int]]] = {}
        for m in json.loads(file.read_text()):
            lines = self.places.setdefault(m["copy"], {})
            first, last = m["where"]
            for number in range(first, last + 1):
                lines.setdefault(number, []).append(m["id"])

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:
        """Follow only the frames of files with mutants."""
        lines = self.places.get(frame.f_code.co_filename)
        if lines is None:
            return None

        def step(frame: FrameType, event: str, arg: object) -> Any:
            self.seen.update(lines.get(frame.f_lineno, ()))
            return step

        return step

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Trace a test with what prepares it and what ends it, in all its threads."""
        self.seen = set()
        start = time.monotonic()
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self.of(item.nodeid).update(took=time.monotonic() - start, reached=sorted(self.seen))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a part of a test fails."""
        if report.failed:
            self.of(report.nodeid)["failed"] = True

    def of(self, test: str) -> dict[str, Any]:
        """Return what is known of a test."""
        return self.tests.setdefault(test, {"failed": False})

    def pytest_sessionfinish(self) -> None:
        """Write what is known of all."""
        self.file.write_text(json.dumps(self.tests))


def pytest_configure(config: pytest.Config) -> None:
    """Record if the environment names a file."""
    if file := os.environ.get(RECORD):
        config.pluginmanager.register(Recorder(Path(file)))


@dataclass
class Suite:
    """The tests of a project with a copy of its package."""

    project: Path
    package: Path  # the copy

    def run(self, tests: list[str], limit: float | None = None, record: Path | None = None) -> bool:
        """Run tests up to a limit in seconds, and report whether all pass."""
        here, above = Path(__file__).resolve().parent, self.package.parent
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (here, above))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(above / "hypothesis"),
            **({RECORD: str(record)} if record else {}),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "trial", "-p", "no:cacheprovider"]
        command += ["-o", f"pythonpath={above}", "--hypothesis-seed=0"]
        process = subprocess.Popen(
            [*command, *([] if record else ["-x"]), *tests],
            cwd=self.project,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # a group, with which a mutant without end is killed
        )
        try:
            return process.wait(limit) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False

    def record(self, tests: list[str], mutants: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Run tests without a change. Return what each reaches, its time and whether it fails."""
        file = self.package.parent / "record.json"
        file.write_text(json.dumps(mutants))
        self.run(tests, record=file)
        found = json.loads(file.read_text())
        if not isinstance(found, dict):
            raise SystemExit(f"pytest ended before its tests: {self.project}, {tests}")
        passing = [name for name, test in found.items() if not test["failed"] and test["reached"]]
        if passing and not self.run(passing[:1]):
            raise SystemExit(f"{passing[0]} passes with others and fails alone")
        return found

    def notices(self, m: dict[str, Any], tests: dict[str, dict[str, Any]]) -> bool:
        """Try a mutant by tests, the quickest first."""
        names = sorted(tests, key=lambda name: float(tests[name]["took"]))
        limit = SLACK * sum(test["took"] for test in tests.values()) + GRACE
        file = Path(m["copy"])
        before = file.read_bytes()
        file.write_bytes(before[: m["begin"]] + m["text"].encode() + before[m["end"] :])
        try:
            return not self.run(names, limit)
        finally:
            file.write_bytes(before)


def trial(
    source: Path, project: Path, tests: list[str], mutants: list[dict[str, Any]]
) -> dict[str, object]:
    """Return the numbers of the mutants that tests reach and notice, and the tests that fail."""
    with tempfile.TemporaryDirectory() as scratch:
        package = Path(scratch) / source.name
        shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
        for m in mutants:
            m["copy"] = str(package / Path(m["file"]).relative_to(source))
        suite = Suite(project, package)
        found = suite.record(tests, mutants)
        noticed, reached = [], []
        for m in mutants:
            of = {
                name: test
                for name, test in found.items()
                if not test["failed"] and m["id"] in test["reached"]
            }
            if of:
                reached.append(m["id"])
                if suite.notices(m, of):
                    noticed.append(m["id"])
        left = [name for name, test in found.items() if test["failed"]]
        return {"noticed": noticed, "reached": reached, "left": left}


if __name__ == "__main__":
    source, project, *tests = sys.argv[1:]
    json.dump(trial(Path(source), Path(project), tests, json.load(sys.stdin)), sys.stdout)
