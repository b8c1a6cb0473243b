"""The tenant's hash tree in tables: leaf hashes on the entries, complete subtrees beside them.

Subtrees of 256, 65,536, ... entries are written when a checkpoint is made, never while an entry is
appended. With them a proof over a million entries reads a handful of ranges of at most 256 rows.
They are a copy of what the entries say: `audit.recheck` compares the two. Of entries that left for
an archive the leaf hashes are kept.
"""

from collections.abc import Mapping
from operator import itemgetter
from uuid import UUID

from django.db.models import F, Q, Value

from dpgov.audit.archive.leaves import kept
from dpgov.audit.models import AuditEntry, AuditSubtree
from dpgov.audit.tree import HEIGHT, WIDTH, Hash, complete_root
from dpgov.language.said import said

_BATCH = 200


class LogHasGap(RuntimeError):
    """An entry (or a stored subtree) that must be there is not; `str` says which."""


class StoredTree:
    """Reads nodes of one tenant's tree; a range that is needed twice is read once."""

    def __init__(self, tenant_id: UUID) -> None:
        self._tenant_id = tenant_id
        self._tiles: dict[tuple[int, int], list[Hash]] = {}

    def node(self, height: int, index: int) -> Hash:
        """The hash over the entries index * 2**height + 1 up to (index + 1) * 2**height."""
        level, within = divmod(height, HEIGHT)
        tile, offset = divmod(index << within, WIDTH)
        hashes = self.tile(level, tile)[offset : offset + (1 << within)]
        if len(hashes) < 1 << within:
            raise LogHasGap(_missing(level, tile * WIDTH + offset + len(hashes)))
        return complete_root(hashes)

    def tile(self, level: int, number: int) -> list[Hash]:
        """Up to 256 neighbouring hashes of a level, from place number * 256 on."""
        if (level, number) not in self._tiles:
            self._tiles[level, number] = self._read(level, number * WIDTH)
        return self._tiles[level, number]

    def read_edge(self, size: int) -> None:
        """All that the root of so many entries is made of, in one statement.

        A tile with a gap is left out: whoever asks for it is told of the gap.
        """
        edge = {
            level: size >> HEIGHT * (level + 1)
            for level in range(-(-size.bit_length() // HEIGHT))
            if size >> HEIGHT * level & WIDTH - 1
        }
        firsts = {level: number * WIDTH for level, number in edge.items()}
        found = _ranges(self._tenant_id, firsts) if firsts else {}
        for level, first in firsts.items():
            rows = found.get(level, [])
            if all(number == place for place, (number, _) in enumerate(rows, start=first)):
                self._tiles[level, edge[level]] = [value for _, value in rows]

    def _read(self, level: int, first: int) -> list[Hash]:
        rows = _leaves(self._tenant_id, first) if level == 0 else _trees(self, level, first)
        for place, (number, _) in enumerate(rows, start=first):
            if number != place:
                raise LogHasGap(_missing(level, place))
        return [value for _, value in rows]

    @property
    def tenant_id(self) -> UUID:
        """Whose tree it is."""
        return self._tenant_id


def _leaves(tenant_id: UUID, first: int) -> list[tuple[int, Hash]]:
    rows = AuditEntry.objects.filter(
        tenant_id=tenant_id, sequence__gt=first, sequence__lte=first + WIDTH
    )
    found = rows.order_by("sequence").values_list("sequence", "leaf_hash")
    leaves = [(sequence - 1, bytes(leaf)) for sequence, leaf in found]
    if leaves and [place for place, _ in leaves] == list(range(first, first + len(leaves))):
        return leaves
    archived = kept(tenant_id, after=first, upto=first + WIDTH)
    return sorted({**dict(leaves), **dict(archived)}.items())


def _trees(tree: StoredTree, level: int, first: int) -> list[tuple[int, Hash]]:
    rows = AuditSubtree.objects.filter(
        tenant_id=tree.tenant_id, level=level, index__gte=first, index__lt=first + WIDTH
    )
    found = rows.order_by("index").values_list("index", "hash")
    return [(index, bytes(value)) for index, value in found]


def _ranges(tenant_id: UUID, firsts: Mapping[int, int]) -> dict[int, list[tuple[int, Hash]]]:
    """By level up to 256 hashes from a place on, each with its place; in one statement."""
    within = Q()
    for level, first in firsts.items():
        within |= Q(level=level, index__gte=first, index__lt=first + WIDTH)
    trees = AuditSubtree.objects.filter(within, tenant_id=tenant_id).order_by()
    rows = trees.values_list("level", "index", "hash")
    if 0 in firsts:
        leaves = AuditEntry.objects.filter(
            tenant_id=tenant_id, sequence__gt=firsts[0], sequence__lte=firsts[0] + WIDTH
        ).order_by()
        places = leaves.annotate(level=Value(0), place=F("sequence") - 1)
        rows = rows.union(places.values_list("level", "place", "leaf_hash"), all=True)
    found: dict[int, list[tuple[int, Hash]]] = {}
    for level, place, value in sorted(rows, key=itemgetter(0, 1)):
        found.setdefault(level, []).append((place, bytes(value)))
    return found


def _missing(level: int, place: int) -> str:
    if level == 0:
        return said("entry {number} is missing", number=place + 1)
    return said(
        "the stored hash over {entries} entries from {first} is missing",
        entries=WIDTH**level,
        first=place * WIDTH**level + 1,
    )


def extend(tenant_id: UUID, size: int) -> None:
    """Store every complete subtree of the first `size` entries that is not stored yet.

    Raises LogHasGap. Several may do so at once: they would all write the same.
    """
    level = 1
    while complete := size >> HEIGHT * level:
        _extend_level(tenant_id, level, complete)
        level += 1


def _extend_level(tenant_id: UUID, level: int, complete: int) -> None:
    for start in range(stored_count(tenant_id, level), complete, _BATCH):
        tree = StoredTree(tenant_id)
        places = range(start, min(start + _BATCH, complete))
        new = [_subtree(tree, level, place) for place in places]
        AuditSubtree.objects.bulk_create(new, ignore_conflicts=True)


def _subtree(tree: StoredTree, level: int, index: int) -> AuditSubtree:
    below = tree.tile(level - 1, index)
    if len(below) < WIDTH:
        raise LogHasGap(_missing(level - 1, index * WIDTH + len(below)))
    return AuditSubtree(
        tenant_id=tree.tenant_id, level=level, index=index, hash=complete_root(below)
    )


def stored_count(tenant_id: UUID, level: int) -> int:
    """How many subtrees of a level are stored: all up to the newest."""
    rows = AuditSubtree.objects.filter(tenant_id=tenant_id, level=level).order_by("-index")
    newest = rows.values_list("index", flat=True).first()
    return 0 if newest is None else newest + 1
