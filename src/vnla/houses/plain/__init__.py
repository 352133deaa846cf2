"""Worlds from a plain JSON file of rooms, viewpoints and objects, for people who have houses of their own in some form.

`world.schema.json` beside this file is the JSON Schema (`vnla world schema`). Rooms are boxes with a kind; viewpoints and
edges are given, or made (`vnla.houses.plain.making`). `read_plain` checks a file and says what is wrong with it by field.
"""

from vnla.houses.plain.reading import PlainWorld, read_plain, schema_text

__all__ = ["PlainWorld", "read_plain", "schema_text"]
