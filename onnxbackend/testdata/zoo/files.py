"""What the export scripts of this folder share: how a model and its bags are written."""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).parent
onnxruntime.set_default_logger_severity(4)


def digits(t):
    """Numbers as JSON takes them, null for what is missing."""
    flat = np.asarray(t, np.float32).ravel()
    return [None if np.isnan(v) else float(np.format_float_positional(v, 8, fractional=False)) for v in flat]


def small(m):
    """The model without what no runtime reads, such as places in source files, and with short names of nodes and values."""
    g = m.graph
    for part in (m, g, *g.node):
        part.doc_string = ""
        del part.metadata_props[:]
    del g.value_info[:]
    if any(a.HasField("g") for n in g.node for a in n.attribute) or m.functions:
        return m
    kept = {v.name for v in (*g.input, *g.output)}
    short = {"": ""}

    def rename(name):
        return name if name in kept else short.setdefault(name, f"v{len(short)}")

    for t in g.initializer:
        t.name = rename(t.name)
    for i, n in enumerate(g.node):
        n.name = f"n{i}"
        n.input[:], n.output[:] = [rename(x) for x in n.input], [rename(x) for x in n.output]
    return m


def run(path, x):
    """The first output of a file by onnxruntime, as the file has it: optimisation joins what is to be rounded apart."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options)
    given = session.get_inputs()[0]
    if len(given.shape) > x.ndim:
        x = x[None]
    return session.run(None, {given.name: x.astype(np.float16 if "16" in given.type else np.float32)})[0]


def write(folder, name, m):
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.onnx"
    path.write_bytes(small(m).SerializeToString(deterministic=True))
    return path


def write_bags(folder, shape, bags):
    """bags: number of instances to (values, logits of every file), or to (values, logits by file)."""
    rows = []
    for k, (values, logits) in bags.items():
        row = {"instances": k, "values": digits(values)}
        if isinstance(logits, dict):
            row["by_file"] = {name: digits(v) for name, v in logits.items()}
        else:
            row["logits"] = digits(logits)
        rows.append(row)
    (folder / "bags.json").write_text(json.dumps({"shape": list(shape), "bags": rows}))
