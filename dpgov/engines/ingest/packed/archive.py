"""Which files of a zip archive are read together, and every reason not to open it.

What could go wrong, and is refused before anything is unpacked: it says that it unpacks to more
than it may (its ratio, and all of it together), holds very many files, a link, a locked file, two
files of one name, or a name that leads elsewhere. What file managers and Spark leave beside data is
passed over, and so are folders; everything else that lies there is data, or refused: no row gets
lost because somebody's file was called something.
"""

import stat
import zipfile
from pathlib import Path, PurePosixPath

from dpgov.engines.ingest.limits import MAX_NAME_LENGTH, largest_unpacked
from dpgov.engines.ingest.packed.packing import DAMAGED, PackedFile, too_large
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

MOST_FILES = 1_000
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_WORKBOOK = "xl/workbook.xml"
_LEFT_BEHIND = frozenset({"_SUCCESS", "_metadata", "_common_metadata", "Thumbs.db", "desktop.ini"})


def is_workbook(path: Path) -> bool:
    """Whether a zip archive is a spreadsheet; raises Refused for one that cannot be read."""
    with _archive(path) as archive:
        return _WORKBOOK in archive.namelist()


def check_workbook(path: Path) -> None:
    """Raises Refused for a spreadsheet that says itself that it unpacks to too much."""
    with _archive(path) as archive:
        entries = archive.infolist()
    _check_sizes(path, entries)
    for entry in entries:
        _check_packing(entry)


def files_in(path: Path) -> tuple[PackedFile, ...]:
    """The files of an archive that are one table, in the order of their names; raises Refused.

    The archive stays open: it is closed with the process that reads it.
    """
    archive = _archive(path)
    entries = [entry for entry in archive.infolist() if not _is_by_the_way(entry)]
    if not entries:
        raise Refused(said("The archive holds no file. Pack CSV or Parquet files."))
    for entry in entries:
        _check_name(entry)
        _check_packing(entry)
    _check_once([entry.filename for entry in entries])
    _check_sizes(path, entries)
    most, alone = largest_unpacked(path.stat().st_size), len(entries) == 1
    entries.sort(key=lambda entry: entry.filename)
    return tuple(PackedFile(archive, entry, path.parent, most, alone) for entry in entries)


def _archive(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
        raise Refused(DAMAGED) from problem
    if len(archive.infolist()) > MOST_FILES:
        raise Refused(
            said("The archive holds too many files: {most:,} may be in one.", most=MOST_FILES)
        )
    return archive


def _is_by_the_way(entry: zipfile.ZipInfo) -> bool:
    """A folder, or what a file manager, a notebook or Spark leaves there."""
    parts = _parts(entry)
    hidden = any(part.startswith(".") and part != ".." for part in parts)
    return entry.is_dir() or hidden or parts[0] == "__MACOSX" or parts[-1] in _LEFT_BEHIND


def _parts(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """With both separators, because some programs for Windows write theirs."""
    return PurePosixPath(entry.filename.replace("\\", "/")).parts or ("",)


def _check_name(entry: zipfile.ZipInfo) -> None:
    """None is used as a path; what looks like an attack is refused all the same."""
    name = entry.filename
    if not name.isprintable() or len(name) > MAX_NAME_LENGTH:
        raise Refused(
            said(
                "A file in the archive has a name with invisible characters, or of more than "
                "{most} characters. Rename it.",
                most=MAX_NAME_LENGTH,
            )
        )
    parts = _parts(entry)
    if ".." in parts or parts[0] == "/" or parts[0].endswith(":"):
        raise Refused(
            said("“{file}” leads out of the archive. Pack the files of one folder.", file=name)
        )
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise Refused(said("“{file}” is a link. Pack the files themselves.", file=name))


def _check_packing(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & _ENCRYPTED:
        raise Refused(said("The archive is locked by a password. Pack it without one."))
    if entry.compress_type not in _METHODS:
        raise Refused(said("The archive is packed in an unusual way. Pack it as plain zip."))


def _check_once(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Refused(
                said("Two files in the archive are called “{file}”. Pack it again.", file=name)
            )
        seen.add(name)


def _check_sizes(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """What it says of all of them together; none can hold more than it says."""
    if sum(entry.file_size for entry in entries) > largest_unpacked(path.stat().st_size):
        raise too_large()
