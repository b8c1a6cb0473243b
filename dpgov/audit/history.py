"""Whether the log still contains what was signed before: in the database, and outside of it.

Cheap enough for every page: it looks at the newest checkpoint here and the newest in the folder.
Reading every entry again is the work of `audit.recheck`.
"""

from dataclasses import dataclass
from uuid import UUID

from dpgov.audit.keys.note import NotSigned, PublicKey, UnreadableNote, opened
from dpgov.audit.models import AuditCheckpoint
from dpgov.audit.outside import newest_notes, not_read, readable_chain
from dpgov.audit.selectors import signed_and_size
from dpgov.audit.stored_tree import LogHasGap, StoredTree
from dpgov.audit.tree import root_at
from dpgov.language.said import said


def findings(tenant_id: UUID) -> list[str]:
    """What contradicts the newest checkpoints, in sentences; nothing when all is well."""
    return looked_at(tenant_id).findings


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What a look at the log's head found, and what was read for it."""

    findings: list[str]
    size: int
    newest: AuditCheckpoint | None
    keys: list[PublicKey]


def looked_at(tenant_id: UUID) -> LookedAt:
    """The same findings with the log's size, its newest checkpoint and the known keys."""
    # The folder first: the database knows whatever is in it, also what is being made right now.
    outside = newest_notes(tenant_id)
    last, size = signed_and_size(tenant_id)
    (chain, found), tree = readable_chain(tenant_id), StoredTree(tenant_id)
    keys = chain.keys
    tree.read_edge(last.size if last else 0)
    found += [] if last is None else own_findings(last, size, keys, tree)
    for name, note in outside:
        found += outside_findings(name, note, size, keys, tree)
        found += _behind(name, note, last)
    return LookedAt(list(dict.fromkeys(found)), size, last, keys)


def own_findings(
    checkpoint: AuditCheckpoint, size: int, keys: list[PublicKey], tree: StoredTree
) -> list[str]:
    """What is wrong with a checkpoint in the database."""
    where = said("The checkpoint of {size} entries", size=checkpoint.size)
    found = outside_findings(where, checkpoint.note, size, keys, tree)
    if not found and opened(checkpoint.note, keys).root != bytes(checkpoint.root):
        found.append(said("{where} does not say what its own note says.", where=where))
    return found


def outside_findings(
    where: str, note: str | None, size: int, keys: list[PublicKey], tree: StoredTree
) -> list[str]:
    """What is wrong with a note, wherever it was kept, or with the log it was signed over.

    None is the note of what cannot be read.
    """
    if note is None:
        return [not_read(where)]
    try:
        checkpoint = opened(note, keys)
    except (NotSigned, UnreadableNote) as refusal:
        return [said("{where} proves nothing: {why}.", where=where, why=refusal.args[0])]
    if not checkpoint.origin.endswith(f"/{tree.tenant_id}"):
        origin = checkpoint.origin
        return [said("{where} belongs to another log: {origin}.", where=where, origin=origin)]
    if checkpoint.size > size:
        return [
            said(
                "{where} was signed over {signed} entries, but the log has only {size}: its end "
                "was cut, or the database was restored from an older backup.",
                where=where,
                signed=checkpoint.size,
                size=size,
            )
        ]
    try:
        root = root_at(checkpoint.size, tree.node)
    except LogHasGap as gap:
        return [said("The log is not complete: {gap}.", gap=gap.args[0])]
    if root != checkpoint.root:
        return [
            said(
                "{where} was signed over other entries: one of the first was changed since.",
                where=where,
            )
        ]
    return []


def _behind(name: str, note: str | None, last: AuditCheckpoint | None) -> list[str]:
    """The database always knows a checkpoint before the folder does, unless it was set back."""
    if note is None:
        return []
    try:
        size = int(note.split("\n")[1])
    except (IndexError, ValueError):
        return []
    if size <= (last.size if last else 0):
        return []
    return [
        said(
            "{name} in the folder of checkpoints is newer than the newest one in the database: the "
            "database was restored from an older backup, or changed by hand.",
            name=name,
        )
    ]
