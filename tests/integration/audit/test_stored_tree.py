"""K3: the inner hashes of a log, kept so that proofs read little."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry, AuditSubtree
from dpgov.audit.stored_tree import LogHasGap, StoredTree
from dpgov.audit.tree import root_at
from tests.integration.audit.logs import TENANT, write
from tests.unit.audit.roots import root_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


def test_subtrees_are_stored_at_checkpoints_and_never_while_appending() -> None:
    """K3: what makes proofs fast costs an entry nothing."""
    write(600)
    assert not AuditSubtree.objects.exists()
    write(1)
    assert make_checkpoint(tenant_id=TENANT)
    assert list(AuditSubtree.objects.values_list("level", "index")) == [(1, 0), (1, 1)]
    leaves = AuditEntry.objects.order_by("sequence").values_list("leaf_hash", flat=True)
    first = root_of([bytes(leaf) for leaf in leaves[:256]])
    assert StoredTree(TENANT).node(8, 0) == first


@pytest.mark.parametrize("size", [1, 255, 256, 257, 512, 601])
def test_the_edge_of_the_tree_is_read_in_one_statement_and_makes_the_same_root(size: int) -> None:
    write(601)
    assert make_checkpoint(tenant_id=TENANT)
    tree = StoredTree(TENANT)
    with CaptureQueriesContext(connection) as captured:
        tree.read_edge(size)
        root = root_at(size, tree.node)
    assert len(captured) == 1
    leaves = AuditEntry.objects.order_by("sequence").values_list("leaf_hash", flat=True)
    assert root == root_of([bytes(leaf) for leaf in leaves[:size]])


def test_a_gap_in_the_edge_is_told_to_whoever_asks_for_the_root() -> None:
    """K3: reading ahead hides nothing and ends nothing. No inner hash is stored here yet."""
    write(601)
    tree = StoredTree(TENANT)
    tree.read_edge(601)
    with pytest.raises(LogHasGap):
        root_at(601, tree.node)
