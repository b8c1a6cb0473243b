"""G2: the verifier as an outsider runs it, with files and a few folders of the source."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from dpgov.audit.verify import BROKEN, HOLDS
from tests.house.tree import ROOT
from tests.unit.audit.exports import files, log, note


def test_the_verifier_runs_without_any_framework_or_settings(tmp_path: Path) -> None:
    """G2: a process of its own, with an empty environment, that never imports Django."""
    script = (
        "import sys; from dpgov.audit.verify import main; code = main(sys.argv[1:]); "
        "bad = {name.split('.')[0] for name in sys.modules} & {'django', 'rest_framework', "
        "'celery', 'environ', 'psycopg', 'structlog'}; "
        "sys.exit(f'imported {bad}' if bad else code)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script, *files(tmp_path, log(), note(log()))],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (HOLDS, "")
    module = [sys.executable, "-m", "dpgov.audit.verify"]
    broken = subprocess.run(
        [*module, *files(tmp_path, log()[:-1], note(log()))],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert broken.returncode == BROKEN
    assert "the end was cut off" in broken.stdout


def test_what_is_handed_over_is_enough_to_verify_with(tmp_path: Path) -> None:
    """G2: of the source no more than the guide for outsiders names."""
    guide = (ROOT / "docs/how-to/prove-the-log.md").read_text()
    named = re.search(r"\n4\. Of the source (.*?)\n\n", guide, re.DOTALL)
    assert named is not None
    for part in re.findall(r"`(dpgov/[\w./]+)`", named[1]):
        source, copy = ROOT / part, tmp_path / part
        copy.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "locale"))
        else:
            shutil.copy(source, copy)
    modules = (
        "import dpgov.audit.receipts.verify, dpgov.audit.archive.parquet as p; print(p.__file__)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", modules], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (loaded.stderr, loaded.stdout.startswith(str(tmp_path))) == ("", True)
    finished = subprocess.run(
        [sys.executable, "-m", "dpgov.audit.verify", *files(tmp_path, log(), note(log()))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (HOLDS, "")
