"""Writes the files of this folder with PyTorch and safetensors.

    pip install torch==2.1.2 safetensors==0.8.0 numpy==1.26.4
    python make.py

Instance i has the features (7 i + 3 j) mod 100, j < 4, and the place (256 i, 512 - 256 i): values
that every data type holds exactly.
"""
import collections
import pathlib

import numpy
import torch
from safetensors.torch import save_file

here = pathlib.Path(__file__).parent
features = torch.tensor([[(7 * i + 3 * j) % 100 for j in range(4)] for i in range(5)])
coords = torch.tensor([[256 * i, 512 - 256 * i] for i in range(5)])


def save(name, value, legacy=False, protocol=2):
    torch.save(value, here / f"{name}.pt", _use_new_zipfile_serialization=not legacy,
               pickle_protocol=protocol)


types = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
         "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8}
for name, t in types.items():
    save(name, features.to(t))
    save(f"legacy_{name}", features.to(t), legacy=True)

x = features.float()
for legacy in (False, True):
    head = "legacy_" if legacy else ""
    save(head + "strided", x.T.contiguous().T, legacy)  # column-major
    save(head + "rows", torch.arange(40).reshape(10, 4).float().copy_(
        torch.cat([x - 100, x]))[5:], legacy)  # an offset into its storage
    save(head + "dict", {"features": x, "coords": coords, "patch_size_level0": 256,
                         "note": "two tensors"}, legacy)

for protocol in (1, 3, 4, 5):
    save(f"legacy_protocol{protocol}", {"features": x, "é": 2**70}, True, protocol)
save("protocol1", {"features": x, "a\\b\né∞": 2**70}, protocol=1)

plain = {"features": x, "empty": torch.empty(0, 4), "type": x.dtype, "shape": x.shape,
         "device": x.device, "tags": {1, 2}, "loss": numpy.float64(.5), "bytes": b"ab",
         "file": pathlib.PurePosixPath("a/b"), "names": numpy.array([1, 2]),
         "phase": torch.zeros(2, 3, dtype=torch.complex64), "large": 2**70, "negative": -2**70}
save("plain", plain)
tagged = x.clone()
tagged.note = "an attribute"
for legacy in (False, True):
    head = "legacy_" if legacy else ""
    save(head + "tagged", collections.defaultdict(list, features=tagged), legacy)
save("negated", torch._neg_view(x))
save("none", torch.empty(0, 4).T.contiguous().T)
save("legacy_parameter", {"features": torch.nn.Parameter(x), "b": x + 1}, legacy=True)

save("expanded", torch.tensor([[0.0, 3.0, 6.0, 9.0]]).expand(5, 4))
save("batch", {"feats": x[None], "coords": coords[None], "patch_size": 256})
save("list", [x])
save("nested", {"slide": {"uni": {"features": x}, "other": {"features": x + 1}}})
save("ordered", collections.OrderedDict(embeddings=x.half(), inst_labels=torch.arange(5)))
save("parameter", torch.nn.Parameter(x))
save("shared", {"features": x, "transposed": x.T})
save("two", {"a": x, "b": x})
save("numpy", {"features": x.numpy()})
save("module", torch.nn.Linear(4, 2))
save("sparse", x.to_sparse())
save("complex", x.to(torch.complex64))
torch.jit.save(torch.jit.script(torch.nn.Linear(4, 2)), str(here / "script.pt"))

save_file({"features": x, "coords": coords}, here / "clam.safetensors",
          metadata={"patch_size": "512", "downsample": "2", "patch_level": "1", "mpp": "0.25"})
save_file({"x": x.bfloat16().contiguous()}, here / "bf16.safetensors")
