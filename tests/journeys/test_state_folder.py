"""L24: what the whole product leaves in its state folder, started with the usual file mode mask."""

import os
import subprocess
import sys
from pathlib import Path

from tests.journeys.product import ROOT, Product

_LETTER = "from django.core.mail import send_mail; send_mail('x', 'x', None, ['nora@example.org'])"


def test_nobody_else_reads_or_writes_anything_in_the_state_folder(product: Product) -> None:
    """L24: the folder is closed, and so is everything in it, should the folder once be opened."""
    state = product.home / "state"
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", _LETTER],
        cwd=ROOT,
        env=os.environ | {"DPGOV_HOME": str(state)},
        umask=0o022,
        check=True,
        capture_output=True,
    )
    # What is served to everybody is nobody's secret.
    public = state / "static"
    found = [path for path in (state, *state.rglob("*")) if not path.is_relative_to(public)]
    names = {path.relative_to(state).parts[0] for path in found[1:]}
    # Beside a database server every key is given, and none is made here.
    assert {"mail", "logs"} <= names
    assert {"secret_key", "fingerprint_key"} & names == (
        set() if product.database else {"secret_key", "fingerprint_key"}
    )
    assert {str(path): oct(_mode(path)) for path in found if _mode(path) & 0o077} == {}


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:  # a message that a worker took meanwhile
        return 0
