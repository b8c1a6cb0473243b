"""Which servers of owners may be asked where they are, and how. Part of the composition root.

Must never allow a server that the operator did not name, nor speak in the clear over a network.
"""

from typing import Any

import environ

_TLS = ("verify-full", "verify-ca", "require", "disable")
_LARGEST_PORT = 65_535


class LiveNotDeclared(ValueError):
    """The variables of live tables say something that cannot be kept."""


def live_settings(env: environ.Env) -> dict[str, Any]:
    """The servers as `host:port`, none by default; a statement's seconds; how TLS is proved.

    Raises LiveNotDeclared.
    """
    servers = tuple(name.strip().lower() for name in env.list("DPGOV_LIVE_SERVERS", default=[]))
    for name in servers:
        _check_server(name)
    tls = env.str("DPGOV_LIVE_TLS", default="verify-full")
    if tls not in _TLS:
        raise LiveNotDeclared(f"DPGOV_LIVE_TLS must be one of {', '.join(_TLS)}.")
    seconds = env.int("DPGOV_LIVE_SECONDS", default=env.int("DPGOV_QUERY_SECONDS", default=30))
    if seconds < 1:
        raise LiveNotDeclared("DPGOV_LIVE_SECONDS must be 1 or more.")
    return {
        "servers": frozenset(servers),
        "seconds": seconds,
        "tls": tls,
        "ca_file": env.str("DPGOV_LIVE_CA_FILE", default="system"),
    }


def _check_server(name: str) -> None:
    """A host of letters, digits, dots, hyphens and colons (IPv6, without brackets), and a port."""
    host, _colon, port = name.rpartition(":")
    plain = host.replace(".", "").replace("-", "").replace(":", "")
    if not (plain.isascii() and plain.isalnum()) or not port.isdecimal():
        raise LiveNotDeclared("DPGOV_LIVE_SERVERS must be a list of host:port.")
    if not 0 < int(port) <= _LARGEST_PORT:
        raise LiveNotDeclared("DPGOV_LIVE_SERVERS must be a list of host:port.")
