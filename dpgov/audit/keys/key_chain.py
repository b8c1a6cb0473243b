"""Which of the listed keys to believe: the first by its publication, each later one by the key
before it, which has signed its name.

Pure. A list is a text: a line for each key, oldest first, and below every key but the first the
signature of the one before, as a note has it (c2sp.org/signed-note). What is signed is the
statement that the log's entry CHECKPOINT_KEY_CHANGED holds word for word. Keys of several logs may
stand in one list: each log has a chain of its own, whatever stands before the tenant in its name,
so that a second name needs a signature like any other key. Standing in a list proves nothing.

A key that follows says itself, in a line of its own below the signature, from which size of the log
on the one before it is over: whoever finds the old private key signs nothing later with it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dpgov.audit.keys.note import (
    NotSigned,
    PublicKey,
    UnreadableNote,
    check_signed,
    parse_public_key,
    sign,
)

_SIGNATURE = "— "
# How a key names itself where it says from which size on it signs; old verifiers pass it over.
_SINCE = re.compile(r"— since-(\d{1,18}) ", re.ASCII)


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A key as it stands in a list, with the lines that claim to be signatures for it.

    By the key before, and by itself where it says since when it signs.
    """

    key: PublicKey
    signatures: tuple[str, ...] = ()

    def as_text(self) -> str:
        """The lines of the list."""
        return "".join(f"{line}\n" for line in (self.key.as_text(), *self.signatures))


@dataclass(frozen=True, slots=True)
class Chain:
    """The keys that follow from the first of their log, oldest first, and those that do not."""

    believed: tuple[ListedKey, ...]
    refused: tuple[PublicKey, ...] = ()

    @property
    def keys(self) -> list[PublicKey]:
        """What a signature may be of."""
        return [listed.key for listed in self.believed]

    def as_text(self) -> str:
        """The list of the believed keys, for publication."""
        return "".join(listed.as_text() for listed in self.believed)


def announcement(key: PublicKey, *, seed: str) -> str:
    """The note by which the holder of the private key in use names the one that follows."""
    return sign(_statement(key), seeds=[seed], name=key.name)


def beginning(key: PublicKey, *, seed: str, size: int) -> str:
    """The line by which the holder of the next private key says from which size on it signs."""
    signed = sign(_since(key, size), seeds=[seed], name=f"since-{size}")
    return signed.rpartition("\n\n")[2]


def signatures_in(note: str) -> tuple[str, ...]:
    """The signature lines of an announcement."""
    return tuple(line for line in note.split("\n") if line.startswith(_SIGNATURE))


def parse_list(text: str) -> list[ListedKey]:
    """The keys of a list; raises UnreadableKey for a line that is neither key nor signature."""
    found: list[ListedKey] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith(_SIGNATURE) and found:
            last = found.pop()
            found.append(ListedKey(last.key, (*last.signatures, line)))
        else:
            found.append(ListedKey(parse_public_key(line)))
    return found


def merged(*lists: Iterable[ListedKey]) -> list[ListedKey]:
    """Each key once, at its first place, with every signature that any list has for it."""
    found: dict[str, ListedKey] = {}
    for listed in (listed for one in lists for listed in one):
        text = listed.key.as_text()
        known = found.get(text, ListedKey(listed.key)).signatures
        new = tuple(line for line in listed.signatures if line not in known)
        found[text] = ListedKey(listed.key, known + new)
    return list(found.values())


def log_of(name: str) -> str:
    """Whose log a key or checkpoint of this name is of: the tenant, whoever's the software is."""
    return name.rpartition("/")[2]


def follow(listed: Sequence[ListedKey], *, log: str | None = None) -> Chain:
    """Believe the first key of each log, and each later one that the newest believed one signed.

    With `log`, a tenant, nothing of any other log is believed.
    """
    newest: dict[str, PublicKey] = {}
    believed, refused = list[ListedKey](), list[PublicKey]()
    for one in listed:
        own = log_of(one.key.name)
        before = newest.get(own)
        kept = [line for line in one.signatures if before and _signed(one.key, line, before)]
        if log in (None, own) and (before is None or kept):
            newest[own] = one.key
            kept += [line for line in one.signatures if kept and _begins(one.key, line)]
            believed.append(ListedKey(one.key, tuple(kept)))
        else:
            refused.append(one.key)
    return Chain(tuple(_ended(believed)), tuple(refused))


def _ended(believed: Sequence[ListedKey]) -> list[ListedKey]:
    """The same, each key with the size from which on one that follows it has to sign."""
    ends, found = dict[str, int](), list[ListedKey]()
    for one in reversed(believed):
        own = log_of(one.key.name)
        found.append(ListedKey(replace(one.key, until=ends.get(own)), one.signatures))
        begins = [size for line in one.signatures if (size := _begins(one.key, line))]
        if begins:
            ends[own] = min(*begins, ends.get(own, begins[0]))
    return found[::-1]


def _signed(key: PublicKey, line: str, before: PublicKey) -> bool:
    return _holds(_statement(key), line, before)


def _begins(key: PublicKey, line: str) -> int:
    """Since which size the key signs, as it says itself in this line; 0 for any other line."""
    found = _SINCE.match(line)
    size = int(found[1]) if found else 0
    return size if _holds(_since(key, size), line, PublicKey(f"since-{size}", key.raw)) else 0


def _holds(text: str, line: str, key: PublicKey) -> bool:
    try:
        check_signed(f"{text}\n{line}\n", [key])
    except (NotSigned, UnreadableNote):
        return False
    return True


def _statement(key: PublicKey) -> str:
    return f"{key.name}\nnext checkpoint key\n{key.as_text()}\n"


def _since(key: PublicKey, size: int) -> str:
    return f"{key.name}\nsigns checkpoints since\n{size}\n{key.as_text()}\n"
