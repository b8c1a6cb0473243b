"""The folder of checkpoints outside the database: what survives a rebuilt or restored database.

One file a checkpoint, named by its size and the beginning of its root, never overwritten; beside
them the public keys. Mount it from elsewhere, or copy it away: whoever can change the database
must not be able to change this folder.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID

from django.conf import settings

from dpgov.audit.files import replace, write_once
from dpgov.audit.keys.key_chain import Chain, ListedKey, follow, merged, parse_list
from dpgov.audit.keys.note import (
    Checkpoint,
    PublicKey,
    UnreadableKey,
    UnreadableNote,
    parse_checkpoint,
)
from dpgov.audit.selectors import checkpoints_of, knows, listed_keys
from dpgov.language.printable import printable
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal

KEYS = "public-keys.txt"
_ENDING = ".checkpoint"
_SET_ASIDE = "set-aside"
# So many of the newest files are tried, until one can be read.
_LOOKED_AT = 5


class AnotherFileIsThere(SpokenRefusal):
    """A different text already has the name of this checkpoint."""


def folder_of(tenant_id: UUID) -> Path:
    """Where the tenant's checkpoints lie."""
    return Path(settings.DPGOV_CHECKPOINT_FOLDER) / str(tenant_id)


def put(tenant_id: UUID, note: str) -> None:
    """Write the checkpoint and the list of public keys; raises AnotherFileIsThere, OSError."""
    path = folder_of(tenant_id) / _name(parse_checkpoint(note))
    if not write_once(path, note) and _text_of(path) != note:
        raise AnotherFileIsThere(
            said("{name} is there already, with another text.", name=path.name)
        )
    put_keys(tenant_id)


def put_keys(tenant_id: UUID) -> None:
    """Write the list of public keys: every key that follows from the first one of the folder."""
    path = folder_of(tenant_id) / KEYS
    text = known_chain(tenant_id).as_text()
    if not path.exists() or _text_of(path) != text:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(path, text)


def known_keys(tenant_id: UUID) -> list[PublicKey]:
    """The keys to believe a checkpoint by, oldest first; raises OSError."""
    return known_chain(tenant_id).keys


def known_chain(tenant_id: UUID) -> Chain:
    """The keys listed in the folder and those announced in the database, each once.

    The folder's first key is the one that was published; without a folder the database's is.
    Whatever the one before has not signed is refused, wherever it stands. An old database does not
    know a key that came later; the folder does. Raises OSError.
    """
    listed = merged(_in_folder(tenant_id), listed_keys(tenant_id))
    return follow(listed, log=str(tenant_id))


def readable_chain(tenant_id: UUID) -> tuple[Chain, list[str]]:
    """The same without OSError: of the database alone where the folder's list cannot be read.

    With the sentence that says so, for whoever shows it. Nobody signs or publishes by this one.
    """
    try:
        return known_chain(tenant_id), []
    except OSError:
        return follow(listed_keys(tenant_id), log=str(tenant_id)), [not_read(KEYS)]


def _in_folder(tenant_id: UUID) -> list[ListedKey]:
    path = folder_of(tenant_id) / KEYS
    try:
        return parse_list(_text_of(path))
    except UnreadableKey:
        return []
    except FileNotFoundError:
        if path.is_symlink():
            raise
        return []


def _text_of(path: Path) -> str:
    """With a mark that stands in no key and no note where the bytes are no UTF-8."""
    return path.read_text(encoding="utf-8", errors="replace")


def outside_files(tenant_id: UUID) -> list[Path]:
    """The checkpoint files, smallest first; raises OSError for a folder that cannot be read."""
    # A pattern finds nothing in such a folder, and says nothing either.
    try:
        found = list(folder_of(tenant_id).iterdir())
    except FileNotFoundError:
        return []
    return sorted(path for path in found if path.name.endswith(_ENDING))


def newest_outside(tenant_id: UUID) -> int | None:
    """The size of the newest checkpoint in the folder that can be read, or None; raises OSError."""
    head = head_outside(tenant_id)
    return head.size if head else None


def head_outside(tenant_id: UUID) -> Checkpoint | None:
    """What the newest checkpoint in the folder that can be read says, or None; raises OSError."""
    return _newest_of(reversed(outside_files(tenant_id)))


