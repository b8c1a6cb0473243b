"""Collects every problem of a plan, each at its path, worded for a person and bounded in size."""

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from dpgov.privacy.plan import InvalidPlan, PlanProblem

MAX_PROBLEMS = 50
_SHOWN = 60
_FEW = 6


class Problems:
    """What is wrong with one plan so far."""

    def __init__(self) -> None:
        self._found: list[PlanProblem] = []

    def add(self, path: str, message: str) -> None:
        """Note one refusal: where it is and what to do about it."""
        if len(self._found) < MAX_PROBLEMS:
            self._found.append(PlanProblem(path, message))

    def raise_if_any(self) -> None:
        """Raise InvalidPlan with all that was found."""
        if self._found:
            raise InvalidPlan(tuple(self._found))

    def mapping(self, path: str, raw: object, known: Collection[str]) -> Mapping[str, Any] | None:
        """`raw` if it is an object; unknown keys are problems, named with a suggestion."""
        if not isinstance(raw, dict):
            self.add(path, f"Must be an object with the keys {listed(known)}.")
            return None
        for key in raw:
            if key not in known:
                where = f"{path}.{shortened(key)}" if path != "plan" else shortened(key)
                self.add(where, f"Unknown key {quoted(key)}.{suggestion(key, known)}")
        return raw

    def items(self, path: str, raw: object, *, most: int, least: int = 0) -> list[Any]:
        """`raw` if it is a list of an allowed length, else nothing and a problem."""
        if not isinstance(raw, list | tuple):
            self.add(path, "Must be a list.")
            return []
        if not least <= len(raw) <= most:
            self.add(path, f"Must have {least} to {most} entries, not {len(raw)}.")
            return []
        return list(raw)

    def choice(self, path: str, raw: object, known: Collection[str], what: str) -> str | None:
        """`raw` if it is one of the known names, else None and a problem that names it."""
        if isinstance(raw, str) and raw in known:
            return raw
        if raw is None:
            self.add(path, f"Choose a {what}: {listed(known)}.")
        else:
            self.add(path, f"Unknown {what} {quoted(raw)}.{suggestion(raw, known)}")
        return None


def shortened(raw: object) -> str:
    """At most 60 printable characters of whatever was sent."""
    text = raw[: _SHOWN + 1] if isinstance(raw, str) else _other_text(raw)
    clean = "".join(character if character.isprintable() else "?" for character in text)
    return clean if len(clean) <= _SHOWN else f"{clean[: _SHOWN - 1]}…"


def _other_text(raw: object) -> str:
    if isinstance(raw, bool | float) or raw is None:
        return str(raw)
    if isinstance(raw, int):
        return str(raw) if raw.bit_length() < 64 else "a very large number"
    return "an object" if isinstance(raw, dict) else "a list" if isinstance(raw, list) else "it"


def quoted(raw: object) -> str:
    """What was sent, shortened and in quotation marks."""
    return f"“{shortened(raw)}”"


def listed(names: Collection[str]) -> str:
    """The first few of the known names, in their order."""
    shown = list(names)[:12]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")


def suggestion(raw: object, known: Collection[str]) -> str:
    """“Did you mean …?” for a close misspelling; the names themselves where they are few."""
    close = _closest(raw, known)
    hint = f" Did you mean “{close}”?" if close else ""
    few = known and (not close or len(known) <= _FEW)
    return f"{hint} Known: {listed(known)}." if few else hint


def _closest(raw: object, known: Collection[str]) -> str | None:
    if not isinstance(raw, str) or len(raw) > 2 * _SHOWN:
        return None
    folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(raw.strip().casefold(), folded, n=1)
    return folded[close[0]] if close else None
