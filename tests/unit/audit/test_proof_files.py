"""G2: files that are no proof of an entry, or a broken one, given to the verifier."""

import json
from pathlib import Path

import pytest

from dpgov.audit.verify import BROKEN, CANNOT_TELL, main
from tests.unit.audit.exports import log, note


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


@pytest.mark.parametrize("member", ["entry", "detail"])
def test_a_receipt_that_is_nested_without_end_is_malformed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], member: str
) -> None:
    """In the text of the entry, or in that of its detail."""
    deep = "[" * 100_000
    entry = deep if member == "entry" else json.dumps({"detail": deep})
    checkpoint = note(log())
    path = tmp_path / "proof.json"
    given = {"format": "dpgov-receipt-v1", "complete": True, "entry": entry}
    path.write_text(json.dumps(given | {"checkpoint": checkpoint}))
    assert main(["--receipt", str(path)]) == BROKEN
    said = capsys.readouterr().out
    assert "The receipt is malformed: RecursionError" in said
    assert said.endswith("\nBROKEN\n")


@pytest.mark.parametrize("message", [["a"] * 3, {"a": 1}, 7, "", None])
def test_a_message_that_is_no_text_is_not_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], message: object
) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps({"format": "dpgov-receipt-v1", "message": message}))
    assert main(["--receipt", str(path)]) == CANNOT_TELL
    assert capsys.readouterr().out == "- The receipt holds no proof yet.\nCANNOT TELL\n"
