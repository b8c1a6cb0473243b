"""Which of the listed keys to believe: the first by its publication, each later one by the key
before it, which has signed its name.

Pure. A list is a text: a line for each key, oldest first, and below every key but the first the
signature of the one before, as a note has it (c2sp.org/signed-note). What is signed is the
statement that the log's entry CHECKPOINT_KEY_CHANGED holds word for word. Keys of several logs may
stand in one list: each log has a chain of its own. Standing in a list proves nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dpgov.audit.keys.note import (
    NotSigned,
    PublicKey,
    UnreadableNote,
    check_signed,
    parse_public_key,
    sign,
)

_SIGNATURE = "— "


@dataclass(frozen=True, slots=True)
class Listed:
    """A key as it stands in a list, with the lines that claim to be the one before's signature."""

    key: PublicKey
    signatures: tuple[str, ...] = ()

    def as_text(self) -> str:
        """The lines of the list."""
        return "".join(f"{line}\n" for line in (self.key.as_text(), *self.signatures))


@dataclass(frozen=True, slots=True)
class Chain:
    """The keys that follow from the first of their log, oldest first, and those that do not."""

    believed: tuple[Listed, ...]
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


def signatures_in(note: str) -> tuple[str, ...]:
    """The signature lines of an announcement."""
    return tuple(line for line in note.split("\n") if line.startswith(_SIGNATURE))


def parse_list(text: str) -> list[Listed]:
    """The keys of a list; raises UnreadableKey for a line that is neither key nor signature."""
    found: list[Listed] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith(_SIGNATURE) and found:
            last = found.pop()
            found.append(Listed(last.key, (*last.signatures, line)))
        else:
            found.append(Listed(parse_public_key(line)))
    return found


def merged(*lists: Iterable[Listed]) -> list[Listed]:
    """Each key once, at its first place, with every signature that any list has for it."""
    found: dict[str, Listed] = {}
    for listed in (listed for one in lists for listed in one):
        text = listed.key.as_text()
        known = found.get(text, Listed(listed.key)).signatures
        new = tuple(line for line in listed.signatures if line not in known)
        found[text] = Listed(listed.key, known + new)
    return list(found.values())


def follow(listed: Sequence[Listed]) -> Chain:
    """Believe the first key of each log, and each later one that the newest believed one signed."""
    newest: dict[str, PublicKey] = {}
    believed, refused = list[Listed](), list[PublicKey]()
    for one in listed:
        before = newest.get(one.key.name)
        kept = [line for line in one.signatures if before and _signed(one.key, line, before)]
        if before is None or kept:
            newest[one.key.name] = one.key
            believed.append(Listed(one.key, tuple(kept)))
        else:
            refused.append(one.key)
    return Chain(tuple(believed), tuple(refused))


def _signed(key: PublicKey, line: str, before: PublicKey) -> bool:
    try:
        check_signed(f"{_statement(key)}\n{line}\n", [before])
    except (NotSigned, UnreadableNote):
        return False
    return True


def _statement(key: PublicKey) -> str:
    return f"{key.name}\nnext checkpoint key\n{key.as_text()}\n"
