"""S3, G3: a key is believed when the one before has signed its name, not for being listed."""

from pathlib import Path

import pytest

from dpgov.audit.keys.key_chain import (
    ListedKey,
    announcement,
    beginning,
    follow,
    merged,
    parse_list,
    signatures_in,
)
from dpgov.audit.keys.note import (
    NotSigned,
    PublicKey,
    UnreadableKey,
    new_seed,
    opened,
    parse_note,
    public_key,
    sign,
)
from dpgov.audit.verify import BROKEN, HOLDS, main
from tests.unit.audit.exports import KEY, ORIGIN, SEED, TENANT, log, note, write

NEXT_SEED, LAST_SEED, STRANGER = new_seed(), new_seed(), new_seed()


def key(seed: str, name: str = ORIGIN) -> PublicKey:
    return public_key(seed=seed, name=name)


def announced(seed: str, *, by: str) -> ListedKey:
    return ListedKey(key(seed), signatures_in(announcement(key(seed), seed=by)))


FIRST, NEXT = ListedKey(KEY), announced(NEXT_SEED, by=SEED)
LAST, PLANTED = announced(LAST_SEED, by=NEXT_SEED), ListedKey(key(STRANGER))


def test_trust_passes_from_each_key_to_the_next() -> None:
    """S3"""
    chain = follow([FIRST, NEXT, LAST])
    assert chain.keys == [KEY, key(NEXT_SEED), key(LAST_SEED)]
    assert follow(parse_list(chain.as_text())) == chain


@pytest.mark.parametrize(
    "planted",
    [
        PLANTED,
        ListedKey(PLANTED.key, NEXT.signatures),
        announced(STRANGER, by=STRANGER),
        ListedKey(PLANTED.key, ("— damaged",)),
    ],
    ids=["alone", "with another key's signature", "signed by itself", "with no signature"],
)
def test_a_key_that_nobody_before_it_signed_is_refused_wherever_it_stands(
    planted: ListedKey,
) -> None:
    """S3"""
    for listed in ([FIRST, planted, NEXT, LAST], [FIRST, NEXT, LAST, planted]):
        chain = follow(listed)
        assert chain.keys == [KEY, key(NEXT_SEED), key(LAST_SEED)]
        assert chain.refused == (PLANTED.key,)


def test_a_key_that_was_replaced_names_no_other_one() -> None:
    """S3: whoever finds an old private key cannot begin another branch behind the new one."""
    assert follow([FIRST, NEXT, announced(STRANGER, by=SEED)]).refused == (PLANTED.key,)


def test_each_log_has_a_chain_of_its_own() -> None:
    other = ListedKey(key(STRANGER, name="dpgov/another"))
    assert follow([FIRST, other, NEXT]).keys == [KEY, other.key, key(NEXT_SEED)]


def test_a_second_name_for_one_log_needs_the_signature_of_the_key_before() -> None:
    """S3: whatever stands before the tenant in a name, the tenant has one chain."""
    renamed = key(NEXT_SEED, name=f"elsewhere/{TENANT}")
    own = ListedKey(renamed, signatures_in(announcement(renamed, seed=NEXT_SEED)))
    for planted in (ListedKey(renamed), own):
        assert follow([FIRST, planted]).refused == (renamed,)
    succession = "\n".join(announcement(renamed, seed=SEED).split("\n")[:3])
    signed = sign(f"{succession}\n", seeds=[SEED], name=ORIGIN)
    assert follow([FIRST, ListedKey(renamed, signatures_in(signed))]).keys == [KEY, renamed]


def test_of_one_log_no_key_of_another_is_believed() -> None:
    """S3"""
    for name in ("dpgov/another", "dpgov", f"{ORIGIN}9"):
        other = ListedKey(key(STRANGER, name=name))
        assert follow([other, FIRST, other], log=TENANT).keys == [KEY]


def test_lists_complete_each_other() -> None:
    """What was published bare is believed when the log has the signature."""
    bare = [FIRST, ListedKey(NEXT.key)]
    assert follow(bare).refused == (NEXT.key,)
    assert follow(merged(bare, [FIRST, NEXT])).keys == [KEY, NEXT.key]


