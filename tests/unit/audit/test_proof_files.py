"""G2: files that are no proof of an entry, or a broken one, given to the verifier."""

import json
from pathlib import Path

import pytest

from dpgov.audit.verify import BROKEN, CANNOT_TELL, main


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "other"}', "[" * 100_000])
def test_a_file_that_is_no_proof_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "proof.json"
    path.write_text(text)
    assert main(["--receipt", str(path)]) == CANNOT_TELL
    assert main(["--consistency", str(path)]) == CANNOT_TELL


def test_a_malformed_proof_is_broken_and_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps({"format": "dpgov-receipt-v1", "complete": True, "entry": 7}))
    assert main(["--receipt", str(path)]) == BROKEN
    path.write_text(json.dumps({"format": "dpgov-consistency-v1", "path": [7]}))
    assert main(["--consistency", str(path)]) == BROKEN
