"""The root of a log's tree, from all of its leaves at once."""

from collections.abc import Sequence

from dpgov.audit.tree import CompactRange, Hash


def root_of(leaves: Sequence[Hash]) -> Hash:
    """The root over these leaf hashes."""
    grown = CompactRange()
    grown.extend(leaves)
    return grown.root()
