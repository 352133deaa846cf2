"""The board: verified entries of the benchmark as a static site, which needs no server and loads nothing from elsewhere.

    write_board(entries, Path("site"), houses=Path("benchmark"), beacons=read_beacons(Path("beacons.json")))

::

    index.html              a table and a figure for each track, and how to read them
    entries/NAME.html       an entry: what its author says of it, every figure, what failed, and one walk to watch
    how.html                how entries are checked, what that proves, and what it does not
    data.json, board.csv    every figure
"""
