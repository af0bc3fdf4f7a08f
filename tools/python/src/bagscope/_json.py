"""Values of JSON as the types that results have."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ._errors import FormatError


def converted(kind: Any, value: Any, at: str = "") -> Any:
    """Return a value of JSON as the type ``kind``.

    It is a dataclass, whose keys have no underscore at the end, a list, a dictionary, an array, a
    number, a text or a flag, or one of several. NaN and infinities are null in JSON and become NaN.
    ``at`` names the value in errors.

    Raises
    ------
    FormatError
        If the value has another type.
    """
    if alias := getattr(get_origin(kind), "__value__", None):  # NDArray, from NumPy 2.5 on
        kind = alias[get_args(kind)]
    if get_origin(kind) in (types.UnionType, Union):
        if value is None and types.NoneType in get_args(kind):
            return None
        # The rest is one type, or several of single values.
        kinds = [k for k in get_args(kind) if k is not types.NoneType]
        fits = (k for k in kinds if type(value) is k)
        return converted(next(fits, float if float in kinds else kinds[0]), value, at)
    origin, args = get_origin(kind), get_args(kind)
    if origin is np.ndarray:
        return array(get_args(args[1])[0], value, at)
    if origin is list:
        items = _of(list, value, at)
        if args[0] in (bool, int, str) and set(map(type, items)) <= {args[0]}:
            return items
        return [converted(args[0], v, f"{at}[{i}]") for i, v in enumerate(items)]
    if origin is dict:
        return {k: converted(args[1], v, f"{at}.{k}") for k, v in _of(dict, value, at).items()}
    if dataclasses.is_dataclass(kind):
        make: Callable[..., Any] = kind  # type: ignore[assignment]
        return make(**_fields(kind, _of(dict, value, at), at))
    if kind is float:
        return float(array(np.float64, [value], at)[0])
    return value if kind is Any else _of(kind, value, at)


def _fields(kind: Any, given: dict[str, Any], at: str) -> dict[str, Any]:
    """Return the fields of a dataclass. Those with a default may be missing."""
    hints, out = get_type_hints(kind), {}
    for field in dataclasses.fields(kind):
        key = field.name.rstrip("_")
        if key in given:
            out[field.name] = converted(hints[field.name], given[key], f"{at}.{key}")
        elif field.default is field.default_factory is dataclasses.MISSING:
            raise FormatError(f"{at.lstrip('.') or 'it'} has no {key}")
    return out


def array(dtype: Any, values: Any, at: str = "") -> NDArray[Any]:
    """Return numbers of JSON, in which NaN and infinities are null, as an array (n,)."""
    given = set(map(type, _of(list, values, at)))
    known = (
        {bool} if dtype is np.bool_ else {int} if dtype is np.int64 else {int, float, type(None)}
    )
    if not given <= known:
        _wrong(f"a list of {np.dtype(dtype).name}", f"a list with {_names(given - known)}", at)
    try:
        return np.array([np.nan if v is None else v for v in values], dtype)
    except OverflowError:
        _wrong("numbers", "a number that is too large", at)


def _of(kind: type, value: Any, at: str) -> Any:
    """Return a value of one type."""
    if type(value) is not kind:
        _wrong(kind.__name__, _names({type(value)}), at)
    return value


def _wrong(wanted: str, got: str, at: str) -> NoReturn:
    raise FormatError(f"{at.lstrip('.') or 'it'} must be {wanted}, not {got}")


def _names(kinds: set[type]) -> str:
    return ", ".join(sorted("null" if k is types.NoneType else k.__name__ for k in kinds))
