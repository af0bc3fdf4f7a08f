"""Write simulated slides in the layout of CAMELYON16 and TRIDENT, and judge explanations of them.

It needs numpy, scipy, scikit-image, scikit-learn and h5py, and shares no code with bagscope. The
model is the mean of three features over the patches of a slide, followed by a softmax. Two methods
explain it: the prediction of each patch alone, and the prediction less that without the patch.

    python camelyon.py     # writes camelyon/ and camelyon.json beside this file
"""

import json
import re
from pathlib import Path

import h5py
import numpy as np
from scipy import ndimage
from skimage import measure
from sklearn.metrics import average_precision_score

HERE = Path(__file__).parent
FOLDER = HERE / "camelyon"
SIDE, ACROSS, DOWN, MPP = 512, 20, 15, 0.25
SIZE = np.array([SIDE * ACROSS, SIDE * DOWN])
KINDS = {
    "test_001": "Tumor",
    "test_002": "Normal",
    "test_003": "Tumor",
    "test_004": "Normal",
    "test_005": "Tumor",
}


def star(rng, centre, radius):
    """Return a polygon around a place."""
    angles = np.sort(rng.uniform(0, 2 * np.pi, 12))
    radii = radius * rng.uniform(0.6, 1.2, 12)
    return np.round(centre + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1), 2)


def inside(points, polygon):
    """Return which points lie in a polygon, by the number of its lines to the right of them."""
    x, y = points.T
    odd = np.zeros(len(points), bool)
    for (ax, ay), (bx, by) in zip(np.roll(polygon, 1, 0), polygon):
        crosses = (ay <= y) != (by <= y)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = ax + (y - ay) * (bx - ax) / (by - ay)
        odd ^= crosses & (x < at)
    return odd


def make():
    """Write the slides."""
    rng = np.random.default_rng(16)
    features = FOLDER / "20x_256px_0px_overlap" / "features_sim"
    drawn = FOLDER / "annotations"
    features.mkdir(parents=True, exist_ok=True)
    drawn.mkdir(exist_ok=True)
    rows = []
    for name, kind in KINDS.items():
        column, row = np.meshgrid(np.arange(ACROSS), np.arange(DOWN))
        corners = SIDE * np.stack([column.ravel(), row.ravel()], 1)
        middles = corners + SIDE / 2
        tumour = np.zeros(len(corners), bool)
        polygons = []
        if kind == "Tumor":
            for group in ["_0", "_0", "_1", "_1"]:
                polygons.append(
                    (group, star(rng, rng.uniform(0.15, 0.85, 2) * SIZE, rng.uniform(700, 1500)))
                )
            polygons.append(("_1", star(rng, rng.uniform(0.1, 0.9, 2) * SIZE, 250)))
            polygons.append(("_2", star(rng, polygons[0][1].mean(0), 350)))
            for _, p in polygons[:-1]:
                tumour |= inside(middles, p)
            objects = "".join(
                f'<Annotation Name="{i}" Type="Polygon" PartOfGroup="{g}" Color="#F4FA58">'
                "<Coordinates>"
                + "".join(
                    f'<Coordinate Order="{o}" X="{x}" Y="{y}"/>' for o, (x, y) in enumerate(p)
                )
                + "</Coordinates></Annotation>\n"
                for i, (g, p) in enumerate(polygons)
            )
            (drawn / f"{name}.xml").write_text(
                f'<?xml version="1.0"?>\n<ASAP_Annotations><Annotations>\n{objects}'
                "</Annotations><AnnotationGroups/></ASAP_Annotations>\n"
            )
        values = rng.normal(0, 1, (len(corners), 3)).astype(np.float32)
        values[:, 2] += 1.6 * tumour - 0.8
        with h5py.File(features / f"{name}.h5", "w") as f:
            f["features"] = values
            f["coords"] = corners
            f["coords"].attrs.update(
                {
                    "patch_size": 256,
                    "patch_size_level0": SIDE,
                    "overlap": 0,
                    "name": name,
                    "level0_width": SIZE[0],
                    "level0_height": SIZE[1],
                    "level0_magnification": 40,
                    "target_magnification": 20,
                    "level0_mpp": MPP,
                }
            )
        rows.append(f"{name},{kind},{'IDC' if kind == 'Tumor' else 'None'},None")
    (FOLDER / "reference.csv").write_text("\n".join(rows) + "\n")


