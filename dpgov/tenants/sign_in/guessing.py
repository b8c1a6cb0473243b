"""Wrong passwords are slowed by where they come from, never by locking an account.

Whoever tries one account from one origin (an address, or the IPv6 network of a household) has a few
tries, then a growing pause between two; so has an origin that tries many accounts. While an account
is tried from everywhere, each origin that is new to it has one try before its pauses begin: so
guessing is slow for a whole botnet, and the right password from elsewhere opens at once. A browser
that has signed in to the account before is counted by itself, so that not even somebody behind the
same address can shut its person out.

A try is counted before it is checked: many at once are no way around. Lives in the cache.
"""

import ipaddress
from dataclasses import dataclass
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core import signing
from django.core.cache import caches
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import get_random_string, salted_hmac

FREE = 5
FREE_OF_ORIGIN = 50
# Wrong tries of one account from everywhere within a day, after which new origins have one.
ATTACKED = 100
FIRST_PAUSE, LONGEST_PAUSE = 30, 3600
_DAY = 86_400
_KNOWN_FOR = 180 * _DAY
_SALT = "dpgov.known-browser"


@dataclass(frozen=True, slots=True)
class Try:
    """One try: what it was counted under. `own` is the account from this origin or browser."""

    own: str
    also: tuple[str, ...]

    def was_right(self) -> None:
        """Forget the wrong tries from here; what others count is only given back."""
        _cache().delete_many([self.own, _pause(self.own)])
        for key in self.also:
            _add(key, -1)


def begin(*, login: str, origin: str, browser: str) -> Try | None:
    """Count a try of this account before its password is looked at; None when it is too soon.

    `browser` is what `known_browser` says.
    """
    account = _name("account", login)
    if browser:
        own = _name("browser", f"{login} {browser}")
        return Try(own, (account,)) if _may(own, FREE) and _add(account, 1) else None
    place = _name("origin", network_of(origin))
    own = _name("account-origin", f"{login} {network_of(origin)}")
    if not _may(place, FREE_OF_ORIGIN):
        return None
    free = FREE if (_cache().get(account) or 0) < ATTACKED else 1
    if not _may(own, free):
        _add(place, -1)
        return None
    _add(account, 1)
    return Try(own, (account, place))


def network_of(origin: str) -> str:
    """What counts as one origin: an IPv4 address, or the /64 that an IPv6 address is in."""
    address = ipaddress.ip_address(origin.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def origin_of(request: HttpRequest) -> str:
    """Where a request comes from; all of those whose address nobody knows are one origin."""
    try:
        return network_of(get_adapter().get_client_ip(request))
    except PermissionDenied:
        return "unknown"


def known_browser(request: HttpRequest, login: str) -> str:
    """The number of this browser, if it has signed in to this account before; else ""."""
    try:
        kept = signing.loads(request.COOKIES.get(_cookie(), ""), salt=_SALT, max_age=_KNOWN_FOR)
        return str(kept[1]) if kept[0] == login.lower() else ""
    except (signing.BadSignature, LookupError, TypeError):
        return ""


def remember_browser(response: HttpResponseBase, login: str) -> None:
    """Let this browser be known to the account; opens nothing."""
    value = signing.dumps([login.lower(), get_random_string(16)], salt=_SALT)
    response.set_cookie(
        _cookie(),
        value,
        max_age=_KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _cookie() -> str:
    return settings.SESSION_COOKIE_NAME.replace("sessionid", "known_browser")


def _name(kind: str, about: str) -> str:
    """Keys hold no addresses: whoever reads the cache should not learn who signs in."""
    return f"guess:{kind}:{salted_hmac(_SALT, about.lower()).hexdigest()}"


def _cache() -> Any:
    """Where counting takes one step, so that tries at once exceed nothing."""
    return caches["rates"]


def _pause(key: str) -> str:
    return f"{key}:pause"


def _may(key: str, free: int) -> bool:
    """Whether a try may go on now; counts it if so, and begins the pause after it."""
    if _cache().get(_pause(key)) is not None:
        return False
    number = _add(key, 1)
    if number < free:
        return True
    doubled = int(FIRST_PAUSE * 2 ** min(number - free, 10))
    began = _cache().add(_pause(key), 1, min(doubled, LONGEST_PAUSE))
    if began or number == free:
        return True
    _add(key, -1)
    return False


def _add(key: str, number: int) -> int:
    """The count afterwards; a cache that forgot it begins again."""
    _cache().add(key, 0, _DAY)
    try:
        return int(_cache().incr(key, number))
    except ValueError:
        return 1
