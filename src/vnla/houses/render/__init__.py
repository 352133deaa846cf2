"""First-person pictures of a scene, drawn on the CPU: triangles, textures, light, frames and panoramas.

stage = prepare(scene)                               # once for each house
frame = render_view(stage, (x, y, z), heading, elevation)
panorama = render_panorama(stage, (x, y, z), size=288)
views = views_of(panorama.rgb, 224, 168)             # all 36 views of the simulator
around = around_of(panorama.rgb)                     # one picture of all that they show
seen = objects_in_views(panorama.objects)
"""

from vnla.houses.render.camera import render_view
from vnla.houses.render.mesh import Mesh, build_mesh
from vnla.houses.render.panorama import (
    ObjectsInViews,
    Panorama,
    around_of,
    objects_in_views,
    panorama_objects,
    render_panorama,
    views_of,
)
from vnla.houses.render.raster import SKY, Frame
from vnla.houses.render.stage import PreparedScene, prepare

__all__ = [
    "SKY",
    "Frame",
    "Mesh",
    "ObjectsInViews",
    "Panorama",
    "PreparedScene",
    "around_of",
    "build_mesh",
    "objects_in_views",
    "panorama_objects",
    "prepare",
    "render_panorama",
    "render_view",
    "views_of",
]
