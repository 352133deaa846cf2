"""Panoramas for the page: from any source, upright, small enough, each drawn once."""

from __future__ import annotations

import io
import pickle
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vnla.common import process_pool
from vnla.common.errors import InputError
from vnla.houses.cottage import cottage
from vnla.houses.folder import WorldFolder, read_world, write_world
from vnla.houses.generate.world import HouseRecipe, as_extra
from vnla.houses.house import UPRIGHT, House, Rotation, Viewpoint
from vnla.houses.pictures import GeneratedPictures
from vnla.houses.skybox import Faces, face_directions
from vnla.serve.file_cache import FileCache
from vnla.serve.panorama_files import FACE, LARGEST, Order, encoded, upright
from vnla.serve.pictures import Pictures
from vnla.serve.places import PlaceNames

TURNED: Rotation = (0.6, 0.0, 0.8, -0.8, 0.0, 0.6, 0.0, -1.0, 0.0)
"""A camera that was set up facing no wall."""


def coloured(directions: np.ndarray) -> Faces:
    """A world whose colour tells the direction one looks in."""
    return np.rint(directions * 127 + 128).astype(np.uint8)


def of(world: WorldFolder, folder: Path) -> Pictures:
    return Pictures(world, PlaceNames(world.houses), FileCache(folder))


def digits(address: str) -> str:
    return address.removeprefix("/face/").removesuffix(".webp")


def shown(data: bytes) -> Faces:
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.format == "WEBP"
        return np.asarray(picture.convert("RGB"))


@pytest.fixture
def handmade(tmp_path: Path) -> WorldFolder:
    write_world(tmp_path / "w", [cottage()], source="handmade")
    return read_world(tmp_path / "w")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> WorldFolder:
    recipe = HouseRecipe("small", 1, 8)
    path = tmp_path_factory.mktemp("worlds") / "g"
    write_world(path, [recipe.make().house], source="generated", extra=as_extra("test", 0, [recipe]))
    return read_world(path)


def test_a_generated_house_is_drawn_as_its_source_draws_it(generated: WorldFolder, tmp_path: Path) -> None:
    house = generated.houses[0]
    pictures = of(generated, tmp_path)
    assert pictures.has(house)
    addresses = pictures.addresses(house)
    assert list(addresses) == list(PlaceNames([house]).viewpoints(house).values())
    drawn = GeneratedPictures(generated).faces(house, house.viewpoints[0], FACE)
    files = [pictures.face(digits(address)) for address in next(iter(addresses.values()))]
    assert sum(map(len, files)) <= LARGEST
    for data, face in zip(files, drawn, strict=True):
        assert np.abs(shown(data).astype(float) - face).mean() < 4
    assert len(list(tmp_path.glob("*.webp"))) == 6
    again = of(generated, tmp_path)
    assert again.addresses(house) == addresses and again.face(digits(addresses[next(iter(addresses))][3])) == files[3]


