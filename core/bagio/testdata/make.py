"""Makes the .npz and .npy files beside it with NumPy, so that the reader is tested on bytes it did not write.

Run in this folder: python make.py. Made with NumPy 2; any version gives the same arrays.
Entry i (row-major) of every array in dtypes.npz, of shape (2, 3, 2), is i/2 - 3 for floats, i - 3 for signed
integers, 200 + i for unsigned ones and i % 3 == 0 for booleans.
"""
import io
import zipfile

import numpy as np

SHAPE = (2, 3, 2)
i = np.arange(12)
VALUES = {"f": i / 2 - 3, "i": i - 3, "u": 200 + i, "b": i % 3 == 0}


def save(archive, name, array, version=(1, 0)):
    data = io.BytesIO()
    np.lib.format.write_array(data, array, version=version, allow_pickle=False)
    archive.writestr(zipfile.ZipInfo(name + ".npy"), data.getvalue(), zipfile.ZIP_DEFLATED)


with zipfile.ZipFile("dtypes.npz", "w") as z:
    for kind in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1".split():
        for order, sign in (("little", "<"), ("big", ">")):
            a = VALUES[kind[0]].astype(sign + kind).reshape(SHAPE)
            save(z, f"{kind}_{order}_c", a)
            save(z, f"{kind}_{order}_fortran", np.asfortranarray(a))
    save(z, "f4_version2", VALUES["f"].astype("<f4").reshape(SHAPE), (2, 0))
    save(z, "f4_version3", VALUES["f"].astype("<f4").reshape(SHAPE), (3, 0))
    for name, kind in (("words_U_little", "<U3"), ("words_U_big", ">U3"), ("words_S", "S3")):
        save(z, name, np.array(["a", "", "xyz"], kind))
    save(z, "words_unicode", np.array(["\u00e9\u4e2d", "\U0001f600"]))

SET = {
    "instances": np.arange(12, dtype="u1").reshape(3, 1, 2, 2),
    "offsets": np.array([0, 1, 3]),
    "labels": np.array([7, 0], dtype="i4"),
    "instance_labels": np.array([-1, 4, 2]),
    "boxes": np.array([[0, 0, 2, 2], [2, 0, 4, 2], [0, 2, 2, 4]], dtype="u2"),
    "names": np.array(["first", "second"]),
}
np.savez("stored.npz", **SET)
np.savez_compressed("deflated.npz", **SET)
np.save("bag.npy", np.array([[1.5, -2, 3], [4, 5.25, -6]], dtype="<f8"))
