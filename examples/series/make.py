"""Draws a CT series of a chest with a nodule, and trains a network on others like it.

python make.py FOLDER writes series.zip, truth.json and model.onnx. It needs numpy, scipy, pydicom, onnx and
jax. Series are drawn by a seeded generator and contain no picture of a patient. The network sees
labels of bags alone, whether a nodule is in them: first of parts of 8 slices, then of whole series.
"""

import hashlib
import io
import json
import pathlib
import sys
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import pydicom
from onnx import TensorProto, helper, numpy_helper
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian
from scipy.ndimage import gaussian_filter

SLICES, SIDE, MM = 28, 64, 5.0  # slices of SIDE x SIDE pixels; voxels are cubes of MM
WINDOW = (-500.0, 1500.0)  # centre and width of what the network sees
TRAIN, TEST, BATCH = 960, 200, 8
SLABS, WHOLE, SLAB = 20, 10, 8  # epochs with parts of SLAB slices, and with whole series
BUNDLED = 8  # seed of the series that is written


def series(seed: int, nodule: bool) -> tuple[np.ndarray, list[int]]:
    """Return Hounsfield units (slice, row, column), and the slices that show a nodule."""
    r = np.random.default_rng(seed)
    z, y, x = np.meshgrid(*(np.arange(n) + 0.5 for n in (SLICES, SIDE, SIDE)), indexing="ij")

    def inside(centre, radii):
        parts = zip((z, y, x), centre, radii, strict=True)
        return sum(((axis - c) / radius) ** 2 for axis, c, radius in parts) < 1

    hu = np.full(z.shape, -1000.0)
    wide, deep = r.uniform(27, 30), r.uniform(19, 22)
    hu[inside((14, 32, 32), (1e9, deep, wide))] = -90  # fat
    hu[inside((14, 32, 32), (1e9, deep - 2, wide - 2))] = 45
    lungs = np.zeros(z.shape, bool)
    for side in (-1, 1):
        lungs |= inside((r.uniform(13, 15), 31, 32 + side * 12.5), (13, deep - 5, 9.5))
    hu[lungs] = -860
    hu[inside((18, 28, 36), (8, 8, 9))] = 40  # heart
    hu[inside((14, 32 + deep - 6, 32), (1e9, 3.5, 4))] = 350  # spine
    lungs &= hu < -800
    for _ in range(60):  # vessels: from the middle outwards, thinner and thinner
        at = np.array([r.uniform(6, 22), r.uniform(26, 36), 32 + r.choice([-1, 1]) * 6.0])
        way = r.normal(size=3) * (1, 0.8, 0.8)
        way[2] = abs(way[2]) * np.sign(at[2] - 32)
        way /= np.linalg.norm(way)
        for step in np.arange(0, r.uniform(8, 16), 0.5):
            way += r.normal(size=3) * 0.06
            at += way / np.linalg.norm(way) * 0.5
            low = np.maximum(np.floor(at - 2).astype(int), 0)
            part = tuple(slice(a, a + 4) for a in low)
            apart = [axis[part] - c for axis, c in zip((z, y, x), at, strict=True)]
            near = sum(d**2 for d in apart) < max(0.5, 0.9 - 0.03 * step) ** 2
            hu[part][near & lungs[part]] = -50
    shown = []
    if nodule:
        radius = r.uniform(2.6, 3.4)
        free = np.argwhere(lungs)
        while True:
            centre = free[r.integers(len(free))] + 0.5
            ball = inside(centre, [radius + 0.5] * 3)
            if lungs[ball].mean() > 0.97 and abs(centre[0] - SLICES / 2) < 10:
                break
        hu[inside(centre, [radius] * 3)] = 35
        shown = [i for i in range(SLICES) if (i + 0.5 - centre[0]) ** 2 < radius**2 - 1]
    hu = gaussian_filter(hu, 0.45) + r.normal(size=hu.shape) * 25
    return np.clip(np.round(hu), -1024, 3071).astype(np.int16), shown