def test_what_is_drawn_in_the_background_is_the_same(
    generated: WorldFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here in this process: what is sent to another one is taken apart and put together again."""
    lowered = []

    def mapped(work: Callable[[Order], Mapping[str, bytes]], orders: list[Order], count: int, *, name: str) -> object:
        assert (count, name) == (1, "vnla pictures")
        return map(pickle.loads(pickle.dumps(work)), orders)

    monkeypatch.setattr(process_pool, "mapped", mapped)
    monkeypatch.setattr(process_pool, "lower_priority", lambda: lowered.append(1))
    house, files = generated.houses[0], FileCache(tmp_path / "there")
    here, there = of(generated, tmp_path / "here"), Pictures(generated, PlaceNames(generated.houses), files)
    first, *others = there.missing(house)
    files.put({f"{picture}.webp": b"drawn before" for picture in others})
    there.draw_missing(house)
    assert there.missing(house) == [] and lowered == [1]
    assert files.get(f"{others[0]}.webp", "", dict) == b"drawn before"
    for face in range(6):
        name = f"{first[:-1]}{face}"
        assert (tmp_path / "there" / f"{name}.webp").read_bytes() == here.face(name)
    there.draw_missing(house)
    assert lowered == [1], "no process begins for nothing"


def test_a_panorama_is_drawn_once_however_many_ask(
    handmade: WorldFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: Counter[str] = Counter()

    class Counting(GeneratedPictures):
        def has(self, house: House) -> bool:  # noqa: ARG002
            return True

        def faces(self, house: House, stand: Viewpoint, size: int) -> Faces:  # noqa: ARG002
            drawn[stand.id] += 1
            return np.full((6, size, size, 3), 90, np.uint8)

    monkeypatch.setattr("vnla.houses.pictures.GeneratedPictures", Counting)
    pictures = of(handmade, tmp_path / "kept")
    addresses = [digits(each) for six in pictures.addresses(handmade.houses[0]).values() for each in six]
    with ThreadPoolExecutor(8) as pool:
        files = list(pool.map(pictures.face, addresses * 2))
    assert {shown(data).shape for data in files} == {(FACE, FACE, 3)}
    assert drawn == {stand.id: 1 for stand in cottage().viewpoints}


def test_anybodys_source_is_used_by_one_thread_at_a_time(handmade: WorldFolder, tmp_path: Path) -> None:
    world = handmade.choosing(pictures={"source": "houses.painted:Plain", "options": {"grey": 90}})
    pictures = of(world, tmp_path / "kept")
    six = pictures.addresses(world.houses[0])
    with ThreadPoolExecutor(4) as pool:
        files = list(pool.map(lambda each: pictures.face(digits(each[0])), six.values()))
    assert all(abs(int(shown(data).mean()) - 90) < 2 for data in files)
    assert six != of(handmade, tmp_path / "kept").addresses(world.houses[0]), "other pictures have other addresses"


def test_torn_pictures_and_none_are_told_in_one_line(handmade: WorldFolder, tmp_path: Path) -> None:
    house = handmade.houses[0]
    torn = handmade.choosing(pictures={"source": "houses.painted:Torn"})
    for world, message in ((handmade, "there are no pictures of cottage"), (torn, "are not six square faces")):
        pictures = of(world, tmp_path / "kept")
        with pytest.raises(InputError, match=message):
            pictures.face(digits(next(iter(pictures.addresses(house).values()))[0]))
    assert not of(handmade, tmp_path / "kept").has(house)


@pytest.mark.parametrize("picture", ["", "0", "0" * 16, "../../etc/passwd", "x" * 10_000])
def test_an_unknown_picture_is_refused(handmade: WorldFolder, tmp_path: Path, picture: str) -> None:
    with pytest.raises(InputError, match="there is no such picture here"):
        of(handmade, tmp_path / "kept").face(picture)


def test_a_face_that_a_panorama_does_not_have_is_refused(handmade: WorldFolder, tmp_path: Path) -> None:
    pictures = of(handmade, tmp_path / "kept")
    panorama = digits(next(iter(pictures.addresses(handmade.houses[0]).values()))[0])[:-1]
    for face in ("6", "-1", "", "²"):
        with pytest.raises(InputError, match="there is no such picture here"):
            pictures.face(panorama + face)


@pytest.mark.parametrize("rotation", [UPRIGHT, TURNED])
def test_however_the_camera_stood_pictures_stand_upright(rotation: Rotation) -> None:
    faces = upright(coloured(face_directions(128, rotation)), rotation, largest=64)
    wanted = coloured(face_directions(64, UPRIGHT))
    assert faces.shape == wanted.shape
    assert np.abs(faces.astype(int) - wanted).max() <= 3


def test_small_photographs_are_not_made_larger() -> None:
    assert upright(coloured(face_directions(32, UPRIGHT)), UPRIGHT).shape == (6, 32, 32, 3)


def test_even_noise_fits() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (6, 256, 256, 3), dtype=np.uint8)
    plain = np.full((6, 64, 64, 3), 50, np.uint8)
    assert sum(map(len, encoded(noise, largest=60_000))) <= 60_000
    assert encoded(plain, largest=60_000) == encoded(plain), "what is small is not made worse"


def test_houses_beyond_those_kept_ready_are_drawn_too(tmp_path: Path) -> None:
    houses = [replace(cottage(), name=f"house{i}") for i in range(6)]
    write_world(tmp_path / "w", houses, source="handmade")
    world = read_world(tmp_path / "w").choosing(pictures={"source": "houses.painted:Plain"})
    pictures = of(world, tmp_path / "kept")
    for house in (*world.houses, *world.houses):
        assert pictures.face(digits(next(iter(pictures.addresses(house).values()))[5]))
