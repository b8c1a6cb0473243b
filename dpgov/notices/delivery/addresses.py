"""Where a webhook may lead: to public addresses, unless this installation allows its own network.

A name is looked up once, and the connection goes to the very address that was checked: a name that
answers differently the second time leads nowhere else.
"""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal

_PORTS = {"https": 443, "http": 80}
# What IANA has given out to networks; all other IPv6 is reserved.
_GIVEN_OUT = ipaddress.ip_network("2000::/3")
# An IPv4 address in IPv6 clothes: NAT64 (RFC 6052).
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
# Registered for special purposes (RFC 6890 and after), but public to the `ipaddress` of a Python
# that is older than the registry: relays of 6to4, 6to4 and Teredo themselves, protocol assignments
# with all that is in them, and documentation.
_SPECIAL = [
    ipaddress.ip_network(text)
    for text in ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20")
]


class AddressRefused(SpokenRefusal, ValueError):
    """The address leads where webhooks may not go, or is none; `str` is for people."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address, taken apart. `path` is what is asked for, with its query."""

    scheme: str
    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """The parts of a webhook's address; looks nothing up. Raises AddressRefused.

    Also for a host that is itself a private address; where a name leads is known at delivery.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefused(said("This is not a web address.")) from error
    if parts.scheme not in _PORTS or not parts.hostname or not url.isascii():
        raise AddressRefused(said("Give a whole web address, such as https://example.org/hook."))
    if any(ord(sign) <= 0x20 or ord(sign) == 0x7F for sign in url):
        raise AddressRefused(said("A web address has no spaces."))
    if parts.username is not None or parts.password is not None:
        raise AddressRefused(said("Leave out the name and password: each message is signed."))
    if parts.scheme == "http" and not settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES:
        raise AddressRefused(said("The address has to begin with https://."))
    port = _PORTS[parts.scheme] if port is None else port
    if port not in settings.DPGOV_WEBHOOK_PORTS:
        allowed = ", ".join(map(str, settings.DPGOV_WEBHOOK_PORTS))
        raise AddressRefused(said("Webhooks may lead to these ports only: {ports}.", ports=allowed))
    _check_public(_written_in(parts.hostname))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname, port, path)


def address_of(target: Target) -> str:
    """The address to connect to. Raises AddressRefused, and OSError when the name is unknown."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(info[4][0]) for info in found]
    _check_public(addresses)
    return addresses[0]


def _check_public(addresses: list[str]) -> None:
    if settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES:
        return
    if not all(is_public(address) for address in addresses):
        raise AddressRefused(said("The address leads into a private network."))


def _written_in(host: str) -> list[str]:
    """The address that a host is by itself, however it is spelt; none of a name to look up."""
    name = host.partition("%")[0].rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return ["127.0.0.1"]
    try:
        found = socket.getaddrinfo(name, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return [str(info[4][0]) for info in found]


def is_public(text: str) -> bool:
    """Whether anybody on the internet could have this address; also of one in IPv6 clothes.

    IPv4 within IPv6 counts as what it leads to, where a router of ours could translate it.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if inner := _inner(address):
            return is_public(str(inner))
        if address not in _GIVEN_OUT:
            return False
    if any(address in network for network in _SPECIAL if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _inner(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped
