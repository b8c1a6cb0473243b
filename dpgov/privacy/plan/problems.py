"""Collects every problem of a plan, each at its path, worded for a person and bounded in size."""

import difflib
from collections.abc import Callable, Collection, Mapping
from typing import Any

from dpgov.language.said import Said, said, sentences
from dpgov.privacy.plan.plan import InvalidPlan, PlanProblem

MAX_PROBLEMS = 50
_SHOWN = 60
_FEW = 6
_CHOOSE: dict[str, Callable[[str], Said]] = {
    "column": lambda names: said("Choose a column: {names}.", names=names),
    "formula": lambda names: said("Choose a formula: {names}.", names=names),
    "category": lambda names: said("Choose a category: {names}.", names=names),
    "operator": lambda names: said("Choose an operator: {names}.", names=names),
    "statistic": lambda names: said("Choose a statistic: {names}.", names=names),
}
_UNKNOWN: dict[str, Callable[[str], Said]] = {
    "column": lambda name: said("Unknown column “{name}”.", name=name),
    "formula": lambda name: said("Unknown formula “{name}”.", name=name),
    "category": lambda name: said("Unknown category “{name}”.", name=name),
    "operator": lambda name: said("Unknown operator “{name}”.", name=name),
    "statistic": lambda name: said("Unknown statistic “{name}”.", name=name),
}


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
            self.add(path, said("Must be an object with the keys {keys}.", keys=listed(known)))
            return None
        for key in raw:
            if key not in known:
                where = f"{path}.{shortened(key)}" if path != "plan" else shortened(key)
                refusal = said("Unknown key “{key}”.", key=shortened(key))
                self.add(where, suggesting(refusal, key, known))
        return raw

    def items(self, path: str, raw: object, *, most: int, least: int = 0) -> list[Any]:
        """`raw` if it is a list of an allowed length, else nothing and a problem."""
        if not isinstance(raw, list | tuple):
            self.add(path, said("Must be a list."))
            return []
        if not least <= len(raw) <= most:
            self.add(
                path,
                said(
                    "Must have {least} to {most} entries, not {number}.",
                    least=least,
                    most=most,
                    number=len(raw),
                ),
            )
            return []
        return list(raw)

    def choice(self, path: str, raw: object, known: Collection[str], what: str) -> str | None:
        """`raw` if it is one of the known names, else None and a problem that names it.

        `what` is one of those in _CHOOSE.
        """
        if isinstance(raw, str) and raw in known:
            return raw
        if raw is None:
            self.add(path, _CHOOSE[what](listed(known)))
        else:
            self.add(path, suggesting(_UNKNOWN[what](shortened(raw)), raw, known))
        return None


def shortened(raw: object) -> str:
    """At most 60 printable characters of whatever was sent."""
    if not isinstance(raw, str):
        return _other_text(raw)
    text = raw[: _SHOWN + 1]
    clean = "".join(character if character.isprintable() else "?" for character in text)
    return clean if len(clean) <= _SHOWN else f"{clean[: _SHOWN - 1]}…"


def _other_text(raw: object) -> str:
    if isinstance(raw, bool | float) or raw is None:
        return str(raw)
    if isinstance(raw, int):
        return str(raw) if raw.bit_length() < 64 else said("a very large number")
    if isinstance(raw, dict):
        return said("an object")
    return said("a list") if isinstance(raw, list) else said("it")


def listed(names: Collection[str]) -> str:
    """The first few of the known names, in their order."""
    shown = list(names)[:12]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")


def suggesting(refusal: str, raw: object, known: Collection[str]) -> Said:
    """With “Did you mean …?” for a close misspelling; the names themselves where they are few."""
    close = _closest(raw, known)
    few = known and (not close or len(known) <= _FEW)
    return sentences(
        refusal,
        said("Did you mean “{name}”?", name=close) if close else "",
        said("Known: {names}.", names=listed(known)) if few else "",
    )


def _closest(raw: object, known: Collection[str]) -> str | None:
    if not isinstance(raw, str) or len(raw) > 2 * _SHOWN:
        return None
    folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(raw.strip().casefold(), folded, n=1)
    return folded[close[0]] if close else None
