"""Passes arrays to the engine without sending them through a pipe."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _wire as wire
from ._errors import FormatError

INLINE_BELOW = 1 << 16
"""Arrays of fewer bytes are a part of the message, which takes less time than a file."""

_MEMORY = "/dev/shm"
_KINDS = {"f": (2, 4, 8), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "b": (1,)}


def as_array(data: Any) -> NDArray[Any]:
    """Return numbers as an array, without a copy where that is possible.

    Tensors of PyTorch are detached and copied to the CPU, and bfloat16 becomes float32. Sparse
    matrices of SciPy become dense. Strides, byte orders and read-only memory are any. A masked
    array must have no masked entry.

    Raises
    ------
    FormatError
        If data is not an array of numbers, such as a sparse or quantized tensor.
    """
    try:
        array = _converted(data)
    except (TypeError, ValueError, RuntimeError, BufferError) as e:
        raise FormatError(
            f"a {type(data).__name__} cannot become an array: {str(e).strip()}; convert it to a "
            "NumPy array of float32"
        ) from e
    if array is None:
        raise FormatError(
            f"a bag cannot be a {type(data).__name__}; use an array (k, ...), a path, or an "
            "AnnData object"
        )
    if np.ma.is_masked(data):
        raise FormatError("a bag cannot have masked entries; fill them, or remove their instances")
    if array.dtype.itemsize not in _KINDS.get(array.dtype.kind, ()):
        raise FormatError(
            f"an array of type {array.dtype} cannot be a bag; convert it to float32, such as by "
            ".astype('float32')"
        )
    return array


def detached(data: Any) -> Any:
    """Return a tensor of PyTorch so that NumPy can read it, and anything else as it is."""
    if not callable(getattr(data, "detach", None)):
        return data
    data = data.detach().cpu()
    return data.float() if str(data.dtype) == "torch.bfloat16" else data


def _converted(data: Any) -> NDArray[Any] | None:
    """Return an object as an array, None if it is of no known kind."""
    data = detached(data)
    if is_sparse(data):
        data = data.toarray()
    if is_bfloat16(data):
        bits = np.ascontiguousarray(data).view("<u2").astype("<u4") << 16
        return bits.view("<f4").reshape(data.shape)
    if hasattr(data, "__array__") or isinstance(data, (list, tuple)):
        return np.asarray(data)
    return np.from_dlpack(data) if hasattr(data, "__dlpack__") else None


def is_sparse(data: Any) -> bool:
    """Return whether data is a sparse matrix of SciPy."""
    return callable(getattr(data, "tocoo", None)) and callable(getattr(data, "toarray", None))


def is_bfloat16(data: Any) -> bool:
    """Return whether data is an array of bfloat16: of ml_dtypes, or as NumPy loads it, ``V2``."""
    dtype = getattr(data, "dtype", None)
    if not isinstance(data, np.ndarray) or not isinstance(dtype, np.dtype):
        return False
    return dtype.name == "bfloat16" or (
        dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None and not dtype.shape
    )


def notes_of(data: Any) -> list[str]:
    """Return sentences that say what data was taken for."""
    if is_sparse(data):
        shape = " x ".join(map(str, data.shape))
        return [f"The sparse matrix of {shape} is read as one bag, an instance in each row."]
    if is_bfloat16(data) and data.dtype.name != "bfloat16":
        return [
            "The values have a type of two bytes without a name, as NumPy loads bfloat16, and are "
            "read as bfloat16."
        ]
    return []


def type_of(array: NDArray[Any]) -> str:
    """Return the NumPy type string of an array, such as ``<f4``."""
    return array.dtype.str


@contextmanager
def block_of(array: NDArray[Any]) -> Iterator[wire.Block]:
    """Lend the bytes of an array to a request, in row-major order.

    A small array is a part of the message. An array that is mapped from a file is named by that
    file. Any other array is copied once: into shared memory, a temporary file, or the message if
    neither has room.
    """
    array = np.ascontiguousarray(array) if not array.flags.c_contiguous else array
    mapped = _file_of(array)
    if mapped is not None:
        yield mapped
    elif array.nbytes < INLINE_BELOW:
        yield wire.Block(bytes=array.tobytes())
    elif (path := _written(array)) is None:
        yield wire.Block(bytes=_bytes_of(array))
    else:
        try:
            yield wire.Block(path=path, length=array.nbytes)
        finally:
            with suppress(OSError):  # Windows keeps files that are mapped; the system removes them
                os.unlink(path)


def _file_of(array: NDArray[Any]) -> wire.Block | None:
    """Return the place of an array in the file that it is mapped from, or None."""
    base: Any = array
    while isinstance(base, np.ndarray) and isinstance(base.base, np.ndarray):
        base = base.base
    # Changes of a copy-on-write mapping are not in the file.
    if not isinstance(base, np.memmap) or base.filename is None or base.mode == "c":
        return None
    if not _still_named(base.filename, _address(base)):
        return None
    offset = base.offset + _address(array) - _address(base)
    return wire.Block(path=os.path.abspath(base.filename), offset=offset, length=array.nbytes)


def _still_named(path: str, address: int) -> bool:
    """Return whether the file that is mapped at an address still has its name.

    A program that writes a file again under another name and renames it leaves the mapping as it
    was. Only Linux states which file is mapped; elsewhere the file only has to exist.
    """
    try:
        inode = os.stat(path).st_ino
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                start, end = line.split(maxsplit=1)[0].split("-")
                if int(start, 16) <= address < int(end, 16):
                    return int(line.split(maxsplit=5)[4]) == inode
    except OSError:
        return os.path.exists(path)
    return False


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _written(array: NDArray[Any]) -> str | None:
    """Write an array to a temporary file and return its path, None if no folder has room."""
    try:
        handle, path = tempfile.mkstemp(prefix="bagscope-", dir=_folder(array.nbytes))
    except OSError:
        return None
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            view = _bytes_of(array)
            while view:
                view = view[file.write(view) :]
    except BaseException as e:
        os.unlink(path)
        if isinstance(e, OSError):
            return None
        raise
    return path


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _folder(size: int) -> str | None:
    """Return the folder of shared memory if it has room, else None for the temporary folder."""
    try:
        room = os.statvfs(_MEMORY)
    except (OSError, AttributeError):
        return None
    free = room.f_bavail * room.f_frsize
    return _MEMORY if os.access(_MEMORY, os.W_OK) and size < free - (1 << 24) else None