def pixels(hu: np.ndarray) -> np.ndarray:
    """Return what the network gets: pixels 0 to 255 under the window, as its card standardises."""
    return (np.round(255 * np.clip((hu - WINDOW[0]) / WINDOW[1] + 0.5, 0, 1)) / 255 - 0.5) / 0.25


def parameters() -> dict[str, np.ndarray]:
    """Return random weights."""
    r, p = np.random.default_rng(1), {}
    for i, (before, after) in enumerate(((1, 8), (8, 16), (16, 24))):
        p[f"conv{i}"] = r.normal(size=(after, before, 3, 3)) * np.sqrt(2 / 9 / before)
        p[f"bias{i}"] = np.zeros(after)
    p["hidden"], p["shift"] = r.normal(size=(24, 16)) / 5, np.zeros(16)
    p["attention"], p["out"], p["base"] = (
        r.normal(size=(16, 1)) / 4,
        r.normal(size=(24, 2)) / 5,
        [0] * 2,
    )
    return {k: np.asarray(v, np.float32) for k, v in p.items()}


def logits(p, bag):
    """Return the logits of a bag: attention pooling (Ilse et al. 2018) over features of slices."""
    h = bag
    for i in range(3):
        h = jax.lax.conv(h, p[f"conv{i}"], (2, 2), [(1, 1)] * 2) + p[f"bias{i}"][:, None, None]
        h = jax.nn.relu(h)
    h = h.max((2, 3))
    a = jax.nn.softmax(jnp.tanh(h @ p["hidden"] + p["shift"]) @ p["attention"], 0)
    return (a * h).sum(0) @ p["out"] + p["base"]


