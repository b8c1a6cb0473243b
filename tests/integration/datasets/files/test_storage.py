"""I2, L13: files are spooled under names of ours, once, through no link, and kept by renaming."""

import os
from pathlib import Path
from typing import Any

import pytest

from dpgov.datasets import storage
from dpgov.datasets.storage import NoRoom, Spool, TooLarge


@pytest.fixture
def uploads(settings: Any, tmp_path: Path) -> Path:
    """The empty folder of uploads."""
    settings.DPGOV_HOME = str(tmp_path)
    return tmp_path / "uploads"


@pytest.mark.parametrize("dangling", [True, False])
def test_a_link_in_the_way_is_not_followed(tmp_path: Path, dangling: bool) -> None:
    """I2: neither the link nor what it points to is touched."""
    victim = tmp_path / "victim"
    if not dangling:
        victim.write_bytes(b"precious")
    link = tmp_path / "upload"
    link.symlink_to(victim)
    with pytest.raises(OSError):
        storage._new_file(link)
    assert link.is_symlink()
    assert victim.exists() is not dangling
    assert dangling or victim.read_bytes() == b"precious"


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"first")
    with pytest.raises(FileExistsError):
        storage._new_file(path)
    assert path.read_bytes() == b"first"


def test_a_file_is_kept_by_renaming_it(uploads: Path) -> None:
    """L13: not written twice, and the product's own user's alone."""
    spool = Spool(largest=100)
    spool.write(b"a,b\n")
    [arriving] = uploads.iterdir()
    before = arriving.stat()
    kept = spool.keep()
    assert list(uploads.iterdir()) == [kept] == [storage.upload_path(spool.id)]
    assert kept.read_bytes() == b"a,b\n"
    assert (kept.stat().st_ino, kept.stat().st_mode & 0o777) == (before.st_ino, 0o600)
    spool.discard()
    assert kept.exists()


def test_what_is_too_large_leaves_nothing(uploads: Path) -> None:
    spool = Spool(largest=100)
    spool.write(b"x" * 60)
    with pytest.raises(TooLarge):
        spool.write(b"x" * 60)
    assert list(uploads.iterdir()) == []


def test_what_is_not_kept_is_gone(uploads: Path) -> None:
    """L13"""
    spool = Spool(largest=100)
    spool.write(b"x")
    spool.discard()
    spool.discard()
    assert list(uploads.iterdir()) == []


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_full_disk_is_told_as_such_and_leaves_nothing(
    uploads: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L13, R12: the kernel says so while the bytes are written, or when the last ones are."""
    really = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest: (really(path, *rest), _full(really))[1])
    spool = Spool(largest=10_000_000)
    with pytest.raises(NoRoom):
        spool.write(b"x" * size)
        spool.keep()
    assert list(uploads.iterdir()) == []


def _full(really: Any) -> int:
    """A file on a full disk, in place of the one that was opened."""
    found: int = really("/dev/full", os.O_WRONLY)
    return found
