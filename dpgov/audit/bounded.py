"""How much an entry says at most, so that nothing strangers typed harms its reader (catalogue G9).

Long texts are cut, and of a long detail its largest members: a step is recorded whatever its size.
What a log is reconciled by stays whole. It is no longer than rules of ours allow, which a test adds
up, and with all the rest an entry is shorter than the longest line that a verifier reads.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from dpgov.audit.entry import canonical_json
from dpgov.language.printable import printable

LONGEST_TEXT = 2_000
LONGEST_DETAIL = 100_000
# What reconciling reads lists of, and who could see a dataset.
WHOLE = frozenset({"lines", "effect", "before_viewers", "after_viewers"})
# Of these together, as they stand in the entry, where a detail is quoted once more.
LONGEST_WHOLE = 700_000
# Amounts, ids and names of a kind are shorter, and never cut.
_SHORT = 100
# The member of what was cut, by which it is known.
CUT = "cut_from_characters"
_Members = Mapping[str, str]


def bounded(value: Any, longest: int) -> Any:
    """The same value with control and direction marks escaped and long texts cut, recursively."""
    if isinstance(value, str):
        return printable(value[:longest])[:longest]
    if isinstance(value, dict):
        return {bounded(str(key), longest): bounded(item, longest) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [bounded(item, longest) for item in value]
    return value


def bounded_json(detail: dict[str, Any]) -> str:
    """Canonical JSON of at most LONGEST_DETAIL characters, besides the members that stay WHOLE.

    The largest of the others are replaced, one after another, by an object with the length, the
    SHA-256 and the beginning of their own JSON, so that a full text that is kept elsewhere can
    still be compared.
    """
    plain = bounded(detail, LONGEST_TEXT)
    text = canonical_json(plain)
    if len(text) <= LONGEST_DETAIL:
        return text
    members = {name: canonical_json(value) for name, value in plain.items()}
    whole = {name: text for name, text in members.items() if name in WHOLE}
    others = {name: text for name, text in members.items() if name not in WHOLE}
    return _object(
        {**_fitting(others, LONGEST_DETAIL, len), **_fitting(whole, LONGEST_WHOLE, _quoted_length)}
    )


def is_cut(value: object) -> bool:
    """Whether a member of a detail, or a detail, is what was put in the place of a longer one."""
    return isinstance(value, dict) and CUT in value


def _fitting(members: _Members, longest: int, length: Callable[[str], int]) -> _Members:
    """The members, the largest of them cut until all fit; where there are too many, all as one."""
    found = dict(members)
    for name in sorted(members, key=lambda name: len(members[name]), reverse=True):
        if length(_object(found)) <= longest or len(found[name]) <= _SHORT:
            break
        found[name] = canonical_json(_cut(found[name]))
    if length(_object(found)) <= longest:
        return found
    short = {name: text for name, text in members.items() if len(text) <= _SHORT}
    kept = short if length(_object(short)) <= longest // 2 else {}
    cut = _cut(_object(members))
    return kept | {name: canonical_json(value) for name, value in cut.items()}


def _cut(text: str) -> dict[str, str | int]:
    return {
        CUT: len(text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "beginning": text[:LONGEST_TEXT],
    }


def _object(members: _Members) -> str:
    """Canonical JSON of an object, of the canonical JSON of its members."""
    parts = (f"{canonical_json(name)}:{members[name]}" for name in sorted(members))
    return f"{{{','.join(parts)}}}"


def _quoted_length(text: str) -> int:
    return len(json.dumps(text))
