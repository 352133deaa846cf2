"""The reference's pages: one for each package, with its modules below each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vnla.common.files import write_text


def modules(package: Path, source: Path) -> Iterator[str]:
    """Dotted names of a package below `source` and of its own modules; those that begin with an underscore are nobody else's
    business."""
    name = ".".join(package.relative_to(source.parent).parts)
    if (package / "__init__.py").is_file():
        yield name
    for path in sorted(package.glob("*.py")):
        if not path.stem.startswith("_"):
            yield f"{name}.{path.stem}"


def page(names: list[str]) -> str:
    """A package with its modules, each told by its docstrings."""
    lines = [names[0], "=" * len(names[0]), "", f".. automodule:: {names[0]}", ""]
    for name in names[1:]:
        lines += [name, "-" * len(name), "", f".. automodule:: {name}", ""]
    return "\n".join(lines)


def write_reference(source: Path, out: Path) -> None:
    """A page for each package below a folder, and one that lists them; pages of packages that are gone are removed."""
    folders = sorted({path.parent for path in source.rglob("*.py")})
    found = {names[0]: names for folder in folders if (names := [*modules(folder, source)])}
    title = "Modules"
    listed = [title, "=" * len(title), "", ".. toctree::", "   :maxdepth: 1", "", *(f"   {name}" for name in found), ""]
    pages = {"index": "\n".join(listed), **{name: page(names) for name, names in found.items()}}
    out.mkdir(exist_ok=True)
    for path in out.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = out / f"{name}.rst"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:  # Sphinx reads again what is newer
            write_text(path, text)