def test_a_line_that_is_nothing_is_said_to_be_so() -> None:
    with pytest.raises(UnreadableKey):
        parse_list(f"{KEY.as_text()}\nsomething else\n")
    with pytest.raises(UnreadableKey):
        parse_list(NEXT.signatures[0])


BEGUN = ListedKey(NEXT.key, (*NEXT.signatures, beginning(NEXT.key, seed=NEXT_SEED, size=4).strip()))


@pytest.mark.parametrize(
    ("size", "seeds", "holds"),
    [
        (3, [SEED], True),
        (4, [SEED], False),
        (6, [SEED], False),
        (4, [SEED, NEXT_SEED], True),
        (6, [NEXT_SEED], True),
        (3, [NEXT_SEED], True),
    ],
)
def test_a_key_ends_where_the_next_one_says_that_it_begins(
    size: int, seeds: list[str], holds: bool, tmp_path: Path
) -> None:
    """S3: whoever finds an old private key signs no later log with it; what both signed holds."""
    lines = log(size)
    signed = sign(parse_note(note(lines)).text, seeds=seeds, name=ORIGIN)
    (tmp_path / "note").write_text(signed)
    (tmp_path / "keys").write_text(FIRST.as_text() + BEGUN.as_text())
    arguments = [str(write(tmp_path, lines)), str(tmp_path / "note")]
    assert main([*arguments, "--key", str(tmp_path / "keys")]) == (HOLDS if holds else BROKEN)


def test_an_old_key_ends_at_the_first_one_that_follows() -> None:
    """S3: also where one in between does not say so, as lists of before have it."""
    last = ListedKey(
        LAST.key, (*LAST.signatures, beginning(LAST.key, seed=LAST_SEED, size=9).strip())
    )
    for between, ends in ((NEXT, [9, 9, None]), (BEGUN, [4, 9, None])):
        chain = follow([FIRST, between, last])
        assert [one.until for one in chain.keys] == ends
        assert [one.until for one in follow(parse_list(chain.as_text())).keys] == ends


@pytest.mark.parametrize("seed", [SEED, STRANGER, LAST_SEED], ids=["old", "stranger", "last"])
def test_no_other_key_says_where_one_begins(seed: str) -> None:
    """S3: the old private key does not move its own end, nor does whoever writes into the list."""
    line = beginning(NEXT.key, seed=seed, size=2).strip()
    for lines in ((line,), (BEGUN.signatures[-1].replace("since-4", "since-2"),)):
        chain = follow([FIRST, ListedKey(NEXT.key, (*NEXT.signatures, *lines))])
        assert (chain.keys[0].until, chain.believed[1].signatures) == (None, NEXT.signatures)


def test_a_forged_signature_of_an_ended_key_is_one_too_many() -> None:
    """S3, G3: beside a good one, as for any known key."""
    keys = follow([FIRST, BEGUN]).keys
    good, forged = note(log(), seed=NEXT_SEED), note(log(5)).splitlines()[-1]
    assert opened(good, keys)
    with pytest.raises(NotSigned, match="forged"):
        opened(f"{good}{forged}\n", keys)


def test_the_verifier_believes_the_chain_and_no_planted_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S3: the same export, signed by the next key, by a stranger's, by a stranger's in the list."""
    export = write(tmp_path, log())
    signed = {seed: tmp_path / f"{n}" for n, seed in enumerate((NEXT_SEED, STRANGER))}
    for seed, path in signed.items():
        path.write_text(note(log(), seed=seed))
    keys = tmp_path / "public-keys.txt"
    for listed, seed, result in (
        ([FIRST, NEXT], NEXT_SEED, HOLDS),
        ([FIRST, PLANTED, NEXT], NEXT_SEED, HOLDS),
        ([FIRST, NEXT, PLANTED], STRANGER, BROKEN),
    ):
        keys.write_text("".join(one.as_text() for one in listed))
        assert main([str(export), str(signed[seed]), "--key", str(keys)]) == result
    said = capsys.readouterr().out
    assert f"Key {PLANTED.key.key_id.hex()} is not believed" in said
