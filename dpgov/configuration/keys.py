"""The keys of an installation: given, or made once where one machine has everything.

Must never make a key where another machine may have one: with two of them the machines would not
know each other's sessions, and people who are in the data would be strangers to one of them.
"""

import hashlib
import secrets
from pathlib import Path

from dpgov.audit.files import write_once
from dpgov.configuration.reading import Environment, file_text, long_enough


class KeyNotGiven(ValueError):
    """Several machines share a server, so each must be told the key that all of them use."""

    def __init__(self, shared: str, file_name: str, made_before: Path) -> None:
        name = file_name.removesuffix("_FILE")
        hint = f" {made_before} has the one of before." if made_before.is_file() else ""
        super().__init__(f"{shared} names a server, so {name} or {file_name} must be set.{hint}")


def secret_key(env: Environment, home: Path) -> str:
    """The signing key: from the environment, from a file, or made once for the embedded profile.

    Raises KeyNotGiven where a server is named that other machines may share.
    """
    names = ("DPGOV_SECRET_KEY", "DPGOV_SECRET_KEY_FILE")
    text = _secret_of_all_machines(env, *names, home / "secret_key")
    long_enough("DPGOV_SECRET_KEY", text)
    return text


def fingerprint_key(env: Environment, home: Path) -> bytes:
    """The secret of fingerprints, 32 bytes: the same for the life of an installation.

    From the environment, from a file, or made once for the embedded profile. With another one no
    data that came before would be recognised, so registration refuses to go on. Raises KeyNotGiven
    where a server is named that other machines may share.
    """
    names = ("DPGOV_FINGERPRINT_KEY", "DPGOV_FINGERPRINT_KEY_FILE")
    text = _secret_of_all_machines(env, *names, home / "fingerprint_key")
    long_enough("DPGOV_FINGERPRINT_KEY", text)
    return hashlib.blake2b(text.encode(), digest_size=32).digest()


def _secret_of_all_machines(env: Environment, name: str, file_name: str, path: Path) -> str:
    """As given, or from its file, made once; never made where other machines need the same."""
    text, named = env.str(name, default=""), env.str(file_name, default="")
    if text:
        return str(text)
    shared = _named_server(env)
    if shared is None:
        return _kept_secret(file_name, Path(named or path))
    if not named:
        raise KeyNotGiven(shared, file_name, path)
    return file_text(file_name, named)


def _named_server(env: Environment) -> str | None:
    """The variable that names a server of several machines: object storage, or a database."""
    if env.str("DPGOV_STORE_URL", default=""):
        return "DPGOV_STORE_URL"
    database = env.str("DPGOV_DATABASE_URL", default="")
    return "DPGOV_DATABASE_URL" if database and not database.startswith("sqlite:") else None


def _kept_secret(file_name: str, path: Path) -> str:
    """Two processes may start at once: the first one's file stays, and both read the same key."""
    if not path.exists():
        write_once(path, secrets.token_urlsafe(64))
    return file_text(file_name, str(path))
