"""Lists the mutants of the functions of Python files.

    python candidates.py FILES... > candidates.json

The list has the form that foreign.go describes. A mutant's "where" is the first and the last of the
lines of which a test runs some if it reaches the mutant. The program needs the standard library.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SWAPS: dict[type, tuple[str, tuple[str, ...]]] = {
    ast.Lt: ("compare", ("<=", ">=")),
    ast.LtE: ("compare", ("<", ">")),
    ast.Gt: ("compare", (">=", "<=")),
    ast.GtE: ("compare", (">", "<")),
    ast.Eq: ("equality", ("!=",)),
    ast.NotEq: ("equality", ("==",)),
    ast.Is: ("equality", ("is not",)),
    ast.IsNot: ("equality", ("is",)),
    ast.In: ("equality", ("not in",)),
    ast.NotIn: ("equality", ("in",)),
    ast.And: ("logic", ("or",)),
    ast.Or: ("logic", ("and",)),
    ast.Add: ("arithmetic", ("-",)),
    ast.Sub: ("arithmetic", ("+",)),
    ast.Mult: ("arithmetic", ("/",)),
    ast.Div: ("arithmetic", ("*",)),
    ast.FloorDiv: ("arithmetic", ("*",)),
    ast.Mod: ("arithmetic", ("*",)),
    ast.LShift: ("arithmetic", (">>",)),
    ast.RShift: ("arithmetic", ("<<",)),
    ast.BitAnd: ("arithmetic", ("|",)),
    ast.BitOr: ("arithmetic", ("&",)),
}
"""What replaces an operator."""

EMPTY = {"int": "0", "float": "0.0", "str": '""', "bytes": 'b""', "bool": "False"}
"""What a function returns at once, by its annotation; others return None, [] or {}."""


class Source:
    """A file with the offsets of its lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = path.read_bytes()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the bytes of a node: the columns of ast are bytes, too."""
        at: Any = node
        return (
            self.starts[at.lineno - 1] + at.col_offset,
            self.starts[at.end_lineno - 1] + at.end_col_offset,
        )

    def text(self, begin: int, end: int) -> str:
        """Return the source between two offsets."""
        return self.data[begin:end].decode()

    def operator(self, left: ast.AST, right: ast.AST) -> tuple[int, int]:
        """Return the bytes of the operator between two operands."""
        begin, end = self.span(left)[1], self.span(right)[0]
        between = self.data[begin:end]
        inside = between.strip(b"() \t\r\n\\")
        at = begin + between.index(inside)
        return at, at + len(inside)


@dataclass
class Change:
    """What replaces the bytes from begin to end, and the node that a table shows."""

    operator: str
    begin: int
    end: int
    text: str
    shown: ast.AST


def changes(source: Source, node: ast.AST, parent: ast.AST) -> Iterator[Change]:
    """Yield the changes of one node."""
    begin, end = source.span(node) if hasattr(node, "lineno") else (0, 0)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        kind, others = SWAPS[type(node.ops[0])]
        at = source.operator(node.left, node.comparators[0])
        for other in others:
            yield Change(kind, *at, other, node)
    elif isinstance(node, ast.BoolOp):
        kind, others = SWAPS[type(node.op)]
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield Change(kind, *source.operator(left, right), others[0], node)
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        kind, others = SWAPS[type(node.op)]
        yield Change(kind, *source.operator(node.left, node.right), others[0], node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        if not isinstance(node.operand, ast.Constant):
            word = 3 if isinstance(node.op, ast.Not) else 1
            yield Change("negation", begin, begin + word, "", node)
    elif isinstance(node, ast.Constant) and not isinstance(parent, ast.Expr):
        shown = parent if isinstance(parent, ast.expr) else node
        for value in constants(node.value):
            yield Change("constant", begin, end, value, shown)
    elif isinstance(node, ast.Slice):
        for bound, text in ((node.lower, "+1"), (node.upper, "-1")):
            if bound:
                end = source.span(bound)[1]
                yield Change("slice", end, end, text, parent)
    elif isinstance(node, ast.If | ast.IfExp):
        leaves = isinstance(node, ast.If) and not node.orelse and leaving(node.body[-1])
        at = source.span(node.test)
        never = f"(({source.text(*at)}) and False)"
        yield Change("guard" if leaves else "branch", *at, never, node.test)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield Change("call", begin, end, "pass", node)
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Assign)
        and all(isinstance(t, ast.Attribute | ast.Subscript) for t in node.targets)
    ):
        yield Change("assignment", begin, end, "pass", node)


def constants(value: object) -> list[str]:
    """Return what replaces a constant: another truth, one more and 0, a tenth more."""
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        return [str(value + 1), *(["0"] if value else [])]
    if isinstance(value, float) and value:
        return [repr(value * 1.1)]
    return []


def leaving(statement: ast.stmt) -> bool:
    """Report whether a statement leaves the function or the loop."""
    return isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)


def early(source: Source, function: ast.FunctionDef) -> Iterator[tuple[Change, ast.stmt]]:
    """Yield a return of a value of the annotated type, and the statement that it stands before."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body or isinstance(body[0], ast.Raise | ast.Pass) or ast.unparse(body[0]) == "...":
        return
    named = ast.unparse(function.returns) if function.returns else "None"
    value = EMPTY.get(named, "None")
    for prefix, empty in (("list[", "[]"), ("dict[", "{}"), ("tuple[", "()")):
        value = empty if named.startswith(prefix) else value
    begin, _ = source.span(body[0])
    text = f"return {value}\n" + " " * body[0].col_offset
    yield Change("early return", begin, begin, text, function), body[0]


