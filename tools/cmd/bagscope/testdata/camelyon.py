"""Judge explanations of a simulated cohort in the layout of CAMELYON16 and TRIDENT.

It needs numpy, scipy, scikit-image, scikit-learn and h5py, and shares no code with bagscope. The
model is the mean of three features over the patches of a slide, followed by a softmax; lesions
support the first class. Two methods explain it: the prediction of each patch alone, and the
prediction less that without the patch.

    bagscope synthesize --layout camelyon --features 3 --seed 3 --out FOLDER
    python camelyon.py FOLDER     # writes camelyon.json beside this file
"""

import json
import re
import sys
from pathlib import Path

import h5py
import numpy as np
from scipy import ndimage
from skimage import measure
from sklearn.metrics import average_precision_score

HERE, FOLDER = Path(__file__).parent, Path(sys.argv[1])
KINDS = dict(line.split(",")[:2] for line in (FOLDER / "reference.csv").read_text().split())
FEATURES = FOLDER / "job" / "10x_128px_0px_overlap" / "features_sim"
with h5py.File(next(FEATURES.iterdir())) as one:
    SLIDE = dict(one["coords"].attrs)
SIDE, MPP = SLIDE["patch_size_level0"], SLIDE["level0_mpp"]
SIZE = np.array([SLIDE["level0_width"], SLIDE["level0_height"]])


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
        with h5py.File(FEATURES / f"{name}.h5") as f:
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
            hits, false = detect(middles, s[:, 0], labels, small)
            found[m]["hits"].append(hits)
            found[m]["false"].append(false)
            for c in range(3):
                found[m]["aopc"].append(aopc(values, np.argsort(-s[:, c]), c))
            if truth.any():
                order = np.argsort(-s[:, 0])[: truth.sum()]
                gains = 1 / np.log2(np.arange(2, truth.sum() + 2))
                found[m]["ndcg"].append(np.sum(truth[order] * gains) / gains.sum())
                found[m]["auprc"].append(average_precision_score(truth, s[:, 0]))
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
    judge()