def lesions(polygons):
    """Return the labels of the lesions on pixels of 32, and those of isolated tumour cells."""
    wide, high = -(-SIZE // 32)
    x, y = np.meshgrid((np.arange(wide) + 0.5) * 32, (np.arange(high) + 0.5) * 32)
    points = np.stack([x.ravel(), y.ravel()], 1)
    marked, cut = np.zeros(len(points), bool), np.zeros(len(points), bool)
    for group, p in polygons:
        if group == "_2":
            cut |= inside(points, p)
        else:
            marked |= inside(points, p)
    marked = (marked & ~cut).reshape(high, wide)
    near = ndimage.distance_transform_edt(~marked) < 75 / (MPP * 32 * 2)
    if not marked.any():
        near[:] = False
    labels = measure.label(ndimage.binary_fill_holes(near), connectivity=2)
    small = [r.label for r in measure.regionprops(labels) if r.axis_major_length < 275 / (MPP * 32)]
    return labels, small


def froc(hits, false):
    """Return the score of CAMELYON16 from the scores of slides."""
    tp, fp = np.concatenate(hits), np.concatenate(false)
    thresholds = sorted({*tp, *fp})[1:]
    x = [np.sum(fp >= t) / len(hits) for t in thresholds] + [0]
    y = [np.sum(tp >= t) / len(tp) for t in thresholds] + [0]
    at = [0.25, 0.5, 1, 2, 4, 8]
    sensitivity = np.interp(at, x[::-1], y[::-1])
    return sensitivity.mean(), sensitivity.tolist()


def detect(middles, scores, labels, small):
    """Return the largest score in each lesion, and the scores of detections outside."""
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] > 0 and all(np.abs(middles[i] - middles[j]).max() >= 1.5 * SIDE for j in kept):
            kept.append(i)
    real = [n for n in range(1, labels.max() + 1) if n not in small]
    hits, false = dict.fromkeys(real, 0.0), []
    for i in kept:
        n = labels[int(middles[i][1]) // 32, int(middles[i][0]) // 32]
        if n == 0:
            false.append(scores[i])
        elif n in hits:
            hits[n] = max(hits[n], scores[i])
    return np.array(list(hits.values())), np.array(false)


def softmax(v):
    e = np.exp(v - v.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def aopc(values, order, c):
    """Return the mean fall of the prediction when patches are removed in an order."""
    x = values[order]
    left = np.cumsum(x[::-1], 0)[::-1] / np.arange(len(x), 0, -1)[:, None]
    curve = softmax(left)[:, c]
    return np.sum(curve[0] - curve[1:]) / (len(x) - 1)


def summary(values):
    values = np.array(values)
    return {
        "mean": values.mean(),
        "sem": values.std(ddof=1) / np.sqrt(len(values)),
        "n": len(values),
    }


def judge():
    """Write the numbers of the methods."""
    found = {
        m: {"hits": [], "false": [], "ndcg": [], "auprc": [], "aopc": []}
        for m in ("single", "oneremoved")
    }
    count = 0
    for name, kind in KINDS.items():
        with h5py.File(FOLDER / "20x_256px_0px_overlap" / "features_sim" / f"{name}.h5") as f:
            values, middles = np.float64(f["features"]), f["coords"][:] + SIDE / 2
        polygons = []
        if kind == "Tumor":
            text = (FOLDER / "annotations" / f"{name}.xml").read_text()
            for group, part in re.findall(r'PartOfGroup="(\w+)"(.*?)</Annotation>', text, re.S):
                polygons.append((group, np.array(re.findall(r'X="(.*?)" Y="(.*?)"', part), float)))
        labels, small = lesions(polygons)
        count += labels.max() - len(small)
        truth = np.zeros(len(middles), bool)
        for group, p in polygons:
            if group != "_2":
                truth |= inside(middles, p)
        for group, p in polygons:
            if group == "_2":
                truth &= ~inside(middles, p)
        n = len(values)
        whole = softmax(values.mean(0))
        scores = {
            "single": softmax(values),
            "oneremoved": whole - softmax((values.sum(0) - values) / (n - 1)),
        }
        for m, s in scores.items():
            hits, false = detect(middles, s[:, 2], labels, small)
            found[m]["hits"].append(hits)
            found[m]["false"].append(false)
            for c in range(3):
                found[m]["aopc"].append(aopc(values, np.argsort(-s[:, c]), c))
            if truth.any():
                order = np.argsort(-s[:, 2])[: truth.sum()]
                gains = 1 / np.log2(np.arange(2, truth.sum() + 2))
                found[m]["ndcg"].append(np.sum(truth[order] * gains) / gains.sum())
                found[m]["auprc"].append(average_precision_score(truth, s[:, 2]))
    out = {"slides": len(KINDS), "lesions": int(count), "methods": {}}
    for m, v in found.items():
        score, sensitivity = froc(v["hits"], v["false"])
        parts = [
            froc(v["hits"][:i] + v["hits"][i + 1 :], v["false"][:i] + v["false"][i + 1 :])[0]
            for i in range(len(KINDS))
        ]
        out["methods"][m] = {
            "froc": score,
            "sensitivity": sensitivity,
            "sem": np.sqrt((len(parts) - 1) / len(parts) * np.sum((parts - np.mean(parts)) ** 2)),
            "ndcg": summary(v["ndcg"]),
            "auprc": summary(v["auprc"]),
            "aopc": np.mean(v["aopc"]),
        }
    (HERE / "camelyon.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    make()
    judge()