def walk(node: ast.AST, parents: list[ast.AST]) -> Iterator[list[ast.AST]]:
    """Yield each node that may be changed, behind its parents.

    Messages of errors, annotations, decorators, defaults and texts with values are left out: the
    positions in the last are wrong before Python 3.12.
    """
    for field, child in (
        (name, c)
        for name, value in ast.iter_fields(node)
        for c in (value if isinstance(value, list) else [value])
        if isinstance(c, ast.AST)
    ):
        if field in ("annotation", "returns", "decorator_list", "args") and not isinstance(
            node, ast.Call
        ):
            continue
        if isinstance(child, ast.Raise | ast.JoinedStr | ast.expr_context):
            continue
        path = [*parents, node, child]
        yield path
        yield from walk(child, path[:-1])


def candidates(path: Path) -> Iterator[dict[str, object]]:
    """Yield the mutants of the functions of a file."""
    source = Source(path)
    tree = ast.parse(source.data)
    classes = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    owners: list[ast.Module | ast.ClassDef] = [tree, *classes]
    for owner in owners:
        prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
        for function in owner.body:
            if not isinstance(function, ast.FunctionDef):
                continue
            found = list(early(source, function))
            for chain in walk(function, []):
                statement = next(n for n in reversed(chain) if isinstance(n, ast.stmt))
                found += [(c, statement) for c in changes(source, chain[-1], chain[-2])]
            for change, statement in found:
                yield entry(source, prefix + function.name, change, statement)


def entry(source: Source, function: str, change: Change, statement: ast.stmt) -> dict[str, object]:
    """Return a mutant as program.go reads it."""
    at: Any = change.shown
    if change.operator == "early return":
        shown = "→ " + change.text.strip()
    else:
        begin, end = source.span(change.shown)
        after = source.text(begin, change.begin) + change.text + source.text(change.end, end)
        shown = f"{line(source.text(begin, end))} → {line(after)}"
    # The header of a compound statement, or the whole of a simple one.
    body: list[ast.stmt] | None = getattr(statement, "body", None)
    last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno
    first = statement.lineno
    return {
        "file": str(source.path), "line": at.lineno, "function": function,
        "operator": change.operator, "shown": shown, "begin": change.begin, "end": change.end,
        "text": change.text, "where": [first, last],
    }  # fmt: skip


def line(code: str) -> str:
    """Return code as one line of up to 100 characters."""
    text = " ".join(code.split())
    return text if len(text) <= 100 else text[:99] + "…"


if __name__ == "__main__":
    json.dump([c for name in sys.argv[1:] for c in candidates(Path(name))], sys.stdout)
