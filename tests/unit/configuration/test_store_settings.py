"""M57: what is said of shared storage at the start, and what is refused."""

from pathlib import Path

import pytest

from dpgov.configuration.keys import KeyNotGiven, fingerprint_key, secret_key
from dpgov.configuration.reading import WrongSetting
from dpgov.configuration.store import StoreNotDeclared, store_settings
from tests.servers.variables import variables

GIVEN = {
    "DPGOV_STORE_URL": "s3://bucket/some/folder",
    "DPGOV_STORE_ACCESS_KEY": "access",
    "DPGOV_STORE_SECRET_KEY": "secret",
    "DPGOV_STORE_KEY": "k" * 32,
}


SERVER = {"DPGOV_DATABASE_URL": "postgres://dpgov_app@db.example.org/dpgov"}


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in GIVEN.items() if key != name}


def test_files_lie_in_the_state_folder_unless_a_bucket_is_named() -> None:
    assert store_settings(variables({})) is None


def test_a_bucket_is_spoken_to_over_tls_and_nowhere_else() -> None:
    """M57: no address but the declared one, no credentials but the declared ones."""
    found = store_settings(variables(GIVEN))
    assert found is not None
    assert (found["bucket"], found["folder"]) == ("bucket", "some/folder")
    assert (found["tls"], found["endpoint"], found["ca_file"]) == (True, "", "")
    assert (found["access_key"], found["secret_key"], len(found["key"])) == ("access", "secret", 32)


@pytest.mark.parametrize(
    "given",
    [
        without("DPGOV_STORE_ACCESS_KEY"),
        without("DPGOV_STORE_SECRET_KEY"),
        without("DPGOV_STORE_KEY"),
        GIVEN | {"DPGOV_STORE_KEY": "short"},
        GIVEN | {"DPGOV_STORE_URL": "https://bucket"},
        GIVEN | {"DPGOV_STORE_URL": "s3://name:password@bucket"},
        GIVEN | {"DPGOV_STORE_URL": "s3://"},
        GIVEN | {"DPGOV_STORE_ENDPOINT": "http://objects.example.org"},
    ],
)
def test_what_is_missing_or_contradicts_itself_is_refused(given: dict[str, str]) -> None:
    """M57: at the start, and never guessed."""
    with pytest.raises((StoreNotDeclared, WrongSetting)):
        store_settings(variables(given))


@pytest.mark.parametrize("shared", [GIVEN, SERVER, GIVEN | SERVER])
def test_no_machine_makes_a_key_that_others_need(tmp_path: Path, shared: dict[str, str]) -> None:
    """M57: two machines with keys of their own would not know each other's data and sessions."""
    for key in (secret_key, fingerprint_key):
        with pytest.raises(KeyNotGiven, match=f"{next(iter(shared))} names a server"):
            key(variables(shared), tmp_path)
        assert list(tmp_path.iterdir()) == []
    missing = {"DPGOV_FINGERPRINT_KEY_FILE": str(tmp_path / "fingerprint_key")}
    with pytest.raises(WrongSetting, match="DPGOV_FINGERPRINT_KEY_FILE names"):
        fingerprint_key(variables(shared | missing), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("alone", [{}, {"DPGOV_DATABASE_URL": "sqlite:////somewhere/a.sqlite3"}])
def test_one_machine_with_a_file_for_its_database_makes_its_keys(
    tmp_path: Path, alone: dict[str, str]
) -> None:
    assert secret_key(variables(alone), tmp_path)
    made = fingerprint_key(variables(alone), tmp_path)
    told = {"DPGOV_FINGERPRINT_KEY_FILE": str(tmp_path / "fingerprint_key")}
    assert fingerprint_key(variables(GIVEN | told), tmp_path) == made


def test_whoever_moves_to_a_server_is_told_where_their_key_lies(tmp_path: Path) -> None:
    """M57: with a new one, all people who are in the data would be strangers."""
    fingerprint_key(variables({}), tmp_path)
    with pytest.raises(KeyNotGiven, match=f"{tmp_path}/fingerprint_key has the one of before"):
        fingerprint_key(variables(SERVER), tmp_path)
