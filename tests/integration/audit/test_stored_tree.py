"""K3: the inner hashes of a log, kept so that proofs read little."""

from pathlib import Path
from typing import Any

import pytest

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry, AuditSubtree
from dpgov.audit.stored_tree import StoredTree
from dpgov.audit.tree import root_of
from tests.integration.audit.logs import TENANT, write

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"


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
