"""Writes the files of this folder: five models, bags of features, and corpus.json, the table of the
tests that read the same files by the Go package, the command line, the server, cohorts and the npm
package.

    pip install onnx==1.16.2 numpy==1.26.4 pillow==11.1.0 h5py==3.16.0 pydicom==3.0.2
    python make.py

Two models are softmax(mean(f(x)) W + b) over the instances of a bag. Predictions are computed by
NumPy in float64. The third has two inputs, the features and the coordinates of instances. The
fourth takes the age of a patient beside the features, and the card of the fifth, which is the first
otherwise, says what columns of tables hold.
"""
import io
import json
import pathlib
import zipfile

import h5py
import numpy as np
import onnx
import pydicom
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

here = pathlib.Path(__file__).parent
root = here.parents[1]
FEATURES, PIXELS = (4,), (3, 8, 8)
random = np.random.default_rng(18)
weights = {}


def model(name, shape, scale, card):
    """Writes a model for instances of a shape. tanh makes the order of scale and mean matter."""
    n = int(np.prod(shape))
    w = (random.standard_normal((n, 3)) * 4 / np.sqrt(n)).astype("f4")
    b = np.array([0.25, -0.5, 0], "f4")
    weights[name] = w, b, scale
    nodes = [helper.make_node("Mul", ["bag", "scale"], ["scaled"]),
             helper.make_node("Flatten", ["scaled"], ["flat"], axis=1),
             helper.make_node("Tanh", ["flat"], ["encoded"]),
             helper.make_node("ReduceMean", ["encoded"], ["pooled"], axes=[0], keepdims=1),
             helper.make_node("Gemm", ["pooled", "w", "b"], ["logits"])]
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["k", *shape])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3])],
        [numpy_helper.from_array(np.array(scale, "f4"), "scale"),
         numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8,
                          producer_name="make.py")
    helper.set_model_props(m, {"bagscope": json.dumps(
        {"classes": ["none", "one", "two"], "negative": 0, "output": "logits", **card})})
    onnx.checker.check_model(m)
    onnx.save(m, here / f"{name}.onnx")


def predict(name, bag):
    w, b, scale = weights[name]
    x = np.tanh(bag.reshape(len(bag), -1).astype("f8") * np.float32(scale))
    logits = x.mean(0) @ w + b
    e = np.exp(logits - logits.max())
    return [round(float(p), 9) for p in e / e.sum()]


model("features", FEATURES, 0.02, {"truth": [
    {"support": [], "refute": [1, 2]}, {"support": [1], "refute": [2]},
    {"support": [2], "refute": [1]}]})
model("pixels", PIXELS, 4, {"preprocess": {"scale": 1 / 255, "mean": [0.5], "std": [0.25]},
                            "patch": {"size": 8, "stride": 8}})

cases = []


def case(name, file, bag, **more):
    cases.append({"model": f"testdata/corpus/{name}.onnx", "file": file, **more,
                  "instances": len(bag), "prediction": predict(name, bag)})


# The bags that core/bagio/testdata/torch/make.py writes.
x = np.array([[(7 * i + 3 * j) % 100 for j in range(4)] for i in range(5)], "f4")
torch = "core/bagio/testdata/torch/"
kinds = "f64 f32 f16 bf16 i64 i32 i16 i8 strided rows dict".split()
for file in [*kinds, *("legacy_" + k for k in kinds), "batch", "list", "ordered", "parameter",
             "shared"]:
    case("features", f"{torch}{file}.pt", x)
case("features", torch + "expanded.pt", np.repeat([[0, 3, 6, 9]], 5, 0))
case("features", torch + "nested.pt", x, array="slide/uni/features")
case("features", torch + "nested.pt", x + 1, array="slide/other/features")
case("features", torch + "two.pt", x, array="b")
for file in "clam", "bf16":
    case("features", f"{torch}{file}.safetensors", x)

np.save(here / "bag.npy", x)
case("features", "testdata/corpus/bag.npy", x)
np.savez_compressed(here / "bags.npz", instances=np.concatenate([x, x[:2] + 3]),
                    offsets=np.array([0, 5, 7]))
case("features", "testdata/corpus/bags.npz", x[:2] + 3, index=1)
np.savez(here / "two.npz", uni=x, conch=-x)
case("features", "testdata/corpus/two.npz", -x, array="conch")
with open(here / "bags.csv", "w") as f:
    f.write("bag,f1,f2,f3,f4\n")
    for bag, rows in ("a", x), ("b", x[1:] - 7):
        f.writelines(f"{bag}," + ",".join(f"{v:g}" for v in row) + "\n" for row in rows)
case("features", "testdata/corpus/bags.csv", x[1:] - 7, index=1)
with open(here / "bag.idx", "wb") as f:
    f.write(bytes([0, 0, 13, 2]) + np.array(x.shape, ">i4").tobytes() + x.astype(">f4").tobytes())
