"""G2: an export that is worth several processes is judged as one that is not."""

from pathlib import Path

import pytest

from dpgov.audit.verify import ExportVerdict, verify_export
from tests.unit.audit.exports import KEY, Lines, line, log, note, write


def verdict(folder: Path, lines: Lines, *notes: str) -> ExportVerdict:
    return verify_export(write(folder, lines), notes, keys=[KEY])


def test_a_large_export_is_judged_alike_by_several_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G2: parts are put together in order, and a change in any of them is found."""
    monkeypatch.setattr("dpgov.audit.exported._WORTH_A_PROCESS", 0)
    monkeypatch.setattr("dpgov.audit.exported._CHUNK", 20_000)
    lines = log(700)
    notes = [note(lines[:300]), note(lines)]
    assert verdict(tmp_path, lines, *notes).agreeing == [300, 700]
    found = verdict(tmp_path, [*lines[:650], line(651, subject="x"), *lines[651:]], *notes)
    assert found.agreeing == [300]
    assert "The first 700 entries" in found.problems[0]
    found = verdict(tmp_path, [*lines[:400], *lines[401:]], *notes)
    assert "Entry 401 is not in its place: line 401 holds entry 402" in found.problems[0]
    assert "Entries 1 to 300 agree" in found.problems[0]
