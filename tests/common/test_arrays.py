"""Arrays in files: what each has to be, and what is said of one that is not."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from vnla.common.arrays import NUMBERS, TEXTS, TRUTHS, WHOLE, ArraySpec, check_arrays, mismatch, read_arrays, write_arrays
from vnla.common.errors import InputError

SPECS = {
    "row": ArraySpec(WHOLE, ("rows",), 0, 9),
    "share": ArraySpec(NUMBERS, ("rows", 2), 0, 1),
    "name": ArraySpec(TEXTS, ("names",)),
    "done": ArraySpec(TRUTHS, ()),
}
GOOD = {"row": np.array([0, 9]), "share": np.zeros((2, 2)), "name": np.array(["a"]), "done": np.array(True)}


def test_arrays_that_are_what_they_have_to_be() -> None:
    assert mismatch(GOOD, SPECS) is None
    none = {"row": np.zeros(0, np.int8), "share": np.zeros((0, 2)), "name": np.zeros(0, "U1")}
    assert mismatch(GOOD | none, SPECS) is None, "there may be no rows"
    endless = ArraySpec(NUMBERS, (1,), finite=False)
    assert mismatch({"x": np.array([np.inf])}, {"x": endless}) is None


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"row": np.array([0.0, 1.0])}, "row is of float64"),
        ({"row": np.array([True, False])}, "row is of bool"),
        ({"row": np.array(["1", "2"])}, "row is of <U1"),
        ({"row": np.array([[0, 1]])}, "row has 2 axes, not 1"),
        ({"row": np.array([-1, 1])}, "row has values from -1 to 1, not from 0 to 9"),
        ({"row": np.array([0, 2**63 - 1])}, "row has values from 0 to 9223372036854775807, not from 0 to 9"),
        ({"row": np.array([0, 2**64 - 1], np.uint64)}, "row has values from 0 to 18446744073709551615, not from 0 to 9"),
        ({"row": np.array([1, 2, 3])}, r"share has the shape \(2, 2\), not \(3, 2\)"),
        ({"share": np.zeros((2, 3))}, r"share has the shape \(2, 3\), not \(2, 2\)"),
        ({"share": np.array([[0, 1], [np.nan, 0]])}, "share has a value that is no finite number"),
        ({"share": np.array([[0, 1], [0, np.inf]])}, "share has a value that is no finite number"),
        ({"name": np.array([1])}, "name is of int64"),
        ({"name": np.array(["\ud800"])}, "name has a character that there is none of"),
        ({"name": np.array([2**31 - 1], "<u4").view("<U1")}, "name has a character that there is none of"),
        ({"done": np.array([True])}, "done has 1 axes, not 0"),
    ],
)
def test_the_first_thing_wrong_is_told(arrays: dict[str, np.ndarray], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"x.npz: {said}; expected arrays"):
        check_arrays(tmp_path / "x.npz", "arrays", GOOD | arrays, SPECS)


def test_what_has_no_upper_bound_is_told_without_one() -> None:
    assert (
        mismatch({"x": np.array([-1, 3])}, {"x": ArraySpec(WHOLE, (2,), 0)}) == "x has values from -1 to 3, not of 0 or more"
    )


def test_an_array_that_is_missing_is_told() -> None:
    assert mismatch({}, SPECS) == "lacks 'row'"


def npz(path: Path, name: str, header: str, data: bytes = b"") -> Path:
    """A file with one array of that header, as nobody's program writes it."""
    line = header.encode().ljust(117) + b"\n"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + data)
    path.write_bytes(content.getvalue())
    return path


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000, 0)}",
    ],
)
def test_arrays_of_nothing_are_not_endless(header: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'texts' has the shape .* and nothing in it; expected arrays"):
        read_arrays(npz(tmp_path / "x.npz", "texts", header), "arrays", 1 << 20)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x.npz", GOOD)
    found = read_arrays(tmp_path / "x.npz", "arrays", 1 << 20)
    assert mismatch(found, SPECS) is None
    assert all(np.array_equal(found[name], array) for name, array in GOOD.items())
