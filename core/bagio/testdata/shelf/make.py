"""Writes shelf.zip: layouts in which people keep the classic sets of multiple-instance learning as .mat files, beside
those of ../tools.

    pip install numpy==2.4.6 scipy==1.17.1
    python make.py

Twelve instances of four features are three bags of four, six and two instances, whose labels are 0, 1 and 0.
"""
import io
import zipfile

import numpy as np
import scipy.io

X = np.arange(48).reshape(12, 4) / 8
PARTS = np.split(X, [4, 10])
IDS = np.repeat([3, 5, 7], [4, 6, 2])
FILES = {}


def savemat(name, values):
    memory = io.BytesIO()
    scipy.io.savemat(memory, values)
    FILES[name] = memory.getvalue()


def cells(rows, columns, values):
    out = np.empty(rows * columns, object)
    out[:] = [0] * (rows * columns)
    for i, v in enumerate(values):
        out[i] = v
    return out.reshape(rows, columns)


# Pairs of a bag and its label, as miFV and miVLAD keep Musk, Fox, Tiger and Elephant.
pairs = cells(3, 2, [0] * 6)
for i, label in enumerate([-1, 1, -1]):
    pairs[i, 0], pairs[i, 1] = PARTS[i], np.array([[label]])
savemat("pairs.mat", {"data": pairs})
# SIVAL: bags of each category, as a variable each, as a grid of cells, and as cells in cells.
second = [p + 100 for p in PARTS]
savemat("variables.mat", {"apple": cells(3, 1, PARTS), "banana": cells(3, 1, second)})
savemat("grid.mat", {"SIVAL": cells(2, 3, PARTS + second).T})
savemat("nested.mat", {"bags": cells(1, 2, [cells(1, 3, PARTS), cells(1, 3, second)])})
# MIML: bags with several labels, such as those of birdsong.
savemat("miml.mat", {"bags": cells(3, 1, PARTS), "targets": np.array([[1, -1, 1], [-1, 1, -1]])})
# Ids of instances, and labels of bags in the order of unique(ids); and ids in another order.
savemat("perbag.mat", {"X": X, "bagID": IDS, "y": np.array([0, 1, 0])})
savemat("unordered.mat", {"X": X, "bagID": 10 - IDS, "y": np.array([0, 1, 0])})
# Numbers of instances, which no reader can tell from other lists.
savemat("counts.mat", {"X": X, "bag_sizes": np.array([4, 6, 2])})
# PRTools: nlab counts the words of lablist, whatever their order.
savemat("words.mat", {"x": {
    "data": X, "nlab": np.where(IDS == 5, 1, 2)[:, None], "lablist": np.array(["positive", "negative"]),
    "ident": {"milbag": IDS[:, None]}}})

with zipfile.ZipFile("shelf.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for name, data in FILES.items():
        # The header states when the file was written.
        data = b"MATLAB 5.0 MAT-file Platform: posix, by SciPy".ljust(116) + data[116:]
        z.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
