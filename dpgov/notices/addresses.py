"""Where a webhook may lead: to public addresses, unless this installation allows its own network.

A name is looked up once, and the connection goes to the very address that was checked: a name that
answers differently the second time leads nowhere else.
"""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

_PORTS = {"https": 443, "http": 80}
# An IPv4 address in IPv6 clothes.
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


class AddressRefused(ValueError):
    """The address leads where webhooks may not go, or is none; `str` is for people."""


@dataclass(frozen=True, slots=True)
class Target:
    """An address, taken apart. `path` is what is asked for, with its query."""

    scheme: str
    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """The parts of a webhook's address; looks nothing up. Raises AddressRefused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressRefused(_("This is not a web address.")) from error
    if parts.scheme not in _PORTS or not parts.hostname or not url.isascii():
        raise AddressRefused(_("Give a whole web address, such as https://example.org/notices."))
    if any(ord(sign) <= 0x20 or ord(sign) == 0x7F for sign in url):
        raise AddressRefused(_("A web address has no spaces."))
    if parts.username is not None or parts.password is not None:
        raise AddressRefused(_("Leave out the name and password: each message is signed."))
    if parts.scheme == "http" and not settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES:
        raise AddressRefused(_("The address has to begin with https://."))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], path)


def address_of(target: Target) -> str:
    """The address to connect to. Raises AddressRefused, and OSError when the name is unknown."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [str(info[4][0]) for info in found]
    if settings.DPGOV_WEBHOOKS_TO_PRIVATE_ADDRESSES:
        return addresses[0]
    if not all(is_public(address) for address in addresses):
        raise AddressRefused(_("The address leads into a private network."))
    return addresses[0]


def is_public(text: str) -> bool:
    """Whether anybody on the internet could have this address; also of one in IPv6 clothes."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if address.teredo is not None or (inner is not None and not is_public(str(inner))):
            return False
        address = inner or address
    return address.is_global and not address.is_multicast and not address.is_reserved
