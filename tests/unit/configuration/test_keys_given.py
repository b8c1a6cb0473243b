"""A key of the installation is a key: never nothing, never short, never half on the disk.

What could leak: fingerprints under a key that everybody knows tell whoever reads the database who
is in a file, by trying names. Whoever finds the signing key signs links to new passwords, and the
messages of webhooks.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dpgov.configuration.keys import fingerprint_key, secret_key
from dpgov.configuration.reading import Environment, WrongSetting, secret_text
from tests.servers.variables import variables

KEY, FILE = "DPGOV_FINGERPRINT_KEY", "DPGOV_FINGERPRINT_KEY_FILE"


@pytest.mark.parametrize("content", ["", "\n", " \n\n"])
def test_an_empty_file_is_taken_for_no_secret_whatsoever(tmp_path: Path, content: str) -> None:
    empty = tmp_path / "empty"
    empty.write_text(content)
    with pytest.raises(WrongSetting, match=f"{FILE} names a file with nothing in it"):
        fingerprint_key(variables({FILE: str(empty)}), tmp_path)
    with pytest.raises(WrongSetting, match="DPGOV_METRICS_TOKEN_FILE names a file with nothing"):
        secret_text(variables({"DPGOV_METRICS_TOKEN_FILE": str(empty)}), "DPGOV_METRICS_TOKEN")


def test_an_empty_file_in_the_state_folder_is_refused_as_well(tmp_path: Path) -> None:
    (tmp_path / "fingerprint_key").touch()
    with pytest.raises(WrongSetting, match=f"{FILE} names a file with nothing in it"):
        fingerprint_key(variables({}), tmp_path)
    assert (tmp_path / "fingerprint_key").read_text() == "", "nobody wrote another key over it"


@pytest.mark.parametrize(
    ("name", "read"),
    [("DPGOV_FINGERPRINT_KEY", fingerprint_key), ("DPGOV_SECRET_KEY", secret_key)],
)
@pytest.mark.parametrize("key", ["a", "k" * 31])
def test_a_short_key_is_refused_wherever_it_is_given(
    tmp_path: Path, name: str, read: Callable[[Environment, Path], object], key: str
) -> None:
    """In the variable, in the file that it names, and in the one of the state folder."""
    short = tmp_path / name.removeprefix("DPGOV_").lower()
    short.write_text(f"{key}\n")
    for given in ({name: key}, {f"{name}_FILE": str(short)}, {}):
        with pytest.raises(WrongSetting, match=f"{name} must have 32 characters or more"):
            read(variables(given), tmp_path)


@pytest.mark.parametrize("key", ["k" * 32, "0f" * 32, "A-_z" * 21 + "Az"])
def test_every_key_that_was_ever_made_for_somebody_is_taken(tmp_path: Path, key: str) -> None:
    """By `openssl rand -hex 32`, as our guides say, and by the product itself."""
    kept = tmp_path / "kept"
    kept.write_text(key + "\n")
    by_file = fingerprint_key(variables({FILE: str(kept)}), tmp_path)
    assert by_file == fingerprint_key(variables({KEY: key}), tmp_path)
    assert secret_key(variables({"DPGOV_SECRET_KEY_FILE": str(kept)}), tmp_path) == key
    assert secret_key(variables({"DPGOV_SECRET_KEY": key}), tmp_path) == key


def test_a_key_that_is_made_is_on_the_disk_before_anybody_can_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a power cut would leave an empty file in its name."""
    done: list[str] = []
    for name in ("fsync", "link"):
        real = getattr(os, name)

        def told(*given: object, name: str = name, real: object = real) -> object:
            done.append(name)
            return real(*given)  # type: ignore[operator]

        monkeypatch.setattr(os, name, told)
    assert secret_key(variables({}), tmp_path) == secret_key(variables({}), tmp_path)
    assert done == ["fsync", "link", "fsync"]
