"""Write onnxbackend/internal/ops/attributes.txt, the attributes of each operator.

    pip install --require-hashes --no-deps -r testdata/requirements.txt
    pip install -r tools/gen/attributes/requirements.txt
    python tools/gen/attributes/attributes.py

The operators are the rows of onnxbackend/internal/ops/table_*.go. Their attributes are those of the
schemas in the package onnx, whose version testdata/requirements.txt pins. The script stops if a row
lists other versions than the schemas.
"""

import itertools
import pathlib
import re

import onnx
from onnx import defs

OPS = pathlib.Path(__file__).parents[3] / "onnxbackend" / "internal" / "ops"
ROW = re.compile(r'Name: "(\w+)", Since: \[\]int\{([\d, ]+)\}')
OLDEST = int(re.search(r"Oldest = (\d+)", (OPS / "row.go").read_text()).group(1))


def rows():
    """Return the versions of each operator of the table, in the order of names."""
    text = "\n".join(p.read_text() for p in sorted(OPS.glob("table_*.go")))
    return {name: [int(v) for v in since.split(",")] for name, since in sorted(ROW.findall(text))}


def histories():
    """Return the schemas of each operator of the default domain, in the order of versions."""
    found = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "":
            found.setdefault(schema.name, []).append(schema)
    return {name: sorted(h, key=lambda s: s.since_version) for name, h in found.items()}


def check(name, since, history):
    """Stop if a row's versions are not those of the schemas, with or without the one that
    ends the operator."""
    later = [s for s in history if s.since_version >= since[0]]
    versions = [s.since_version for s in later]
    if since not in (versions, [s.since_version for s in later if not s.deprecated]):
        raise SystemExit(f"{name}: the row lists the versions {since}, the schemas {versions}")


def attributes(schema):
    """Return the attributes of a schema as text."""
    return " ".join(text(a) for _, a in sorted(schema.attributes.items()))


def text(attribute):
    """Return NAME:KIND, with ! if the attribute is required, or = and its default."""
    default = onnx.helper.get_attribute_value(attribute.default_value) \
        if attribute.default_value.name else None
    if attribute.required:
        end = "!"
    elif default is None:
        end = ""
    else:
        values = default if isinstance(default, list) else [default]
        end = "=" + ",".join(map(word, values))
    return f"{attribute.name}:{str(attribute.type).split('.')[-1]}{end}"


def word(value):
    """Return a number or text without spaces. A float has the digits of float32."""
    if isinstance(value, bytes):
        return value.decode()
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def table():
    """Yield the lines of the table."""
    yield f"# Written by tools/gen/attributes/attributes.py from onnx {onnx.__version__}."
    known = histories()
    for name, since in rows().items():
        check(name, since, known[name])
        # Of the versions up to OLDEST, the engine supports the last one only.
        first = max([v for v in since if v <= OLDEST], default=since[0])
        later = [s for s in known[name] if s.since_version in since[since.index(first):]]
        for now, alike in itertools.groupby(later, attributes):
            versions = ",".join(str(s.since_version) for s in alike)
            yield f"{name} {versions} {now}".rstrip()


(OPS / "attributes.txt").write_text("\n".join(table()) + "\n")
