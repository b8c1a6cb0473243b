"""G2, G3: whatever is done to an exported log, a verifier that has only files finds it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dpgov.audit.entry import canonical_json
from dpgov.audit.keys.note import new_seed, parse_checkpoint, public_key
from dpgov.audit.tree import CompactRange
from dpgov.audit.verify import BROKEN, CANNOT_TELL, HOLDS, ExportVerdict, main, verify_export
from tests.unit.audit.exports import KEY, ORIGIN, TENANT, Lines, files, line, log, note, write

OTHER_TENANT = TENANT[:-1] + "8"


def verdict(folder: Path, lines: Lines, *notes: str) -> ExportVerdict:
    return verify_export(write(folder, lines), notes or [note(log())], keys=[KEY])


def test_an_untouched_log_agrees_with_its_checkpoints(tmp_path: Path) -> None:
    """G2"""
    found = verdict(tmp_path, log(), note(log(2)), note(log(5)), note(log()))
    assert found.intact
    assert (found.entries, found.agreeing) == (6, [2, 5, 6])
    assert found.root == parse_checkpoint(note(log())).root


@pytest.mark.parametrize("length", [1, 255, 256, 257, 700, 5_000])
def test_logs_of_many_blocks_agree_too(tmp_path: Path, length: int) -> None:
    """G2: checkpoints in the middle of a block included."""
    lines = log(length)
    sizes = sorted({1, max(1, length // 3), max(1, length - 1), length})
    found = verdict(tmp_path, lines, *(note(lines[:size]) for size in reversed(sizes)))
    assert found.intact
    assert found.agreeing == sizes


@pytest.mark.parametrize("position", range(0, 2_000, 7))
def test_any_flipped_bit_of_the_file_is_found(tmp_path: Path, position: int) -> None:
    """G2"""
    path = write(tmp_path, log())
    raw = bytearray(path.read_bytes())
    raw[position % len(raw)] ^= 1 << (position % 8)
    path.write_bytes(raw)
    assert not verify_export(path, [note(log())], keys=[KEY]).intact


def swap(lines: Lines) -> Lines:
    return [lines[0], lines[2], lines[1], *lines[3:]]


def swap_and_renumber(lines: Lines) -> Lines:
    return [lines[0], line(2, subject="query:3"), line(3, subject="query:2"), *lines[3:]]


def drop(lines: Lines) -> Lines:
    return lines[:2] + lines[3:]


def drop_and_renumber(lines: Lines) -> Lines:
    kept = [1, 2, 4, 5, 6]
    return [line(place, subject=f"query:{n}") for place, n in enumerate(kept, start=1)]


def drop_first(lines: Lines) -> Lines:
    return lines[1:]


def repeat(lines: Lines) -> Lines:
    return [*lines[:3], lines[2], *lines[3:]]


def insert_and_renumber(lines: Lines) -> Lines:
    said = [1, 2, 3, "forged", 4, 5, 6]
    return [line(place, subject=f"query:{n}") for place, n in enumerate(said, start=1)]


def gap(lines: Lines) -> Lines:
    return [*lines[:5], line(7)]


def cut_tail(lines: Lines) -> Lines:
    return lines[:-1]


def cut_all(lines: Lines) -> Lines:
    return []


def rewrite(lines: Lines) -> Lines:
    return [*lines[:2], line(3, actor_label="nobody@example.org"), *lines[3:]]


def foreign_entry(lines: Lines) -> Lines:
    return [*lines[:2], line(3, tenant_id=OTHER_TENANT), *lines[3:]]


def foreign_log(lines: Lines) -> Lines:
    return [line(number, tenant_id=OTHER_TENANT) for number in range(1, 7)]


def spaces(lines: Lines) -> Lines:
    return [lines[0].replace(b",", b", ", 1), *lines[1:]]


def windows_newlines(lines: Lines) -> Lines:
    return [text + b"\r" for text in lines]


def not_json(lines: Lines) -> Lines:
    return [b"hello", *lines[1:]]


def empty_line(lines: Lines) -> Lines:
    return [*lines[:3], b"", *lines[3:]]


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (swap, "Entry 2 is not in its place: line 2 holds entry 3"),
        (swap_and_renumber, "The first 6 entries are not those"),
        (drop, "Entry 3 is not in its place: line 3 holds entry 4"),
        (drop_and_renumber, "ends at entry 5"),
        (drop_first, "Entry 1 is not in its place: line 1 holds entry 2"),
        (repeat, "Entry 4 is not in its place: line 4 holds entry 3"),
        (insert_and_renumber, "The first 6 entries are not those"),
        (gap, "Entry 6 is not in its place: line 6 holds entry 7"),
        (cut_tail, "ends at entry 5"),
        (cut_all, "ends at entry 0"),
        (rewrite, "The first 6 entries are not those"),
        (foreign_entry, "Entry 3 belongs to another tenant's log"),
        (spaces, "The first 6 entries are not those"),
        (windows_newlines, "Line 1 is not an entry"),
        (not_json, "Line 1 is not an entry"),
        (empty_line, "Line 4 is not an entry"),
    ],
)
def test_a_changed_log_is_found_and_said_in_words(
    tmp_path: Path, tamper: Callable[[Lines], Lines], said: str
) -> None:
    """G2"""
    found = verdict(tmp_path, tamper(log()))
    assert not found.intact
    assert said in " ".join(found.problems)


def test_an_earlier_checkpoint_tells_where_the_change_begins(tmp_path: Path) -> None:
    """G2"""
    found = verdict(tmp_path, rewrite(log()), note(log(2)), note(log()))
    assert "Entries 1 to 2 agree with an earlier checkpoint" in found.problems[0]


def test_a_log_whose_numbers_have_a_gap_is_found_though_it_was_signed_so(tmp_path: Path) -> None:
    """G2: a signature does not make a gap good."""
    signed_so = gap(log())
    assert not verdict(tmp_path, signed_so, note(signed_so)).intact


def test_a_rebuilt_log_is_found_against_a_checkpoint_kept_elsewhere(tmp_path: Path) -> None:
    """G3: the forger has the code and the whole database, and signs with a key of their own."""
    rebuilt, forger = rewrite(log()), new_seed()
    found = verdict(tmp_path, rebuilt, note(rebuilt, seed=forger))
    assert "not signed by a known key" in found.problems[0]
    assert not verdict(tmp_path, rebuilt, note(log())).intact


def test_nothing_typed_into_a_field_passes_for_the_number(tmp_path: Path) -> None:
    """G9, G2: quotes are escaped inside a text, however deep."""
    evil = '","sequence":1,"x":"'
    deep = canonical_json({"sequence": 1, evil: [evil, '"sequence":1,']})
    lines = [line(2, subject=evil, dataset=evil, actor_label=evil, detail=deep)]
    found = verdict(tmp_path, lines, note(lines))
    assert "line 1 holds entry 2" in found.problems[0]
    good = [line(1, subject=evil, dataset=evil, actor_label=evil, detail=deep)]
    assert verdict(tmp_path, good, note(good)).intact


def test_a_line_without_an_end_is_cut_off(tmp_path: Path) -> None:
    path = write(tmp_path, log())
    path.write_bytes(path.read_bytes()[:-1])
    found = verify_export(path, [note(log(5))], keys=[KEY])
    assert "cut off" in found.problems[0]


def test_a_file_of_one_endless_line_is_refused_early(tmp_path: Path) -> None:
    path = tmp_path / "endless.jsonl"
    path.write_bytes(b"x" * 1_200_000)
    assert "longer than any entry" in verify_export(path, [note(log())], keys=[KEY]).problems[0]


def test_the_tree_grows_the_same_in_blocks_and_one_by_one() -> None:
    whole, single = CompactRange(), CompactRange()
    leaves = [bytes([n % 256]) * 32 for n in range(1_000)]
    whole.extend(leaves)
    for leaf in leaves:
        single.extend([leaf])
    assert whole.root() == single.root()


def test_the_command_says_holds_broken_or_cannot_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(files(tmp_path, log(8), note(log(3)), note(log()))) == HOLDS
    said = capsys.readouterr().out
    assert "agrees with the checkpoint of 3 entries" in said
    assert "the last 2 entries are newer than every checkpoint" in said
    assert said.endswith("HOLDS up to entry 6\n")
    assert main(files(tmp_path, log(), note(log(3)), note(log()))) == HOLDS
    assert capsys.readouterr().out.endswith("\nHOLDS\n")
    assert main(files(tmp_path, rewrite(log()), note(log()))) == BROKEN
    assert capsys.readouterr().out.endswith("BROKEN\n")
    assert main([*files(tmp_path, log(), note(log()))[:2], "--key", "nowhere"]) == CANNOT_TELL
    assert main([str(write(tmp_path, log()))]) == CANNOT_TELL
    assert main(files(tmp_path, log(), "not a note")) == CANNOT_TELL
    assert capsys.readouterr().out.endswith("CANNOT TELL\n")


def test_newer_entries_that_were_changed_are_not_said_to_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """L21: no checkpoint covers entry 8, so nothing shows that it was rewritten."""
    lines = [*log(7), line(8, actor_label="nobody@example.org")]
    assert main(files(tmp_path, lines, note(log()))) == HOLDS
    said = capsys.readouterr().out
    assert "nothing here shows whether they were changed" in said
    assert said.endswith("\nHOLDS up to entry 6\n")
    assert main(files(tmp_path, lines, note(log()), note(log(8)))) == BROKEN


def test_a_checkpoint_of_another_log_is_left_out_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """L21: a folder may hold the checkpoints of several logs, signed with several keys."""
    theirs = note(foreign_log([]), seed=new_seed(), origin=f"dpgov/{OTHER_TENANT}")
    assert main(files(tmp_path, log(), theirs, note(log()))) == HOLDS
    said = capsys.readouterr().out
    assert f"not of this log, ignored: a checkpoint of dpgov/{OTHER_TENANT}" in said
    assert said.endswith("\nHOLDS\n")
    assert main(files(tmp_path, log(), theirs)) == CANNOT_TELL
    assert main(files(tmp_path, foreign_log([]), note(log()))) == CANNOT_TELL
    assert main(files(tmp_path, rewrite(log()), theirs, note(log()))) == BROKEN


def test_without_a_key_the_command_says_that_nobody_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """G3"""
    assert main(files(tmp_path, log(), note(log()))[:2]) == HOLDS
    assert "Signatures were NOT checked" in capsys.readouterr().out


def test_a_key_of_another_log_signs_nothing_here(tmp_path: Path) -> None:
    """G3"""
    seed = new_seed()
    arguments = files(tmp_path, log(), note(log(), seed=seed))
    other = public_key(seed=seed, name=f"{ORIGIN}9")
    (tmp_path / "keys.txt").write_text(f"{other.as_text()}\n")
    assert main(arguments) == BROKEN


def test_a_verifier_without_what_archives_are_read_with_calls_nothing_forged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """G2: a script reads the exit code, which said BROKEN."""

    def lacks(*_: object) -> int:
        raise ModuleNotFoundError(name="pyarrow")

    monkeypatch.setattr("dpgov.audit.verify._export", lacks)
    assert main([str(write(tmp_path, log()))]) == CANNOT_TELL
    assert "pyarrow, which is not installed" in capsys.readouterr().out
