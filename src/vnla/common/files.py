"""Reading files with limits and writing them atomically: the only place where this is done.

A reader never takes in more than it was told to expect, so a wrong or hostile file costs a message and not the machine's
memory. A writer works beside the target and renames at the end, so whoever looks sees the old content or the new. What a
writer that was killed has left is removed by the next one of the same file: whoever is at work holds a lock on it.
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
import struct
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from vnla.common.errors import InputError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

MEGABYTE = 1 << 20
LONGEST_LINE = MEGABYTE
LARGEST_TEXT = 256 * MEGABYTE
MOST_LINES = 2_000_000
MOST_PACKED = 100
"""How many times as large as what it was packed into a text may be: records are some tens, blanks a thousand."""
SMALL_TEXT = 16 * MEGABYTE
"""A text that is no larger may be packed into anything."""

_PIECEWISE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways to compress of which `zipfile` unpacks no more than is read; of others a few bytes can fill the memory."""
_LONGEST_NAME = 100
_DEEPEST = 8
"""Folders within each other that an archive may have, and a file in the last."""
_COMPRESSED = (".npz", ".gz")
"""How files end that gain nothing from being packed."""
_TEMPORARY = re.compile(r"\.(.+)\.part-[a-z0-9_]{8}")
"""What `tempfile` makes of the prefix that a writer gives it."""
_YOUNG = 60.0
"""Seconds for which an unfinished file is left alone whoever holds it."""


