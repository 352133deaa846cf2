"""Reads and writes the Matterport3D formats: connectivity JSON, `.house` and `panorama_to_region.txt`.

    for files in find_buildings(Path("matterport")):
        building = read_building(files)
        print(building.house.name, len(building.notes))

`docs/formats.md` describes the formats and what is done where real files vary.
"""

from vnla.houses.matterport.building import Building, read_building, read_house
from vnla.houses.matterport.connectivity import read_connectivity
from vnla.houses.matterport.house_file import read_house_file
from vnla.houses.matterport.notes import Note
from vnla.houses.matterport.panoramas import read_panorama_to_region
from vnla.houses.matterport.sources import BuildingFiles, TextFile, find_buildings
from vnla.houses.matterport.writing import (
    write_connectivity,
    write_house,
    write_matterport,
    write_panorama_to_region,
)

__all__ = [
    "Building",
    "BuildingFiles",
    "Note",
    "TextFile",
    "find_buildings",
    "read_building",
    "read_connectivity",
    "read_house",
    "read_house_file",
    "read_panorama_to_region",
    "write_connectivity",
    "write_house",
    "write_matterport",
    "write_panorama_to_region",
]