case("features", "testdata/corpus/bag.idx", x)

# Features as TRIDENT and CLAM write them.
with h5py.File(here / "slide.h5", "w") as f:
    f["features"] = x
    f["coords"] = np.array([[256 * i, 512] for i in range(5)])
    f["coords"].attrs.update(patch_size_level0=256, level0_width=4096, level0_height=2048)
case("features", "testdata/corpus/slide.h5", x)

# Features with places, which www/tests/data/make_files.py writes.
places = "www/tests/data/files/"
with np.load(root / places / "packed.npz") as z:
    placed = z["features"]
for file in "packed.npz coords.npz coords.csv coords.safetensors clam.h5 trident.h5 latest.h5".split():
    case("features", places + file, placed)

# A model that takes the coordinates of these files beside their features.
w = (random.standard_normal((6, 3)) * 2).astype("f4")
graph = helper.make_graph(
    [helper.make_node("Mul", ["coords", "scale"], ["scaled"]),
     helper.make_node("Concat", ["scaled", "features"], ["joined"], axis=2),
     helper.make_node("Tanh", ["joined"], ["encoded"]),
     helper.make_node("ReduceMean", ["encoded"], ["pooled"], axes=[1], keepdims=0),
     helper.make_node("MatMul", ["pooled", "w"], ["logits"])], "placed",
    [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["b", "k", 4]),
     helper.make_tensor_value_info("coords", TensorProto.FLOAT, ["b", "k", 2])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 3])],
    [numpy_helper.from_array(np.array(1 / 1024, "f4"), "scale"),
     numpy_helper.from_array(w, "w")])
m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8,
                      producer_name="make.py")
helper.set_model_props(m, {"bagscope": json.dumps(
    {"classes": ["none", "one", "two"], "negative": 0, "output": "logits"})})
onnx.checker.check_model(m)
onnx.save(m, here / "placed.onnx")


def placed_case(file, features, coords):
    z = np.tanh(np.concatenate([coords / 1024, features], 1).astype("f8")).mean(0) @ w
    e = np.exp(z - z.max())
    cases.append({"model": "testdata/corpus/placed.onnx", "file": file,
                  "instances": len(features),
                  "prediction": [round(float(p), 9) for p in e / e.sum()]})


placed_case("testdata/corpus/slide.h5", x, np.array([[256 * i, 512] for i in range(5)]))
with np.load(root / places / "packed.npz") as z:
    coords = z["coords"][:, :2]
for file in "packed.npz coords.npz coords.csv coords.safetensors clam.h5 trident.h5".split():
    placed_case(places + file, placed, coords)

# A model that takes the age of a patient beside the features, and a table with the age of each bag.
w, years = (random.standard_normal((4, 3)) * 2).astype("f4"), np.array([[0, 0.8, -0.4]], "f4")
graph = helper.make_graph(
    [helper.make_node("Mul", ["features", "scale"], ["scaled"]),
     helper.make_node("Tanh", ["scaled"], ["encoded"]),
     helper.make_node("ReduceMean", ["encoded"], ["pooled"], axes=[0], keepdims=1),
     helper.make_node("MatMul", ["pooled", "w"], ["seen"]),
     helper.make_node("Sub", ["age", "usual"], ["older"]),
     helper.make_node("Div", ["older", "decade"], ["decades"]),
     helper.make_node("MatMul", ["decades", "years"], ["aged"]),
     helper.make_node("Add", ["seen", "aged"], ["logits"])], "patient",
    [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["k", 4]),
     helper.make_tensor_value_info("age", TensorProto.FLOAT, [1, 1])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3])],
    [numpy_helper.from_array(np.array(0.02, "f4"), "scale"),
     numpy_helper.from_array(np.array(60, "f4"), "usual"),
     numpy_helper.from_array(np.array(10, "f4"), "decade"),
     numpy_helper.from_array(w, "w"), numpy_helper.from_array(years, "years")])
m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8,
                      producer_name="make.py")
helper.set_model_props(m, {"bagscope": json.dumps(
    {"classes": ["none", "one", "two"], "negative": 0, "output": "logits",
     "inputs": {"age": "covariate"}})})
onnx.checker.check_model(m)
onnx.save(m, here / "patient.onnx")
patients = [(63, x), (50, x[1:] - 7), (71, x[:2] + 3)]
with open(here / "patients.csv", "w") as f:
    f.write("bag,age,f1,f2,f3,f4\n")
    for i, (age, rows) in enumerate(patients):
        f.writelines(f"p{i},{age}," + ",".join(f"{v:g}" for v in row) + "\n" for row in rows)
