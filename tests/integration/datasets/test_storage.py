"""I2: files are written under names of ours, once, and through no link."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dpgov.datasets.storage import TooLarge, write


@pytest.mark.parametrize("dangling", [True, False])
def test_a_link_in_the_way_is_not_followed(tmp_path: Path, dangling: bool) -> None:
    """I2: neither the link nor what it points to is touched."""
    victim = tmp_path / "victim"
    if not dangling:
        victim.write_bytes(b"precious")
    link = tmp_path / "upload"
    link.symlink_to(victim)
    with pytest.raises(OSError):
        write(link, [b"a,b\n"], largest=100)
    assert link.is_symlink()
    assert victim.exists() is not dangling
    assert dangling or victim.read_bytes() == b"precious"


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    write(path, [b"first"], largest=100)
    with pytest.raises(FileExistsError):
        write(path, [b"second"], largest=100)
    assert path.read_bytes() == b"first"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TooLarge):
        write(tmp_path / "upload", [b"x" * 60, b"x" * 60], largest=100)
    assert list(tmp_path.iterdir()) == []


def test_a_connection_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"x"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        write(tmp_path / "upload", chunks(), largest=100)
    assert list(tmp_path.iterdir()) == []
