"""Numbers and switches of the environment, each refused by its name where it cannot be kept.

A word that is no switch is not taken for "off", and a number that would break the site is an error
at the start, before anybody is served.
"""

import builtins
import difflib
import math
from pathlib import Path
from typing import Any

import environ

from dpgov.privacy.accounting.decimals import InvalidAmount, parse_epsilon

# Of characters: half of what `openssl rand -hex 32` writes.
SHORTEST_KEY = 32
_OURS = "DPGOV_"
# Of 1: so much alike are a name and what somebody meant by it.
_NEAR = 0.8
_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


class WrongSetting(ValueError):
    """A variable of the environment says what cannot be."""


class Environment(environ.Env):  # type: ignore[misc]
    """What django-environ reads, with these checks. Raises WrongSetting.

    It remembers every name that it was asked for: what nobody asks for has no effect.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: set[str] = set()

    def get_value(self, var: str, *given: Any, **named: Any) -> Any:
        """As django-environ does."""
        self.known.add(var)
        return super().get_value(var, *given, **named)

    def unread(self) -> dict[str, str]:
        """Names like ours that are set and that nobody asks for, each with what may be meant."""
        given = {name for name in self.ENVIRON if name.startswith(_OURS) and self.ENVIRON[name]}
        return {name: self._near(name) for name in sorted(given - self.known)}

    def _near(self, name: str) -> str:
        rest = name.removeprefix(_OURS)
        known = [one.removeprefix(_OURS) for one in sorted(self.known)]
        return "".join(_OURS + one for one in difflib.get_close_matches(rest, known, 1, _NEAR))

    def int(
        self, var: str, default: Any = environ.Env.NOTSET, *, least: builtins.int = 1
    ) -> builtins.int:
        """A whole number of at least `least`."""
        try:
            found = builtins.int(self.str(var, default=default))
        except ValueError:
            found = least - 1
        if found < least:
            raise WrongSetting(f"{var} must be a whole number of at least {least}.")
        return found

    def float(
        self, var: str, default: Any = environ.Env.NOTSET, *, least: builtins.float = 0
    ) -> builtins.float:
        """A number of at least `least`."""
        try:
            found = builtins.float(self.str(var, default=default))
        except ValueError:
            found = math.nan
        if not least <= found < math.inf:
            raise WrongSetting(f"{var} must be a number of at least {least:g}.")
        return found

    def bool(self, var: str, default: builtins.bool) -> builtins.bool:
        """On or off; nothing at all is the default."""
        word = str(self.str(var, default="")).strip().lower()
        if word and word not in _ON | _OFF:
            raise WrongSetting(f"{var} must be 1 or 0, true or false, yes or no, on or off.")
        return word in _ON if word else default


def least_epsilon(env: Environment) -> str:
    """DPGOV_LEAST_EPSILON as it was written; a price can be made of it."""
    text = env.str("DPGOV_LEAST_EPSILON", default="0.001")
    try:
        parse_epsilon(text)
    except InvalidAmount as refusal:
        raise WrongSetting(f"DPGOV_LEAST_EPSILON must be a price: {refusal}") from None
    return str(text)


def ports(env: Environment, name: str, default: list[int]) -> list[int]:
    """A list of ports."""
    found = env.list(name, default=default)
    if not all(str(port).strip().isdecimal() for port in found):
        raise WrongSetting(f"{name} must be a list of ports, like 443,8443.")
    return [int(port) for port in found]


def secret_text(env: Environment, name: str) -> str:
    """A secret from the variable, or from the file that the variable with _FILE names; or ""."""
    text, path = env.str(name, default=""), env.str(f"{name}_FILE", default="")
    if text or not path:
        return str(text)
    return file_text(f"{name}_FILE", path)


def file_text(name: str, path: str) -> str:
    """What stands in the file that this variable names, without the ends of lines around it.

    An empty one is what a write that broke off left, or a secret that was never filled in: taken
    for the secret, it would be one that everybody knows.
    """
    try:
        text = Path(path).read_text().strip()
    except OSError as fault:
        raise WrongSetting(f"{name} names a file that cannot be read: {fault.strerror}.") from None
    if not text:
        raise WrongSetting(f"{name} names a file with nothing in it: {path}.")
    return text


def long_enough(name: str, key: str) -> None:
    """Refuse a key that could be found by trying. Those that we make ourselves have 64 or more."""
    if len(key) < SHORTEST_KEY:
        raise WrongSetting(f"{name} must have {SHORTEST_KEY} characters or more.")
