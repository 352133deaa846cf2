"""Reading files with limits and writing them atomically: the only place where this is done.

A reader never takes in more than it was told to expect, so a wrong or hostile file costs a message and not the machine's
memory. A writer works beside the target and renames at the end, so whoever looks sees the old content or the new.
"""

from __future__ import annotations

import contextlib
import fnmatch
import gzip
import io
import json
import os
import re
import shutil
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from vnla.common.errors import InputError

MEGABYTE = 1 << 20
LONGEST_LINE = MEGABYTE
LARGEST_TEXT = 256 * MEGABYTE

_PIECEWISE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways to compress of which `zipfile` unpacks no more than is read; of others a few bytes can fill the memory."""
_LONGEST_NAME = 100
_TEMPORARY = re.compile(r"\.(.+)\.[a-z0-9_]{8}")
"""What `tempfile` makes of the prefix that a writer gives it."""


def existing_file(path: Path, what: str) -> Path:
    """`path` if a file is there; `what` names the file in the message."""
    if path.is_dir():
        raise InputError(f"{path}: is a directory; expected {what}")
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected {what}")
    return path


def existing_folder(path: Path, what: str) -> Path:
    """`path` if a folder is there; `what` names the folder in the message."""
    if path.exists() and not path.is_dir():
        raise InputError(f"{path}: is not a directory; expected {what}")
    if not path.is_dir():
        raise InputError(f"{path}: no such directory; expected {what}")
    return path


def read_text(path: Path, what: str, limit: int = LARGEST_TEXT) -> str:
    """The whole of a UTF-8 text file of at most `limit` bytes."""
    existing_file(path, what)
    try:
        _check_size(str(path), path.stat().st_size, limit, what)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8 text; expected {what}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def read_lines(path: Path, what: str, longest: int = LONGEST_LINE, limit: int = LARGEST_TEXT) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers from 1; a line longer than `longest` characters is an error."""
    existing_file(path, what)
    try:
        with path.open(encoding="utf-8") as stream:
            yield from _lines(stream, str(path), what, longest, limit)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def zip_members(path: Path, what: str) -> tuple[str, ...]:
    """Names of the files in a zip archive."""
    existing_file(path, what)
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        return tuple(archive.namelist())


def read_zip_lines(
    path: Path, member: str, what: str, longest: int = LONGEST_LINE, limit: int = LARGEST_TEXT
) -> Iterator[tuple[int, str]]:
    """The lines of the text file `member` of a zip archive, as `read_lines` gives them."""
    where = f"{path}:{member}"
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        _check_member(where, archive.getinfo(member), limit, what)
        with archive.open(member) as raw, io.TextIOWrapper(raw, encoding="utf-8") as stream:
            yield from _lines(stream, where, what, longest, limit)


def check_zip(path: Path, what: str, limit: int = LARGEST_TEXT) -> None:
    """That an archive can be unpacked whole: of nothing in it there is more than `limit` bytes."""
    existing_file(path, what)
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        for about in archive.infolist():
            _check_member(f"{path}:{about.filename}", about, limit, what)


def _check_member(where: str, about: zipfile.ZipInfo, limit: int, what: str) -> None:
    _check_size(where, about.file_size, limit, what)
    if about.compress_type not in _PIECEWISE:
        raise NotImplementedError("neither stored nor deflated")


def _lines(stream: TextIO, where: str, what: str, longest: int, limit: int) -> Iterator[tuple[int, str]]:
    number = read = 0
    try:
        while line := stream.readline(longest + 1):
            number += 1
            read += len(line)
            if len(line) > longest:
                raise InputError(f"{where}: line {number} is longer than {longest:,} characters; expected {what}")
            if read > limit:
                raise InputError(f"{where}: is too large for {what} (limit {limit / MEGABYTE:,.0f} MB)")
            yield number, line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError(f"{where}: line {number + 1} or a little after it is not UTF-8 text; expected {what}") from None


def _check_size(where: str, size: int, limit: int, what: str) -> None:
    if size > limit:
        raise InputError(f"{where}: {size / MEGABYTE:,.0f} MB is too large for {what} (limit {limit / MEGABYTE:,.0f} MB)")


@contextlib.contextmanager
def _zip_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path}: is damaged or no zip archive ({error}); download or make it again") from None
    except (NotImplementedError, RuntimeError) as error:
        # An encrypted member, or a compression that Python does not know.
        raise InputError(f"{path}: cannot be unpacked ({error}); unpack it by hand beside the archive") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def read_json(path: Path, what: str, limit: int = LARGEST_TEXT) -> Any:
    """The value in a JSON file of at most `limit` bytes."""
    return parse_json(read_text(path, what, limit), path, what)


def parse_json(text: str, path: Path, what: str) -> Any:
    """The value of JSON `text`, which was read from `path`."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}: line {error.lineno} column {error.colno} is not valid JSON ({error.msg}); expected {what}"
        ) from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be {what}") from None
    except ValueError as error:
        # Python refuses to read a whole number of thousands of digits.
        raise InputError(f"{path}: has a number that cannot be read ({error}); expected {what}") from None


def read_gzip(path: Path, what: str, limit: int = LARGEST_TEXT) -> str:
    """The text in a file compressed by gzip, of at most `limit` bytes when unpacked."""
    existing_file(path, what)
    try:
        with gzip.open(path) as stream:
            data = stream.read(limit + 1)
        _check_size(str(path), len(data), limit, what)
        return data.decode("utf-8")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: is damaged or not compressed by gzip ({error}); download or make it again") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start}, unpacked, is not UTF-8 text; expected {what}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` atomically: the old file stays until the new one is complete and on disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        _sync(path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _sync(folder: Path) -> None:
    """Have a folder's entries on disk, so that a file that was renamed into it is there after a power failure too."""
    with contextlib.suppress(OSError):  # a system that cannot open folders, or a file system that cannot sync them
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def file_name(text: str) -> str:
    """A name for a file made from `text`, whoever wrote it: no path, nothing hidden, not too long."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip(".-")[:_LONGEST_NAME]
    return plain or "unnamed"


def left_over(folder: Path, *names: str) -> list[Path]:
    """What writers that were killed have left in a folder; `names` are the files they wrote, as patterns."""
    found = [(path, _TEMPORARY.fullmatch(path.name)) for path in folder.glob(".*")]
    return [path for path, match in found if match and any(fnmatch.fnmatchcase(match[1], name) for name in names)]


def writable(path: Path) -> Path:
    """`path` if a file can be written there, which is tried out: for commands that write after hours of work.

    Folders that are missing are not made yet.
    """
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a directory; give the name of a file")
        there = next(folder for folder in path.absolute().parents if folder.exists())
        with tempfile.TemporaryFile(dir=there):
            return path
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def vacant(path: Path) -> Path:
    """`path` if a new folder can go there: nothing is there, or an empty folder."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise InputError(f"{path}: exists already; give a new folder, or remove that one first")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    return path


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill that becomes `path` when the block ends well, and vanishes when it does not.

    An existing `path` must be an empty folder: what is there is never overwritten.
    """
    path = vacant(path).absolute()
    missing = [parent for parent in path.parents if not parent.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        os.chmod(working, 0o777 & ~_umask())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        yield working
        if path.is_dir():
            path.rmdir()
        os.replace(working, path)
        _sync(path.parent)
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(working, ignore_errors=True)
        if not path.exists():
            _remove_empty(missing)


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


_asking = threading.Lock()


def _umask() -> int:
    """The process's mask. It can only be read by setting it, so two threads that ask at once would leave it at nothing."""
    with _asking:
        mask = os.umask(0)
        os.umask(mask)
        return mask
