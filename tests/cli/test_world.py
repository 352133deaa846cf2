"""`vnla world` as a person meets it: good input, bad input, and nothing half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from command import Vnla
from vnla.cli import main
from vnla.houses.cottage import cottage
from vnla.houses.folder import read_world, write_world
from vnla.houses.matterport import write_matterport
from vnla.vision.encoders import Size
from vnla.vision.store import Header, StoreWriter, store_path, viewpoints_of, world_checksum
from vnla.world.compiled import World

COMMAND = [sys.executable, "-c", "from vnla.cli import main; main()"]
TWO_GIGABYTES = 2 << 30


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    write_matterport(folder, [replace(cottage(), name=name) for name in ("one", "two")])
    return folder


def graph(source: Path) -> Path:
    return source / "connectivity" / "one_connectivity.json"


def house_file(source: Path) -> Path:
    return source / "v1" / "scans" / "one" / "house_segmentations" / "one.house"


def bytes_read() -> int:
    """By this process, from all files together, where the system counts them."""
    counts = Path("/proc/self/io")
    return int(counts.read_text().split()[1]) if counts.exists() else 0


def make_sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(TWO_GIGABYTES)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def test_import_makes_a_world_that_reads_back_equal(vnla: Vnla, source: Path, tmp_path: Path) -> None:
    answer = vnla("world", "import", "matterport", source, tmp_path / "out")
    assert answer.status == 0, answer.err
    assert read_world(tmp_path / "out").houses == read_world(source).houses
    assert "imported into" in answer.out
    assert "26" in answer.out


def test_import_counts_in_json(vnla: Vnla, source: Path, tmp_path: Path) -> None:
    answer = vnla("world", "import", "matterport", source, tmp_path / "out", "--json", "--scan", "two")
    assert json.loads(answer.out) == {
        "out": str(tmp_path / "out"),
        "houses": 1,
        "viewpoints": 13,
        "excluded": 0,
        "isolated": 0,
        "edges": 13,
        "rooms": 10,
        "objects": 22,
        "objects_outside_their_room": 0,
        "notes": {},
    }


def test_import_groups_notes_and_lists_them_when_asked(vnla: Vnla, source: Path, tmp_path: Path) -> None:
    house_file(source).unlink()
    (house_file(source).parent / "panorama_to_region.txt").unlink()
    short = vnla("world", "import", "matterport", source, tmp_path / "short")
    assert "no rooms" in short.out
    assert str(graph(source)) not in short.out
    long = vnla("world", "import", "matterport", source, tmp_path / "long", "--verbose")
    assert f"{graph(source)}: there is no .house file" in long.out
    listed = json.loads(vnla("world", "import", "matterport", source, tmp_path / "j", "--json", "--verbose").out)
    assert listed["notes"] == {"no rooms": 1}
    assert listed["all_notes"][0]["place"] == str(graph(source))


def test_export_writes_what_import_takes(vnla: Vnla, tmp_path: Path) -> None:
    write_world(tmp_path / "w", [cottage()], source="handmade")
    assert vnla("world", "export", tmp_path / "w", tmp_path / "files", "--format", "matterport").status == 0
    assert not (tmp_path / "files" / "world.json").exists()
    assert vnla("world", "import", "matterport", tmp_path / "files", tmp_path / "again").status == 0
    assert read_world(tmp_path / "again").houses == (cottage(),)


def test_show_prints_figures_beside_the_real_ones(vnla: Vnla, source: Path) -> None:
    answer = vnla("world", "show", source)
    assert answer.status == 0
    assert "10,567" in answer.out
    figures = json.loads(vnla("world", "show", source, "--house", "two", "--json").out)
    assert figures["statistics"]["houses"] == 1
    assert figures["statistics"]["viewpoints_a_house"]["mean"] == 13
    assert figures["real"]["viewpoints_a_house"]["mean"] == 117
    wrong = vnla("world", "show", source, "--house", "three")
    assert wrong.status == 2
    assert "has no house 'three'" in wrong.err


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda source: graph(source).write_text(graph(source).read_text()[:500]), "is not valid JSON"),
        (lambda source: graph(source).unlink(), "scans.txt:1: the building 'one' has no file"),
        (lambda source: graph(source).write_text('{"image_id": 3}'), "one_connectivity.json: holds an object"),
        (lambda source: graph(source).write_text("[7]"), "one_connectivity.json: record 0: is a number"),
        (lambda source: graph(source).write_bytes(b"\xff\xfe"), "one_connectivity.json: byte 0 is not UTF-8"),
        (lambda source: make_folder(graph(source)), "one_connectivity.json: is a directory"),
        (lambda source: make_sparse(graph(source)), "one_connectivity.json: 2,048 MB is too large"),
        (lambda source: house_file(source).write_text("ASCII 1.1\nR 0"), "one.house:2: R record has 2 fields; expected 20"),
        (lambda source: house_file(source).write_text(""), "one.house:1: the line is ''; expected ASCII 1.1"),
        (lambda source: make_folder(house_file(source)), "one.house: is a directory"),
        (lambda source: make_sparse(house_file(source)), "one.house: line 1 is longer than"),
    ],
)
def test_bad_files_are_answered_at_once_with_one_line_and_leave_nothing(
    vnla: Vnla, source: Path, tmp_path: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(source)
    read = bytes_read()
    answer = vnla("world", "import", "matterport", source, tmp_path / "out")
    assert bytes_read() - read < TWO_GIGABYTES / 4
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.startswith("vnla: error: ")
    assert answer.err.count("\n") == 1
    assert message in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("import", "matterport", "nowhere", "out"), "nowhere: no such directory"),
        (("import", "matterport", "file", "out"), "file: is not a directory"),
        (("import", "matterport", "empty", "out"), "empty: has no connectivity folder"),
        (("import", "matterport", "source", "file"), "file: exists already"),
        (("import", "matterport", "source", "source"), "source: exists already"),
        (("import", "matterport", "source", "file/out"), "cannot be written"),
        (("import", "matterport", "source", "out", "--scan", "three"), "has no building 'three'; it has one, two"),
        (("import", "matterport", "source", "out", "--scans", "nowhere"), "nowhere: no such directory"),
        (("import", "matterport", "source"), "Missing argument 'OUT'"),
        (("export", "source", "file"), "file: exists already"),
        (("export", "empty", "out"), "empty: has no connectivity folder"),
        (("export", "source", "out", "--format", "other"), "'other' is not"),
        (("make", "out", "--houses", "2"), "2 houses: at least 3 are needed"),
        (("make", "out", "--houses", "9", "--train", "9"), "--houses 9: --train, --dev and --test make it 12"),
        (("show", "nowhere"), "nowhere: no such directory"),
        (("fly",), "No such command 'fly'"),
    ],
)
def test_bad_arguments_are_answered_with_one_line_and_leave_nothing(
    vnla: Vnla,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.iterdir())
    assert source in before
    answer = vnla("world", *arguments)
    assert answer.status == 2
    assert answer.err.startswith("vnla: error: ")
    assert answer.err.count("\n") == 1
    assert message in answer.err
    assert sorted(tmp_path.iterdir()) == before


def test_brackets_in_a_path_are_text_and_not_markup(vnla: Vnla, source: Path, tmp_path: Path) -> None:
    answer = vnla("world", "import", "matterport", source, tmp_path / "[red]o")
    assert answer.status == 0
    assert "[red]o" in answer.out.replace("\n", "")


@pytest.mark.parametrize("command", [(), ("world",), ("world", "import")])
def test_a_command_without_a_verb_prints_its_help(vnla: Vnla, command: tuple[str, ...]) -> None:
    answer = vnla(*command)
    assert "Usage" in answer.out + answer.err
    assert "error" not in answer.err


def test_as_many_houses_are_made_as_are_wanted(vnla: Vnla, tmp_path: Path) -> None:
    answer = vnla("world", "make", tmp_path / "w", "--houses", 4, "--workers", 2)
    assert answer.status == 0 and "4 houses" in answer.out
    assert {part: len(names) for part, names in read_world(tmp_path / "w").splits.items()} == {
        "train": 2,
        "dev": 1,
        "test": 1,
    }
    answer = vnla("world", "make", tmp_path / "v", "--houses", 3, "--train", 1, "--dev", 1, "--test", 1, "--workers", 1)
    assert answer.status == 0
    first, second = (read_world(tmp_path / name) for name in "wv")
    assert set(second.houses) < set(first.houses), "the houses of a smaller world are those of a larger one"


@pytest.mark.parametrize("command", [("make",), ("import", "matterport"), ("export",), ("show",)])
def test_every_command_explains_itself_with_an_example(vnla: Vnla, command: tuple[str, ...]) -> None:
    answer = vnla("world", *command, "--help")
    assert answer.status == 0
    assert f"Example: vnla world {' '.join(command)}" in " ".join(answer.out.split())


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_version_is_printed_by_the_real_process() -> None:
    done = process("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("vnla ")


def test_bad_input_ends_the_real_process_with_one_line_and_status_2(tmp_path: Path) -> None:
    done = process("world", "show", str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"vnla: error: {tmp_path / 'none'}: no such directory; expected a world folder\n"


def test_the_command_line_starts_without_torch() -> None:
    script = "import sys, vnla.cli; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_reader_that_leaves_early_is_no_error(source: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, "world", "show", str(source)], stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(write)
    assert done.stderr == ""
    assert done.returncode != 0


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (KeyboardInterrupt(), 130, "vnla: interrupted\n"),
        (PermissionError(13, "Permission denied", "a/b"), 2, "vnla: error: a/b: Permission denied\n"),
        (OSError(28, "No space left on device"), 2, "vnla: error: [Errno 28] No space left on device\n"),
    ],
)
def test_interruptions_and_system_errors_end_without_a_traceback(
    vnla: Vnla, source: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, line: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("vnla.cli.world.read_world", fail)
    answer = vnla("world", "show", source)
    assert (answer.status, answer.err) == (status, line)


def test_a_fault_of_ours_is_not_hidden(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr("vnla.cli.world.read_world", fail)
    with pytest.raises(KeyError, match="a fault"):
        main(["world", "show", str(source)])


def test_set_chooses_pictures_and_features_and_tells_what_has_to_be_made_again(vnla: Vnla, tmp_path: Path) -> None:
    world = tmp_path / "w"
    write_world(world, [cottage()], source="handmade")
    folder = read_world(world)
    header = Header("eyes", "v1", 1, Size(8, 6), 60.0, world_checksum(folder), viewpoints_of(World.compile(folder.houses)))
    with StoreWriter(store_path(world, "eyes"), header, durable=False) as store:
        store.write(0, np.ones((len(header.viewpoints), 36, 1)))
        store.finish()
    assert vnla("world", "set", world).out == "pictures: as found\nfeatures: the usual\n"
    answer = vnla("world", "set", world, "--pictures", "skybox", "--option", "scans=there", "--features", "a, b", "--json")
    assert json.loads(answer.out) == {
        "world": str(world),
        "pictures": {"source": "skybox", "options": {"scans": "there"}},
        "features": "a,b",
        "stale": ["eyes"],
    }
    assert "because the world has changed: eyes" in vnla("world", "set", world).out
    assert vnla("world", "set", world, "--pictures", "default", "--features", "default").status == 0
    assert vnla("world", "set", world).out == "pictures: as found\nfeatures: the usual\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pictures", "camera"], "pictures camera: unknown; choose from generated, skybox"),
        (["--pictures", "skybox", "--option", "scans"], "--option 'scans': expected name=value"),
        (["--option", "scans=there"], "--option: belongs to a source of pictures"),
        (["--features", "a,,b"], "features 'a,,b'"),
    ],
)
def test_set_writes_nothing_that_does_not_work(vnla: Vnla, tmp_path: Path, options: list[str], message: str) -> None:
    write_world(tmp_path / "w", [cottage()], source="handmade")
    before = (tmp_path / "w" / "world.json").read_bytes()
    answer = vnla("world", "set", tmp_path / "w", *options)
    assert answer.status == 2 and message in answer.err and answer.err.count("\n") == 1
    assert (tmp_path / "w" / "world.json").read_bytes() == before