for i, (age, rows) in enumerate(patients):
    z = np.tanh(rows.astype("f8") * np.float32(0.02)).mean(0) @ w + (age - 60) / 10 * years[0]
    e = np.exp(z - z.max())
    cases.append({"model": "testdata/corpus/patient.onnx",
                  "file": "testdata/corpus/patients.csv", **({"index": i} if i else {}),
                  "instances": len(rows), "prediction": [round(float(p), 9) for p in e / e.sum()]})

# A model whose card says what the columns of a table hold, which names and rows do not say.
m = onnx.load(here / "features.onnx")
helper.set_model_props(m, {"bagscope": json.dumps(
    {"classes": ["none", "one", "two"], "negative": 0, "output": "logits",
     "columns": "who=bag; grade=label; cx=x; cy=y; f*=feature; *=skip"})})
onnx.save(m, here / "columns.onnx")
weights["columns"] = weights["features"]
with open(here / "measured.csv", "w") as f:
    f.write("area,cx,cy,who,grade,f1,f2,f3,f4,noise\n")
    for grade, (who, rows) in enumerate([("a", x), ("b", x[1:] - 7)]):
        f.writelines(f"{i + grade / 2},{256 * i},512,{who},{grade}," +
                     ",".join(f"{v:g}" for v in row) + f",{3 * i}\n"
                     for i, row in enumerate(rows))
case("columns", "testdata/corpus/measured.csv", x[1:] - 7, index=1)

# The pictures that core/bagio/testdata/pictures/make.py writes: 2 rows of 3 patches.
pictures = "core/bagio/testdata/pictures/"
p = np.asarray(Image.open(root / pictures / "picture.png").convert("RGB")).astype("f8")
patches = p.reshape(2, 8, 3, 8, 3).transpose(0, 2, 4, 1, 3).reshape(6, *PIXELS)
for file in "picture.png picture.webp plain.tif lzw.tif deflate.tif tiles.tif big.tif".split():
    case("pixels", pictures + file, (patches / 255 - 0.5) / 0.25)

# DICOM: the picture, and a series whose names and numbers are not in the order of positions.
def dicom(path, pixels, **attributes):
    d = pydicom.Dataset()
    d.file_meta = pydicom.dataset.FileMetaDataset()
    d.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
    d.file_meta.MediaStorageSOPClassUID = d.SOPClassUID = pydicom.uid.SecondaryCaptureImageStorage
    d.file_meta.MediaStorageSOPInstanceUID = d.SOPInstanceUID = "2.25.1"
    d.Rows, d.Columns = pixels.shape[:2]
    d.SamplesPerPixel = pixels.size // (d.Rows * d.Columns)
    d.PhotometricInterpretation = "RGB" if d.SamplesPerPixel == 3 else "MONOCHROME2"
    d.PlanarConfiguration, d.PixelRepresentation = 0, 0
    d.BitsAllocated = d.BitsStored = 8 * pixels.dtype.itemsize
    d.HighBit = d.BitsStored - 1
    d.PixelData = pixels.tobytes()
    for name, value in attributes.items():
        setattr(d, name, value)
    if "PixelData" in attributes:  # a code stream of JPEG 2000
        d.file_meta.TransferSyntaxUID = pydicom.uid.JPEG2000Lossless
        d.PixelData = pydicom.encaps.encapsulate([d.PixelData])
    d.save_as(path, enforce_file_format=True)


dicom(here / "picture.dcm", p.astype("u1"))
stream = io.BytesIO()
Image.fromarray(p.astype("u1")).save(stream, "JPEG2000", no_jp2=True, irreversible=False, num_resolutions=2)
dicom(here / "jpeg2000.dcm", p.astype("u1"), PixelData=stream.getvalue(),
      PhotometricInterpretation="YBR_RCT")
for file in "picture.dcm jpeg2000.dcm".split():
    case("pixels", f"testdata/corpus/{file}", (patches / 255 - 0.5) / 0.25)
stored = np.array([[[(31 * i + 17 * r + 5 * c * c) % 4000 for c in range(8)] for r in range(8)]
                   for i in range(3)], "<u2")
with zipfile.ZipFile(here / "slices.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for i in 1, 0, 2:
        out = io.BytesIO()
        dicom(out, stored[i], Modality="CT", SeriesInstanceUID="2.25.2", InstanceNumber=3 - i,
              ImagePositionPatient=[0, 0, 2.5 * i], ImageOrientationPatient=[1, 0, 0, 0, 1, 0],
              RescaleSlope="0.004", RescaleIntercept="-1")
        z.writestr(zipfile.ZipInfo(f"IM{i * 7 % 3}"), out.getvalue())
slices = stored[:, None].repeat(3, 1) * 0.004 - 1
case("pixels", "testdata/corpus/slices.zip", slices.astype("f4"))

with open(here / "corpus.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