def user_cache() -> Path:
    """Return the user's own folder for what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vnla"


def existing_file(path: Path, what: str) -> Path:
    """`path` if a file is there; `what` names the file in the message."""
    if os.path.isdir(path):  # no error where a name is too long to be one, unlike `path.is_dir()`
        raise InputError(f"{path}: is a directory; expected {what}")
    if not os.path.isfile(path):
        raise InputError(f"{path}: no such file; expected {what}")
    return path


def existing_folder(path: Path, what: str) -> Path:
    """`path` if a folder is there; `what` names the folder in the message."""
    if os.path.exists(path) and not os.path.isdir(path):
        raise InputError(f"{path}: is not a directory; expected {what}")
    if not os.path.isdir(path):
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


def read_bytes(path: Path, what: str, limit: int) -> bytes:
    """The whole of a file of at most `limit` bytes, as it is."""
    existing_file(path, what)
    try:
        _check_size(str(path), path.stat().st_size, limit, what)
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def read_lines(
    path: Path, what: str, longest: int = LONGEST_LINE, limit: int = LARGEST_TEXT, most: int = MOST_LINES
) -> Iterator[tuple[int, str]]:
    """The lines of a text file with their numbers from 1; one longer than `longest` characters, or more than `most`, are an
    error."""
    existing_file(path, what)
    try:
        with path.open(encoding="utf-8") as stream:
            yield from _lines(stream, str(path), what, longest, limit, most)
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
        about = archive.getinfo(member)
        _check_member(where, about, limit, what)
        _check_packed(where, about.file_size, about.compress_size, what)
        with archive.open(member) as raw, io.TextIOWrapper(raw, encoding="utf-8") as stream:
            yield from _lines(stream, where, what, longest, limit, MOST_LINES)


def is_zip(path: Path) -> bool:
    """Whether a file looks like a zip archive, be it one that cannot be read."""
    try:
        return zipfile.is_zipfile(path)
    except zipfile.BadZipFile:
        return True


def check_zip(path: Path, what: str, limit: int = LARGEST_TEXT, *, sums: bool = False) -> None:
    """That an archive can be unpacked whole: there are no more than `limit` bytes in it; and that what is in it was put
    there, by its check `sums`, which who reads a part of it does not meet."""
    existing_file(path, what)
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        for about in archive.infolist():
            name = about.filename if about.filename.isprintable() else repr(about.filename)
            _check_member(f"{path}:{name}", about, limit, what)
        _check_size(str(path), sum(about.file_size for about in archive.infolist()), limit, what)
        if sums and archive.testzip() is not None:
            raise zipfile.BadZipFile("a wrong check sum")


def unpack_zip(path: Path, folder: Path, what: str, limit: int = LARGEST_TEXT) -> None:
    """Unpack an archive of at most `limit` bytes, unpacked, into an empty folder: plain files with plain names alone."""
    check_zip(path, what, limit, sums=True)
    with _zip_errors(path), zipfile.ZipFile(path) as archive:
        for about in archive.infolist():
            parts = about.filename.split("/")
            target = folder.joinpath(*parts)
            if len(parts) > _DEEPEST or any(part != file_name(part) for part in parts) or target.exists():
                raise InputError(f"{path}: has a file {about.filename!r}, which cannot be; expected {what}")
            write_bytes(target, archive.read(about))


def write_zip(path: Path, members: Mapping[str, Path]) -> None:
    """Write files to the zip archive `path` under their names in it. The same files make the same archive."""
    with new_file(path) as working, zipfile.ZipFile(working, "w") as archive:
        for name, file in members.items():
            about = zipfile.ZipInfo(name)  # of no time of day
            about.external_attr = 0o644 << 16
            packed = file.suffix in _COMPRESSED
            archive.writestr(about, file.read_bytes(), zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED)


def _check_member(where: str, about: zipfile.ZipInfo, limit: int, what: str) -> None:
    _check_size(where, about.file_size, limit, what)
    if about.compress_type not in _PIECEWISE:
        raise NotImplementedError("neither stored nor deflated")


def _lines(stream: TextIO, where: str, what: str, longest: int, limit: int, most: int) -> Iterator[tuple[int, str]]:
    number = read = 0
    try:
        while line := stream.readline(longest + 1):
            number += 1
            read += len(line)
            if len(line) > longest:
                raise InputError(f"{where}: line {number} is longer than {longest:,} characters; expected {what}")
            if read > limit:
                raise InputError(f"{where}: is too large for {what} (limit {limit / MEGABYTE:,.0f} MB)")
            if number > most:
                raise InputError(f"{where}: has more than {most:,} lines; expected {what}")
            yield number, line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError(f"{where}: line {number + 1} or a little after it is not UTF-8 text; expected {what}") from None


def _check_size(where: str, size: int, limit: int, what: str) -> None:
    if size > limit:
        raise InputError(f"{where}: {size / MEGABYTE:,.0f} MB is too large for {what} (limit {limit / MEGABYTE:,.0f} MB)")


def _check_packed(where: str, size: int, packed: int, what: str) -> None:
    """Refuse a text that nobody wrote: a small file of blanks unpacks to gigabytes."""
    if size > SMALL_TEXT and size > MOST_PACKED * packed:
        raise InputError(f"{where}: unpacks to more than {MOST_PACKED} times its {packed:,} bytes; expected {what}")


@contextlib.contextmanager
def _zip_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, ValueError, OverflowError) as error:
        raise InputError(f"{path}: is damaged or no zip archive ({error}); download or make it again") from None
    except (NotImplementedError, RuntimeError) as error:
        # An encrypted member, or a compression that Python does not know.
        raise InputError(f"{path}: cannot be unpacked ({error}); unpack it by hand beside the archive") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def read_json(path: Path, what: str, limit: int = LARGEST_TEXT) -> Any:
    """The value in a JSON file of at most `limit` bytes."""
    return parse_json(read_text(path, what, limit), path, what)


def parse_json(text: str, path: Path, what: str, taken_in: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """The value of JSON `text`, which was read from `path`; in place of each object what `taken_in` makes of it."""
    try:
        return json.loads(text, object_hook=taken_in)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}: line {error.lineno} column {error.colno} is not valid JSON ({error.msg}); expected {what}"
        ) from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply to be {what}") from None
    except ValueError as error:
        # Python refuses to read a whole number of thousands of digits.
        raise InputError(f"{path}: has a number that cannot be read ({error}); expected {what}") from None


@contextlib.contextmanager
def taken_apart(path: Path, what: str) -> Iterator[None]:
    """While the content of `path` is taken apart: a part that is missing, or of another kind, is one line for people."""
    try:
        yield
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InputError(f"{path}: is damaged ({type(error).__name__}: {error}); expected {what}") from None


def read_gzip(path: Path, what: str, limit: int = LARGEST_TEXT) -> str:
    """The text in a file compressed by gzip, of at most `limit` bytes when unpacked."""
    existing_file(path, what)
    try:
        data, packed = bytearray(), path.stat().st_size
        with gzip.open(path) as stream:
            while piece := stream.read(MEGABYTE):  # asked for more at once, it sets as much memory aside, twice
                data += piece
                _check_size(str(path), len(data), limit, what)
                _check_packed(str(path), len(data), packed, what)
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
    with new_file(path) as working, working.open("wb") as stream:
        stream.write(data)


def write_secret(path: Path, data: bytes) -> None:
    """Write a new file that its owner alone can read. One that exists is never overwritten."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(f"{path}: exists already, and a secret is never overwritten; give a new file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A file to fill that becomes `path` when the block ends well, after it is on disk, and vanishes when it does not."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear(path)
        handle, temporary = tempfile.mkstemp(prefix=_unfinished(path), dir=path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        _hold(handle)
        yield Path(temporary)
        os.fsync(handle)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        _sync(path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _sync(folder: Path) -> None:
    """Have a folder's entries on disk, so that a file that was renamed into it is there after a power failure too."""
    with contextlib.suppress(OSError):  # a system that cannot open folders, or a file system that cannot sync them
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sync_all(folder: Path) -> None:
    """Have all that is in a folder on disk before the folder gets its name."""
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            _sync(path)
        elif path.is_file():
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
    _sync(folder)


def file_name(text: str) -> str:
    """A name for a file made from `text`, whoever wrote it: no path, nothing hidden, not too long."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip(".-")[:_LONGEST_NAME]
    return plain or "unnamed"


def left_over(folder: Path, *names: str) -> list[Path]:
    """What writers that were killed have left in a folder; `names` are the files they wrote, as patterns."""
    return [path for path, name in _unfinished_in(folder) if any(fnmatch.fnmatchcase(name, each) for each in names)]


def _unfinished_in(folder: Path) -> list[tuple[Path, str]]:
    """Unfinished files, and what they were to become."""
    found = [(path, _TEMPORARY.fullmatch(path.name)) for path in folder.glob(".*")]
    return [(path, match[1]) for path, match in found if match]


def _unfinished(path: Path) -> str:
    """How the name of an unfinished file begins; no longer than a name may be when the rest is added."""
    return f".{path.name}.part-"


_rests: dict[Path, list[tuple[Path, str]]] = {}
"""Unfinished files in the folders that this process writes to, as they were when it first did."""


def _clear(path: Path) -> None:
    """Remove what writers of this file, or folder, that were killed have left."""
    folder = path.parent.absolute()
    if folder not in _rests:
        _rests[folder] = _unfinished_in(folder)
    for rest, name in _rests[folder] if fcntl is not None else ():
        if name == path.name and not rest.is_symlink():
            with contextlib.suppress(OSError):
                _remove_if_free(rest)


def _remove_if_free(rest: Path) -> None:
    if time.time() - rest.stat().st_mtime < _YOUNG:
        return  # its writer may not hold it yet
    handle = os.open(rest, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if rest.is_dir():
            shutil.rmtree(rest)
        else:
            rest.unlink()
    finally:
        os.close(handle)


def _hold(handle: int) -> None:
    """Tell others that somebody is at work on a file, as long as it is open."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)


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
        _clear(path)
        working = Path(tempfile.mkdtemp(prefix=_unfinished(path), dir=path.parent))
        held = os.open(working, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        _hold(held)
        os.chmod(working, 0o777 & ~_umask())
        yield working
        _sync_all(working)
        if path.is_dir():
            path.rmdir()
        os.replace(working, path)
        _sync(path.parent)
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be written ({error.strerror})") from None
    finally:
        os.close(held)
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
