"""The hash tree of RFC 6962 (section 2.1): roots, proofs and their verification.

Pure: knows hashes and where to ask for them, nothing of entries, files or tables. The provers
say which ranges of leaves they need, and `range_root` puts each together from complete subtrees,
so that whoever stores those answers in a time that grows with the logarithm of the log.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence

Hash = bytes
Node = Callable[[int, int], Hash]
"""`node(height, index)`: the hash over leaves index * 2**height up to (index + 1) * 2**height."""

EMPTY_ROOT = hashlib.sha256().digest()
HASH_BYTES = 32
# Of leaves, and of the nodes of every eighth level, so many lie together where they are stored.
HEIGHT = 8
WIDTH = 1 << HEIGHT


def parted(hashes: bytes) -> list[Hash]:
    """Hashes that lie one after the other, each for itself."""
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def node_hash(left: Hash, right: Hash) -> Hash:
    """SHA-256 of 0x01 and both children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def complete_root(leaves: Sequence[Hash]) -> Hash:
    """The root over 2**n hashes of one level."""
    sha256, level = hashlib.sha256, leaves
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
    return level[0]


class CompactRange:
    """The complete subtrees of a growing log from its first leaf on: O(log n) memory."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[tuple[int, Hash]] = []

    def extend(self, leaves: Sequence[Hash]) -> None:
        """Add leaf hashes, in the largest complete subtrees that stand at their place."""
        start = 0
        while start < len(leaves):
            height = (len(leaves) - start).bit_length() - 1
            if self.size:
                height = min(height, (self.size & -self.size).bit_length() - 1)
            stop = start + (1 << height)
            self._push(height, complete_root(leaves[start:stop]))
            start = stop

    def _push(self, height: int, root: Hash) -> None:
        self.size += 1 << height
        while self._peaks and self._peaks[-1][0] == height:
            root = node_hash(self._peaks.pop()[1], root)
            height += 1
        self._peaks.append((height, root))

    def root(self) -> Hash:
        """The root over everything added so far."""
        return fold([peak for _, peak in self._peaks])


def fold(peaks: Iterable[Hash]) -> Hash:
    """The root over complete subtrees, given from the left, each smaller than the one before."""
    *others, root = peaks or [EMPTY_ROOT]
    for peak in reversed(others):
        root = node_hash(peak, root)
    return root


def range_root(low: int, high: int, node: Node) -> Hash:
    """The hash over leaves low up to high, of a range that stands in the tree as one node."""
    peaks = []
    while low < high:
        height = (high - low).bit_length() - 1
        peaks.append(node(height, low >> height))
        low += 1 << height
    return fold(peaks)


def root_at(size: int, node: Node) -> Hash:
    """The root of the first `size` leaves."""
    return range_root(0, size, node)


def inclusion_proof(index: int, size: int, node: Node) -> list[Hash]:
    """The audit path of leaf `index` in the tree of `size` leaves (section 2.1.1)."""
    if not 0 <= index < size:
        raise ValueError(f"There is no leaf {index} in a tree of {size}.")
    path, low, high = [], 0, size
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            path.append((middle, high))
            high = middle
        else:
            path.append((low, middle))
            low = middle
    return [range_root(*sibling, node) for sibling in reversed(path)]


def consistency_proof(old: int, new: int, node: Node) -> list[Hash]:
    """The proof that the tree of `new` leaves begins with that of `old` (section 2.1.2)."""
    if not 0 < old <= new:
        raise ValueError(f"A tree of {new} leaves cannot extend one of {old}.")
    path, low, high = [], 0, new
    while old != high:
        middle = low + _split(high - low)
        if old <= middle:
            path.append((middle, high))
            high = middle
        else:
            path.append((low, middle))
            low = middle
    # Whoever checks knows the old root already; below it, its last complete subtree is needed.
    known = [] if low == 0 else [(low, high)]
    return [range_root(*part, node) for part in [*known, *reversed(path)]]


def _split(size: int) -> int:
    """The largest power of two smaller than `size`."""
    return 1 << (size - 1).bit_length() - 1


def verify_inclusion(
    *, leaf: Hash, index: int, size: int, path: Sequence[Hash], root: Hash
) -> bool:
    """Whether the path ties the leaf to the root (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size or len(leaf) != len(EMPTY_ROOT):
        return False
    position, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if position & 1 or position == last:
            found = node_hash(sibling, found)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and found == root


def verify_consistency(
    *, old: int, new: int, old_root: Hash, new_root: Hash, path: Sequence[Hash]
) -> bool:
    """Whether the newer tree extends the older one (RFC 9162, section 2.1.4.2)."""
    if not 0 < old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    hashes = [old_root, *path] if old & (old - 1) == 0 else list(path)
    if not hashes:
        return False
    position, last = old - 1, new - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            after = node_hash(after, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and (before, after) == (old_root, new_root)
