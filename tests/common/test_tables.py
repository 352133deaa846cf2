"""Tables larger than memory: what is indexed is what is on disk, whatever is there, and no more is there than may be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from vnla.common import tables
from vnla.common.errors import InputError
from vnla.common.tables import HOST, DeviceTable, DiskTable, FeatureTable, lend, room_in, share_of, size_in_bytes, stretches

PAGE, SIZE = 4, 8
FIRST = torch.tensor([0, 3, 5, 9, 10, 16])
"""Five groups of 3, 2, 4, 1 and 6 pages."""


@pytest.fixture
def whole(tmp_path: Path) -> Tensor:
    values = np.random.default_rng(1).standard_normal((int(FIRST[-1]) * PAGE, SIZE)).astype(np.float16)
    (tmp_path / "table").write_bytes(values.tobytes())
    return torch.from_numpy(values)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "SMALLEST", 1)


def rows_of(table: FeatureTable, groups: list[int]) -> Tensor:
    return torch.cat([torch.arange(pages.start * PAGE, pages.stop * PAGE) for pages in map(table.pages, groups)])


def test_a_mapped_table_is_the_file_and_lets_go_when_it_is_too_much(
    whole: Tensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "WINDOW", 0)
    table = DiskTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=10 * SIZE * 2)
    let_go: list[int] = []
    monkeypatch.setattr(table, "_let_go", lambda: let_go.append(1))
    assert table.shape == whole.shape and table.is_floating_point() and table.device.type == "cpu"
    for _ in range(4):
        rows = torch.randint(0, len(whole), (6,))
        table.expect([0, 4])
        assert torch.equal(table[rows], whole[rows])
    assert len(let_go) == 3, "six rows are there, another six are too many"


def test_what_was_let_go_comes_back(whole: Tensor, tmp_path: Path) -> None:
    table = DiskTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=1 << 20)
    everything = torch.arange(len(whole))
    assert torch.equal(table[everything], whole)
    table._let_go()
    assert torch.equal(table[everything], whole)


def test_a_table_on_a_device_has_what_is_needed_whatever_had_to_go(whole: Tensor, tmp_path: Path) -> None:
    """Room for eight pages: groups come and go in an order drawn by lot, with and without having been expected."""
    table = DeviceTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=8 * PAGE * SIZE * 2)
    assert table.capacity == 8
    generator = np.random.default_rng(3)
    for turn in range(40):
        groups = [int(each) for each in generator.permutation(5)[: generator.integers(1, 4)]]
        if not table.fits(groups):
            continue
        if turn % 2:
            table.expect(groups)
        table.need(groups)
        rows = rows_of(table, groups)
        assert torch.equal(table[rows], whole[rows])
    assert sum(len(places) for places in table._places.values()) + len(table._free) == 8


def test_what_was_not_needed_for_longest_makes_room(whole: Tensor, tmp_path: Path) -> None:  # noqa: ARG001
    table = DeviceTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=8 * PAGE * SIZE * 2)
    for groups in ([0], [1], [0], [2]):  # 3, 2 and 4 pages: group 1 goes
        table.need(groups)
    assert list(table._places) == [0, 2]


def test_more_than_fits_is_one_line(whole: Tensor, tmp_path: Path) -> None:  # noqa: ARG001
    table = DeviceTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=8 * PAGE * SIZE * 2)
    with pytest.raises(InputError, match=r"the houses of one batch have .* give a larger --feature-cache"):
        table.need([2, 4])
    with pytest.raises(InputError, match="too small; give 1MB or more"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "SMALLEST", 10**6)
        DiskTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=5)


def test_stretches_fit(whole: Tensor, tmp_path: Path) -> None:  # noqa: ARG001
    table = DeviceTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=8 * PAGE * SIZE * 2)
    groups = [0] * 5 + [1] * 2 + [2] + [4] * 3
    assert list(stretches(groups, [table], 100)) == [slice(0, 7), slice(7, 8), slice(8, 11)]
    assert list(stretches(groups, [table], 3)) == [slice(0, 3), slice(3, 6), slice(6, 8), slice(8, 11)]
    assert list(stretches([], [table], 3)) == []


@pytest.mark.parametrize(("text", "size"), [("4GB", 4_000_000_000), ("500 mb", 500_000_000), ("1.5G", 1_500_000_000)])
def test_a_size_in_words(text: str, size: int) -> None:
    assert size_in_bytes(text) == size


@pytest.mark.parametrize("text", ["4", "GB", "-1GB", "four GB", "1e3MB", "9" * 400 + "GB", "٣GB", ".GB", "1.2.3GB", "²GB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(InputError, match="expected a number of MB or GB") as error:
        size_in_bytes(text)
    assert len(str(error.value)) < 120


def test_the_least_that_is_named_is_taken(whole: Tensor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.undo()
    with pytest.raises(InputError, match=r"a feature cache of 63\.5 MB is too small; give 64MB or more$"):
        DiskTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=size_in_bytes("63.5MB"))
    assert DiskTable(tmp_path / "table", SIZE, FIRST, PAGE, limit=size_in_bytes("64MB")).limit == 64 * 10**6
    with pytest.raises(InputError, match=r"100 MB is too small for 2 features on disk; give 128MB or more$"):
        share_of(size_in_bytes("100MB"), 2)
    assert share_of(size_in_bytes("128MB"), 2) == 64 * 10**6


def test_what_is_lent_is_for_a_gpu() -> None:
    assert room_in(" Host ") == HOST and room_in("4GB") == 4 * 10**9
    with pytest.raises(InputError, match=r"^--feature-cache host: is for a GPU"):
        lend(np.zeros((2, 3), np.float16), torch.device("cpu"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="a GPU fetches what it was lent")
def test_a_gpu_fetches_what_it_was_lent_from_within_a_graph(whole: Tensor) -> None:
    lent = lend(whole.numpy(), torch.device("cuda"))
    free, _ = torch.cuda.mem_get_info()
    large = lend(np.zeros((1 << 20, 512), np.float16), torch.device("cuda"))
    assert torch.cuda.mem_get_info()[0] > free - large.nbytes / 2, "a gigabyte is not on the device"
    rows = torch.tensor([5, 0, 3], device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fetched = lent[rows]
    rows.copy_(torch.tensor([7, 7, 1]))
    graph.replay()
    assert lent.is_cuda and torch.equal(fetched.cpu(), whole[[7, 7, 1]])
