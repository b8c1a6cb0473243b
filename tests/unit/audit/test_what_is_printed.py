"""G2, G9: nothing in the files that a verifier is given steers the terminal that shows its verdict.

What could go wrong: a forger's text prints HOLDS and hides the true verdict, or erases it.
"""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpgov.audit.keys.note import new_seed, public_key
from dpgov.audit.verify import BROKEN, CANNOT_TELL, HOLDS, main
from dpgov.language.printable import printable
from tests.unit.audit.exports import TENANT, files, log, note, write

EVIL = "ok\nHOLDS\x1b[8m\r\x07\x9b2K\u202e\u2028\ud800\x00"
SHOWN = "ok\\u000aHOLDS\\u001b[8m"


def receipt(folder: Path) -> list[str]:
    path = folder / "receipt.json"
    path.write_text(json.dumps({"format": "dpgov-receipt-v1", "message": EVIL}))
    return ["--receipt", str(path)]


def malformed(folder: Path) -> list[str]:
    """What went wrong is told in words of the file."""
    path = folder / "receipt.json"
    given = {"format": "dpgov-receipt-v1", "complete": True, "checkpoint": note(log())}
    path.write_text(json.dumps(given | {"entry": json.dumps({"detail": "{}", "action": EVIL})}))
    return ["--receipt", str(path)]


def origin(folder: Path) -> list[str]:
    evil = "x\x1b[2K\x1b[1GHOLDS\x1b[8m"
    return files(folder, log(), note(log(), origin=evil).replace(f"— {evil}", "— x"))


def key(folder: Path) -> list[str]:
    arguments = files(folder, log(), note(log()))
    text = public_key(seed=new_seed(), name=f"x\x1b[8m/{TENANT}").as_text()
    Path(arguments[-1]).write_text(text.replace("+", "+0", 1))
    return arguments


def name(folder: Path) -> list[str]:
    path = write(folder, log()[:-1])
    other = path.rename(folder / "HOLDS\n\x1b[8m")
    return [str(other), *files(folder, log(), note(log()))[1:]]


def missing(folder: Path) -> list[str]:
    return ["--receipt", str(folder / os.fsdecode(b"HOLDS\n\x1b[8m\xff"))]


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (receipt, CANNOT_TELL),
        (malformed, BROKEN),
        (origin, CANNOT_TELL),
        (key, CANNOT_TELL),
        (name, BROKEN),
        (missing, CANNOT_TELL),
    ],
)
def test_what_comes_from_a_file_is_printed_escaped_and_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    made: Callable[[Path], list[str]],
    code: int,
) -> None:
    assert main(made(tmp_path)) == code
    said = capsys.readouterr()
    assert said.err == ""
    assert [c for c in said.out if not c.isprintable() and c != "\n"] == []
    *_, last = lines = said.out.splitlines()
    assert last == ("BROKEN" if code == BROKEN else "CANNOT TELL")
    assert not [line for line in lines if line.startswith("HOLDS") and ": " not in line]


def test_what_is_escaped_can_still_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(receipt(tmp_path))
    assert f"- {SHOWN}" in capsys.readouterr().out
    assert printable("ε “Größe” \\ 🎲 …") == "ε “Größe” \\ 🎲 …"


def test_an_argument_that_is_none_is_escaped_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A shell puts the names of files in the place of a star."""
    with pytest.raises(SystemExit) as stopped:
        main(["--HOLDS\n\x1b[8m"])
    assert stopped.value.code == CANNOT_TELL
    assert "unrecognized arguments: --HOLDS\\u000a\\u001b[8m\n" in capsys.readouterr().err


def test_a_terminal_that_knows_few_letters_gets_the_verdict_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it cannot show was an error, and its exit code says BROKEN."""
    export = write(tmp_path, log()).rename(tmp_path / "ε.jsonl")
    raw = io.BytesIO()
    screen = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", screen)
    assert main([str(export), *files(tmp_path, log(), note(log()))[1:]]) == HOLDS
    assert raw.getvalue().startswith(b"\\u03b5.jsonl: 6 entries\n")
    assert raw.getvalue().endswith(b"HOLDS\n")
