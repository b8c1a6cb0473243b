"""Which servers of owners may be asked where they are, and how. Part of the composition root.

Must never allow a server that the operator did not name, nor speak in the clear over a network.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpgov.configuration.reading import Environment

_TLS = ("verify-full", "verify-ca", "require", "disable")
_LARGEST_PORT = 65_535
# The certificates that this machine trusts.
_SYSTEM = "system"
# A scheme, an authority in small letters (none for files), and plain steps: no pattern, no way up,
# nothing hidden, so that a folder has one spelling.
_FOLDER = re.compile(r"[a-z][a-z0-9+-]*://[a-z0-9]?[a-z0-9@.:-]*/([A-Za-z0-9][A-Za-z0-9 ._=+-]*/)*")


class LiveNotDeclared(ValueError):
    """The variables of live tables say something that cannot be kept."""


def live_settings(env: Environment) -> dict[str, Any]:
    """The servers as `host:port`, none by default; a statement's seconds; how TLS is proved.

    `folders` are those that may be read through each server of Spark; each ends with a slash.
    Raises LiveNotDeclared.
    """
    servers = tuple(name.strip().lower() for name in env.list("DPGOV_LIVE_SERVERS", default=[]))
    for name in servers:
        _check_server(name)
    tls = env.str("DPGOV_LIVE_TLS", default="verify-full")
    if tls not in _TLS:
        raise LiveNotDeclared(f"DPGOV_LIVE_TLS must be one of {', '.join(_TLS)}.")
    certificates = env.str("DPGOV_LIVE_CA_FILE", default=_SYSTEM)
    if certificates != _SYSTEM and not Path(certificates).is_file():
        raise LiveNotDeclared("DPGOV_LIVE_CA_FILE names a file that is not there.")
    return {
        "servers": frozenset(servers),
        "folders": _folders(env.list("DPGOV_LIVE_SPARK", default=[])),
        "seconds": env.int(
            "DPGOV_LIVE_SECONDS", default=env.int("DPGOV_QUERY_SECONDS", default=30)
        ),
        "tls": tls,
        "ca_file": certificates,
    }


def _folders(listed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By server, of entries like `spark.example.org:15002=s3a://hospital/visits/`."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in listed:
        name, _equals, folder = entry.strip().partition("=")
        server = name.lower()
        _check_server(server, "DPGOV_LIVE_SPARK must be a list of host:port=folder.")
        if not _FOLDER.fullmatch(folder):
            raise LiveNotDeclared(
                "A folder in DPGOV_LIVE_SPARK must begin with a scheme in small letters, such as "
                "s3a://, end with a slash, and have plain names in between."
            )
        found[server] = (*found.get(server, ()), folder)
    return found


def _check_server(
    name: str, words: str = "DPGOV_LIVE_SERVERS must be a list of host:port."
) -> None:
    """A host of letters, digits, dots, hyphens and colons (IPv6, without brackets), and a port."""
    host, _colon, port = name.rpartition(":")
    plain = host.replace(".", "").replace("-", "").replace(":", "")
    if not (plain.isascii() and plain.isalnum()) or not port.isdecimal():
        raise LiveNotDeclared(words)
    if not 0 < int(port) <= _LARGEST_PORT:
        raise LiveNotDeclared(words)