def drawn(first: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return n series as the network gets them, their labels, and the first slices of parts.

    Every other series has a nodule, which its part shows.
    """
    labels = np.arange(n) % 2
    all_of = [series(first + i, bool(label)) for i, label in enumerate(labels)]
    bags = np.stack([pixels(hu) for hu, _ in all_of])[:, :, None].astype(np.float32)
    r = np.random.default_rng(first)
    parts = [shown[len(shown) // 2] - 4 if shown else r.integers(SLICES) for _, shown in all_of]
    return bags, labels, np.clip(parts, 0, SLICES - SLAB)


def train() -> dict[str, np.ndarray]:
    """Return weights that Adam (Kingma & Ba 2015) finds, and print how well they do."""
    p = parameters()
    bags, labels, parts = drawn(10_000, TRAIN)
    slabs = np.stack([bag[at : at + SLAB] for bag, at in zip(bags, parts, strict=True)])
    of_bags = jax.vmap(logits, (None, 0))

    def loss(p, bags, labels):
        return -jax.nn.log_softmax(of_bags(p, bags))[jnp.arange(len(labels)), labels].mean()

    @jax.jit
    def step(p, m, v, n, bags, labels):
        value, g = jax.value_and_grad(loss)(p, bags, labels)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        rate = 4e-3 * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
        return (
            jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), p, m, v),
            m,
            v,
            value,
        )

    m = v = jax.tree.map(np.zeros_like, p)
    r, n = np.random.default_rng(2), 0
    for epoch in range(SLABS + WHOLE):
        data = slabs if epoch < SLABS else bags
        total = 0.0
        for batch in r.permutation(TRAIN).reshape(-1, BATCH):
            n += 1
            some = data[batch][..., :: 1 if n % 2 else -1]
            p, m, v, value = step(p, m, v, float(n), some, labels[batch])
            total += float(value) * BATCH / TRAIN
        print(f"epoch {epoch}: loss {total:.3f}", flush=True)
    bags, labels, _ = drawn(90_000, TEST)
    found = np.concatenate([of_bags(p, part).argmax(1) for part in np.split(bags, TEST // 4)])
    print(f"accuracy on {TEST} other series: {(found == labels).mean():.3f}")
    return {k: np.asarray(v) for k, v in p.items()}


def model(weights: dict[str, np.ndarray]) -> bytes:
    """Return the network as an ONNX file with its card."""
    nodes, at = [], "bag"
    for i in range(3):
        nodes += [
            helper.make_node(
                "Conv",
                [at, f"conv{i}", f"bias{i}"],
                [f"c{i}"],
                kernel_shape=[3, 3],
                strides=[2, 2],
                pads=[1, 1, 1, 1],
            ),
            helper.make_node("Relu", [f"c{i}"], [f"r{i}"]),
        ]
        at = f"r{i}"
    nodes += [
        helper.make_node("ReduceMax", ["r2"], ["h"], axes=[2, 3], keepdims=0),
        helper.make_node("Gemm", ["h", "hidden", "shift"], ["v"]),
        helper.make_node("Tanh", ["v"], ["t"]),
        helper.make_node("MatMul", ["t", "attention"], ["s"]),
        helper.make_node("Softmax", ["s"], ["a"], axis=0),
        helper.make_node("Mul", ["a", "h"], ["ah"]),
        helper.make_node("ReduceSum", ["ah", "zero"], ["z"], keepdims=1),
        helper.make_node("Gemm", ["z", "out", "base"], ["row"]),
        helper.make_node("Squeeze", ["row", "zero"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "series",
        [helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["slices", 1, SIDE, SIDE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [2])],
        [numpy_helper.from_array(v, k) for k, v in (weights | {"zero": np.array([0])}).items()],
    )
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    card = (
        '{"classes": ["no nodule", "a nodule"], "negative": 0, "output": "logits", '
        '"window": "-500,1500", '
        '"preprocess": {"scale": 0.00392156862745098, "mean": [0.5], "std": [0.25]}}'
    )
    helper.set_model_props(m, {"bagscope": card})
    onnx.checker.check_model(m)
    return m.SerializeToString()


def uid(text: str) -> str:
    """Return a UID that depends on a text alone."""
    return "2.25." + str(int.from_bytes(hashlib.sha256(text.encode()).digest()[:12], "big"))


def slice_file(hu: np.ndarray, number: int) -> bytes:
    """Return a slice as a DICOM file."""
    d = pydicom.Dataset()
    d.file_meta = pydicom.dataset.FileMetaDataset()
    d.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    d.SOPClassUID, d.SOPInstanceUID = CTImageStorage, uid(f"slice {number}")
    d.StudyInstanceUID, d.SeriesInstanceUID = uid("study"), uid("series")
    d.FrameOfReferenceUID, d.Modality, d.SeriesNumber = uid("frame"), "CT", 2
    d.PatientName, d.PatientID = "Drawn^Chest", "drawn"
    d.InstanceNumber, d.ImageOrientationPatient = number + 1, [1, 0, 0, 0, 1, 0]
    d.ImagePositionPatient = [-157.5, -157.5, MM * number]
    d.PixelSpacing, d.SliceThickness = [MM, MM], MM
    d.Rows, d.Columns, d.SamplesPerPixel = SIDE, SIDE, 1
    d.PhotometricInterpretation = "MONOCHROME2"
    d.BitsAllocated, d.BitsStored, d.HighBit, d.PixelRepresentation = 16, 12, 11, 0
    d.RescaleSlope, d.RescaleIntercept, d.RescaleType = 1, -1024, "HU"
    d.WindowCenter, d.WindowWidth = WINDOW
    d.PixelData = (hu.astype(np.int32) + 1024).astype("<u2").tobytes()
    out = io.BytesIO()
    pydicom.dcmwrite(out, d, enforce_file_format=True)
    return out.getvalue()


def main() -> None:
    """Write the files into the folder of the first argument."""
    folder = pathlib.Path(sys.argv[1])
    hu, shown = series(BUNDLED, True)
    (folder / "truth.json").write_text(json.dumps({"nodule": shown}) + "\n")
    # The order of names is not that of positions, as in exports of archives.
    names = np.random.default_rng(3).permutation(SLICES)
    with zipfile.ZipFile(folder / "series.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for at in np.argsort(names):
            info = zipfile.ZipInfo(f"IM{names[at]:04d}", (2020, 1, 1, 0, 0, 0))
            z.writestr(info, slice_file(hu[at], int(at)), zipfile.ZIP_DEFLATED, 9)
    (folder / "model.onnx").write_bytes(model(train()))


if __name__ == "__main__":
    main()
