"""Reads a stored log again, entry by entry, and compares it with everything that was derived:
leaf hashes, stored subtrees, checkpoints in the database and checkpoints in the folder.

A part of a long log can be read alone: its entries are tied to the stored subtrees, those to the
root, and that to the signed checkpoints, so that nothing in that part can have been changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Subquery

from dpgov.audit.archive.leaves import kept
from dpgov.audit.archive.reading import archived_to
from dpgov.audit.archive.rechecking import changed, recheck_archive
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.history import findings, outside_findings, own_findings
from dpgov.audit.models import AuditHead
from dpgov.audit.outside import outside_notes, readable_chain
from dpgov.audit.selectors import checkpoints_of, entries_of, log_size, stream
from dpgov.audit.stored_tree import LogHasGap, StoredTree, stored_count
from dpgov.audit.tree import HEIGHT, WIDTH, Hash, complete_root
from dpgov.language.said import said


@dataclass(frozen=True, slots=True)
class Recheck:
    """Entries first..last of `size` were read again; `problems` are sentences, first come first.

    `checkpoints` counts those that agree, in the database and outside together; `unread` says which
    archived entries could not be found.
    """

    first: int
    last: int
    size: int
    checkpoints: int = 0
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether nothing contradicts anything."""
        return not self.problems

    @property
    def entries(self) -> int:
        """How many entries were read."""
        return self.last - self.first + 1


def recheck_all(tenant_id: UUID) -> Recheck:
    """The whole log and every checkpoint, while others may go on writing."""
    size = log_size(tenant_id)
    archived = recheck_archive(tenant_id, after=0, upto=size)
    problems = [*archived.problems, *_entry_problems(tenant_id, 0, size)]
    problems += _subtree_problems(tenant_id)
    agreeing, contradictions = _all_checkpoints(tenant_id, size)
    problems += [*contradictions, *findings(tenant_id), *_beyond_head(tenant_id)]
    problems += _planted_keys(tenant_id)
    return Recheck(1, size, size, agreeing, _once(problems), _once(archived.unread))


def recheck_part(tenant_id: UUID, *, after: int, most: int) -> Recheck:
    """Up to `most` entries after one, every stored subtree, and the newest checkpoints."""
    size = log_size(tenant_id)
    start = after - after % WIDTH if after < size else 0
    stop = min(size, start + most)
    archived = recheck_archive(tenant_id, after=start, upto=stop)
    problems = [*archived.problems, *_entry_problems(tenant_id, start, stop)]
    problems += _subtree_problems(tenant_id)
    problems += [*findings(tenant_id), *_beyond_head(tenant_id), *_planted_keys(tenant_id)]
    agreeing = 0 if problems else int(checkpoints_of(tenant_id).exists())
    return Recheck(start + 1, stop, size, agreeing, _once(problems), _once(archived.unread))


def _once(problems: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(problems))


def _entry_problems(tenant_id: UUID, start: int, stop: int) -> Iterator[str]:
    """The first problem of entries start + 1 up to stop; `start` begins a stored subtree."""
    tree, leaves, expected = StoredTree(tenant_id), list[Hash](), start
    archived = max(start, min(stop, archived_to(tenant_id)))
    for number, leaf, own in _leaves(tenant_id, start, archived, stop):
        if number != expected + 1:
            break
        expected = number
        if leaf != own:
            yield changed(number)
            return
        leaves.append(leaf)
        if expected % WIDTH == 0:
            yield from _tile_problem(tree, expected // WIDTH - 1, leaves)
            leaves = []
    if expected < archived:
        yield said("The hash that was kept of entry {number} is missing.", number=expected + 1)
    elif expected < stop:
        yield said(
            "Entry {number} is missing; the log should reach {last}.",
            number=expected + 1,
            last=stop,
        )


def _leaves(
    tenant_id: UUID, start: int, archived: int, stop: int
) -> Iterator[tuple[int, Hash, Hash]]:
    """(number, hash of what it says, its own hash); of what is archived the one that was kept."""
    for place, leaf in kept(tenant_id, after=start, upto=archived):
        yield place + 1, leaf, leaf
    for values in stream(tenant_id, after=archived, upto=stop):
        yield values["sequence"], leaf_hash(line_of(values)), bytes(values["leaf_hash"])


def _tile_problem(tree: StoredTree, number: int, leaves: list[bytes]) -> Iterator[str]:
    stored = tree.tile(1, number // WIDTH)[number % WIDTH : number % WIDTH + 1]
    if stored and stored[0] != complete_root(leaves):
        first = number * WIDTH + 1
        yield said(
            "One of the entries {first} to {last} was changed with its hash.",
            first=first,
            last=first + WIDTH - 1,
        )


def _subtree_problems(tenant_id: UUID) -> Iterator[str]:
    """Whether every stored level follows from the one below it."""
    level = 2
    try:
        while count := stored_count(tenant_id, level):
            tree = StoredTree(tenant_id)
            for number in range(count):
                if tree.node(HEIGHT * level, number) != complete_root(tree.tile(level - 1, number)):
                    yield said(
                        "The stored hash {number} of level {level} does not fit those below it.",
                        number=number,
                        level=level,
                    )
            level += 1
    except LogHasGap as gap:
        yield said("The stored tree is not complete: {gap}.", gap=gap.args[0])


def _all_checkpoints(tenant_id: UUID, size: int) -> tuple[int, list[str]]:
    (chain, problems), tree = readable_chain(tenant_id), StoredTree(tenant_id)
    keys, agreeing = chain.keys, 0
    for checkpoint in checkpoints_of(tenant_id).order_by("size").iterator():
        found = own_findings(checkpoint, size, keys, tree)
        agreeing, problems = agreeing + (not found), problems + found
    for name, note in outside_notes(tenant_id):
        found = outside_findings(name, note, size, keys, tree)
        agreeing, problems = agreeing + (not found), problems + found
    return agreeing, problems


def _planted_keys(tenant_id: UUID) -> list[str]:
    """Keys among the announced ones, or in the folder, which no key before them has signed."""
    chain, unread = readable_chain(tenant_id)
    refused = [
        said(
            "Key {key} is not believed: the key before has not signed its name.",
            key=key.key_id.hex(),
        )
        for key in chain.refused
    ]
    return unread + refused


def _beyond_head(tenant_id: UUID) -> list[str]:
    """An entry that the head does not know: one statement, and so one moment for both."""
    head = AuditHead.objects.filter(tenant_id=tenant_id).values("sequence")
    entries = entries_of(tenant_id).annotate(known=Subquery(head[:1]))
    newest, known = entries.values_list("sequence", "known").first() or (0, 0)
    known = known or 0
    if newest <= known:
        return []
    return [
        said(
            "Entry {number} lies beyond the head, which knows only {known} entries.",
            number=newest,
            known=known,
        )
    ]
