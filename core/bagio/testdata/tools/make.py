"""Writes files.zip: features with places as tools for slides write them.

Run in this folder, with h5py, numpy, scipy and anndata: python make.py

Names, attributes, types and units are those in the tools' source, of which only these facts are
here; tools_test.go lists the versions. Twelve patches of four features lie in rows of four, and
those of a second part of the tissue begin elsewhere, because CLAM lays a grid for each part.
"""

import io
import json
import pathlib
import zipfile

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse

K = 12
FEATURES = (np.arange(4 * K, dtype="f4") / 8).reshape(K, 4)
GRID = np.stack([np.arange(K) % 4, np.arange(K) // 4], 1)
FILES = {}


def hdf5(name, arrays, attributes, of=None):
    """An HDF5 file with attributes of the dataset `of`, or of the file."""
    memory = io.BytesIO()
    with h5py.File(memory, "w") as f:
        for key, value in arrays.items():
            f[key] = value
        f_or_dataset = f[of] if of else f
        for key, value in attributes.items():
            f_or_dataset.attrs[key] = value
    FILES[name] = memory.getvalue()


def npy(a):
    memory = io.BytesIO()
    np.save(memory, a)
    return memory.getvalue()


def npz(**arrays):
    memory = io.BytesIO()
    np.savez(memory, **arrays)
    return memory.getvalue()


def torch_save(a):
    """What torch.save writes for a matrix, without PyTorch: opcodes of pickle's protocol 2."""
    shape, stride = a.shape, (a.shape[1], 1)
    body = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n("
    body += b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu"
    body += b"K" + bytes([a.size]) + b"tQK\x00"
    for pair in (shape, stride):
        body += b"K" + bytes([pair[0]]) + b"K" + bytes([pair[1]]) + b"\x86"
    body += b"\x89ccollections\nOrderedDict\n)RtR."
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as z:
        z.writestr("slide/data.pkl", body)
        z.writestr("slide/data/0", a.astype("<f4").tobytes())
        z.writestr("slide/version", "3\n")
    return memory.getvalue()


# STAMP: micrometres, except version 1, which states nothing and counts pixels of its patches.
feats = FEATURES.astype("f2")
hdf5(
    "stamp-1.1.1.h5",
    {"coords": [tuple(c) for c in (GRID * 224).tolist()], "feats": feats, "augmented": np.zeros(K, bool)},
    {"extractor": "STAMP-extract-1.1.1_xiyue-wang"},
)
um = {"coords": (GRID * 256 + 512).astype("f4"), "feats": feats}
stamp = {"extractor": "chief-ctranspath-8cba0aa1", "unit": "um"}
hdf5("stamp-2.0.0.h5", um, {"stamp_version": "2.0.0", **stamp, "tile_size": 256.0})
stamp |= {"tile_size_um": 256.0, "tile_size_px": 224, "code_hash": "1b5a8f0c", "feat_type": "tile"}
hdf5("stamp-2.5.0.h5", um, {"stamp_version": "2.5.0", **stamp})

# CLAM: pixels of level 0. Features have no attributes, coordinates without features have.
parts = GRID * 1024 + np.where(np.arange(K) < 8, 0, 37)[:, None] + 4000
hdf5("clam-features.h5", {"features": FEATURES, "coords": parts.astype("i4")}, {})
clam = {"patch_size": 256, "patch_level": 1, "downsample": (4.0, 4.0), "name": "slide"}
clam |= {"level_dim": (5000, 4000), "downsampled_level_dim": (5000, 4000), "save_path": "patches"}
hdf5("clam-patches.h5", {"coords": parts}, clam, "coords")
hdf5("clam-both.h5", {"features": FEATURES, "coords": parts}, clam, "coords")

# TRIDENT: pixels of level 0; sizes and overlaps of patches in pixels of the target magnification.
lapped = GRID * 512 + 1000
trident = {"patch_size": 512, "patch_size_level0": 1024, "level0_magnification": 40, "target_magnification": 20}
trident |= {"overlap": 256, "name": "slide", "savetodir": "job"}
hdf5("trident-0.0.1.h5", {"features": FEATURES, "coords": lapped}, trident, "coords")
trident |= {"level0_width": 46000, "level0_height": 32914}
hdf5("trident-0.3.1.h5", {"features": FEATURES, "coords": lapped}, trident, "coords")

# slideflow: the middles of tiles in pixels of level 0, beside the features.
FILES["slideflow-3.0.2/slide.pt"] = torch_save(FEATURES)
FILES["slideflow-3.0.2/slide.index.npz"] = npz(arr_0=GRID * 604 + 302)
config = {"extractor": {"class": "slideflow.model.extractors.ctranspath.CTransPathFeatures", "kwargs": {}}}
config |= {"normalizer": None, "num_features": 4, "tile_px": 299, "tile_um": 302}
FILES["slideflow-3.0.2/bags_config.json"] = json.dumps(config).encode()

# TIAToolbox: corners at the resolution of the patches.
corners = np.concatenate([GRID * 224, GRID * 224 + 224], 1)
FILES["tiatoolbox-1.6.0/0.position.npy"] = npy(corners)
FILES["tiatoolbox-1.6.0/0.features.0.npy"] = npy(FEATURES)
FILES["tiatoolbox-2.0.1.npz"] = npz(probabilities=FEATURES, coordinates=corners)

# HistoBistro reads features with coordinates and no word on them.
hdf5("histobistro.h5", {"feats": FEATURES, "coords": (GRID * 512).astype("i8")}, {})

# pandas and NumPy: coordinates as records, in every storage and byte order.
records = np.zeros(K, [("index", "i8"), ("name", "S5"), ("y", "<f4"), ("x", ">i4"), ("level", "u1")])
records["index"], records["y"], records["x"] = np.arange(K), lapped[:, 1], lapped[:, 0]
with_text = [("name", h5py.string_dtype()), ("x", "f8"), ("y", "f8")]
for name, how, version in (
    ("plain", {}, "earliest"),
    ("packed", {"chunks": (5,), "compression": "gzip", "shuffle": True}, "latest"),
):
    memory = io.BytesIO()
    with h5py.File(memory, "w", libver=version) as f:
        f["features"] = FEATURES
        f.create_dataset("coords", data=records, **how).attrs["patch_size"] = 512
        f.create_dataset("others", data=np.array([("a", 1, 2)], with_text))
    FILES[f"records-{name}.h5"] = memory.getvalue()

# LazySlide: wsi.fetch.features_anndata(...).write_h5ad(...).
obs = {"tile_id": np.arange(K), "x": lapped[:, 0], "y": lapped[:, 1], "tissue_id": np.zeros(K, "i8")}
spec = {"height": 256, "width": 512, "stride_height": 128, "stride_width": 256, "mpp": 0.5, "ops_level": 0}
spec |= {"ops_downsample": 2.0, "base_level": 0, "base_downsample": 2.0, "tissue_name": "tissues"}
slide = {"shape": [32914, 46000], "n_level": 3, "mpp": 0.25, "magnification": 40.0, "scene": 0, "n_scenes": 1}
adata = anndata.AnnData(
    X=FEATURES, obs=obs, obsm={"spatial": lapped}, uns={"tile_spec": spec, "slide_properties": slide}
)
path = pathlib.Path("lazyslide.h5ad")
adata.write_h5ad(path)
FILES["lazyslide-0.9.5.h5ad"] = path.read_bytes()
path.unlink()

# AnnData keeps counts as sparse matrices, by rows or by columns.
for kind in (scipy.sparse.csr_matrix, scipy.sparse.csc_matrix):
    sparse = anndata.AnnData(X=kind(FEATURES), obs=obs, obsm={"spatial": lapped})
    path = pathlib.Path("sparse.h5ad")
    sparse.write_h5ad(path)
    FILES[f"anndata-{kind.__name__[:3]}.h5ad"] = path.read_bytes()
    path.unlink()

# The same by h5sparse, in float64, with an entry that is stored twice; and matrices that contradict themselves.
doubled = {"data": np.array([1.5, 2, 3, 4]), "indices": np.array([1, 1, 0, 2]), "indptr": np.array([0, 2, 2, 4])}
for name, change in (
    ("doubled", {}),
    ("outside", {"indices": np.array([1, 1, 0, 3])}),
    ("negative", {"indices": np.array([1, 1, -1, 2])}),
    ("backwards", {"indptr": np.array([0, 3, 2, 4])}),
    ("long", {"indptr": np.array([0, 2, 2, 5])}),
    ("short", {"indptr": np.array([0, 2, 4])}),
):
    memory = io.BytesIO()
    with h5py.File(memory, "w") as f:
        group = f.create_group("X")
        group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = "csr", (3, 3)
        for key, value in (doubled | change).items():
            group[key] = value
    FILES[f"sparse-{name}.h5"] = memory.getvalue()

# Cells of three patients in AnnData's table of instances: categories, texts and numbers.
PATIENT = ["p2", "p1", "p2", "p1", "p3", "p3"] * 2
cells = pd.DataFrame(
    {
        "patient": pd.Categorical(PATIENT, ["p1", "p2", "p3", "unused"]),
        "response": pd.Categorical([{"p1": "R"}.get(p, "NR") for p in PATIENT]),
        "site": [f"site {p}" for p in PATIENT],
        "grade": [{"p1": 3}.get(p, 1) for p in PATIENT],
        "type": pd.Categorical([i % 3 * 10 for i in range(K)]),
        "counts": np.arange(K) / 2,
        "gap": pd.Categorical([None, "a"] * 6),
    },
    index=[f"cell {i}" for i in range(K)],
)
cohort = anndata.AnnData(X=scipy.sparse.csr_matrix(FEATURES), obs=cells, obsm={"spatial": GRID * 10, "X_pca": -FEATURES[:, :2]})
cohort.layers["doubled"] = 2 * FEATURES
path = pathlib.Path("cells.h5ad")
cohort.write_h5ad(path, convert_strings_to_categoricals=False)
FILES["anndata-obs.h5ad"] = path.read_bytes()
path.unlink()

# The same columns by AnnData before 0.8, whose categories lie beside the codes, in fixed texts; and columns that do
# not fit.
old = {"X": FEATURES, "obs/patient": np.array([{"p1": 0, "p2": 1, "p3": 2}[p] for p in PATIENT], "i1")}
old["obs/__categories/patient"] = np.array(["p1", "p2", "p3"], "S4")
hdf5("obs-old.h5ad", old, {})
hdf5("obs-short.h5ad", old | {"obs/patient": np.zeros(K - 1, "i1")}, {})
hdf5("obs-beyond.h5ad", old | {"obs/patient": np.full(K, 3, "i1")}, {})
hdf5("slides.h5", {"features": FEATURES, "slide": np.array(PATIENT, "S2"), "coords": GRID * 256}, {})

# MATLAB: the layouts of sets that multiple-instance learning began with. Bags 7, 3 and 5 have four, six and two
# instances; those of 3 have the label 1.
def savemat(name, values, **options):
    memory = io.BytesIO()
    scipy.io.savemat(memory, values, **options)
    FILES[name] = memory.getvalue()


BAGS = np.repeat([7, 3, 5], [4, 6, 2])
PARTS = np.split(FEATURES.astype("f8"), [4, 10])
SIGNS = np.where(BAGS == 3, 1, -1)
andrews = {"features": scipy.sparse.csc_matrix(FEATURES.astype("f8")), "labels": scipy.sparse.csc_matrix(SIGNS)}
savemat("mat-andrews.mat", andrews | {"bag_ids": BAGS[None].astype("f8")}, do_compression=True)
prtools = {"data": FEATURES.astype("f8"), "nlab": (BAGS[:, None] == 3) + 1, "lablist": "no", "ident": {"milbag": BAGS[:, None]}}
savemat("mat-prtools.mat", {"x": prtools})
cells = np.empty((3, 1), object)
cells[:, 0] = PARTS
savemat("mat-cells.mat", {"bags": cells, "labels": np.array([0, 1, 0])})
turned = np.empty((1, 3), object)
turned[0] = [p.T.astype("f4") for p in PARTS]
savemat("mat-turned.mat", {"bags": turned})
pairs = np.empty((3, 2), object)
pairs[:, 0], pairs[:, 1] = PARTS, [-1, 1, -1]
savemat("mat-pairs.mat", {"data": pairs})
structs = np.empty(3, [("instances", object), ("label", object), ("name", object)])
structs["instances"], structs["label"], structs["name"] = PARTS, [0, 1, 0], ["a", "b", "c"]
savemat("mat-structs.mat", {"set": structs})
savemat("mat-columns.mat", {"x": FEATURES.T, "bagid": BAGS, "labels": np.arange(K) % 2, "site": BAGS % 3, "flag": BAGS})
savemat("mat-plain.mat", {"m": FEATURES, "text": "words"})
savemat("mat-wrong.mat", {"features": FEATURES, "bag_ids": BAGS[1:], "other": cells[:, 0].tolist() + ["x"]})
memory = io.BytesIO()
with h5py.File(memory, "w", userblock_size=512) as f:
    f["features"], f["bag_ids"], f["labels"] = FEATURES.T, BAGS[:, None].astype("f8"), SIGNS[None].astype("f8")
FILES["mat-v73.mat"] = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(128) + memory.getvalue()[128:]

# WSInfer: a table of rectangles in pixels of level 0.
rows = ["minx,miny,width,height,prob_benign,prob_tumor"]
rows += [f"{x},{y},350,350,{f[0]},{f[1]}" for (x, y), f in zip(GRID * 350, FEATURES)]
FILES["wsinfer-0.6.1.csv"] = "\n".join(rows).encode()

with zipfile.ZipFile("files.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for name, data in FILES.items():
        z.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