def _newest_of(newest_first: Iterable[Path]) -> Checkpoint | None:
    for path in newest_first:
        try:
            return parse_checkpoint(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
    return None


# Files that need no look any more, by folder.
_looked_at: dict[Path, frozenset[str]] = {}


def newest_unknown(tenant_id: UUID) -> Checkpoint | None:
    """What the newest checkpoint in the folder says that the database does not know, if any.

    Then the database is older than the folder or another course of events: restored from a backup,
    or cut. The signature is not looked at, because a false alarm is the better mistake here.

    Asked in every round: the newest file is read, any other one once, if its name says that it is
    unknown. A database that was set back does not know the newest one either, and then whatever was
    looked at before is looked at again.
    """
    # The folder first: the database knows whatever is in it, also what is being made right now.
    files, folder = outside_files(tenant_id)[::-1], folder_of(tenant_id)
    before = _looked_at.pop(folder, frozenset())
    head = _newest_of(files)
    if head is None or not knows(tenant_id, head):
        return head
    new = [path for path in files if path.name not in before and path.name != _name(head)]
    known = _names_here(tenant_id) if new else set()
    for path in new:
        said_there = None if path.name in known else _said_in(path)
        if said_there and not knows(tenant_id, said_there):
            return said_there
    _looked_at[folder] = frozenset(path.name for path in files)
    return None


def _names_here(tenant_id: UUID) -> set[str]:
    rows = checkpoints_of(tenant_id).values_list("size", "root")
    return {_name_of(size, bytes(root)) for size, root in rows.iterator()}


def outside_notes(tenant_id: UUID) -> Iterator[tuple[str, str | None]]:
    """(file name, note) of the files, smallest first; bytes that are no text become a mark.

    None is the note of a file that cannot be read. Where that is the folder itself, it alone is
    named.
    """
    try:
        files = outside_files(tenant_id)
    except OSError:
        yield said("The folder of checkpoints"), None
        return
    yield from _notes_of(files)


def newest_notes(tenant_id: UUID) -> list[tuple[str, str | None]]:
    """The newest of them that can be read, and before it newer ones that cannot, if any."""
    try:
        files = outside_files(tenant_id)
    except OSError:
        return [(said("The folder of checkpoints"), None)]
    found: list[tuple[str, str | None]] = []
    for name, note in _notes_of(files[: -_LOOKED_AT - 1 : -1]):
        found.append((name, note))
        if note is not None:
            break
    return found


def _notes_of(files: Iterable[Path]) -> Iterator[tuple[str, str | None]]:
    for path in files:
        name = printable(path.name)
        try:
            yield name, _text_of(path)
        except FileNotFoundError:
            # One that a round has set aside meanwhile is not missed; a link to nowhere is.
            if path.is_symlink():
                yield name, None
        except OSError:
            yield name, None


def not_read(what: str) -> str:
    """What there is to say of a file, or of the folder, that cannot be read: it counts as none."""
    return said("{where} proves nothing: {why}.", where=what, why=said("it cannot be read"))


def set_aside(tenant_id: UUID) -> list[str]:
    """Move checkpoints that the database does not know out of the way, and return their names.

    For after a restored backup, once an officer has confirmed something. They are kept, as
    evidence. The newest one goes last, so that a round that breaks off is begun again by the next.
    """
    # The folder first: the database knows whatever is in it, also what is being made right now.
    said_by = {path: _said_in(path) for path in outside_files(tenant_id)}
    known = {
        (size, bytes(root)) for size, root in checkpoints_of(tenant_id).values_list("size", "root")
    }
    moved = []
    for path, said_there in said_by.items():
        if said_there and (said_there.size, said_there.root) not in known:
            target = path.parent / _SET_ASIDE
            target.mkdir(mode=0o700, exist_ok=True)
            path.rename(target / path.name)
            moved.append(path.name)
    return moved


def _said_in(path: Path) -> Checkpoint | None:
    try:
        return parse_checkpoint(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, UnreadableNote):
        return None


def _name(checkpoint: Checkpoint) -> str:
    return _name_of(checkpoint.size, checkpoint.root)


def _name_of(size: int, root: bytes) -> str:
    return f"{size:012}-{root.hex()[:12]}{_ENDING}"
