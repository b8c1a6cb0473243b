"""S3, G3: a key is believed when the one before has signed its name, not for being listed."""

from pathlib import Path

import pytest

from dpgov.audit.keys.key_chain import (
    Listed,
    announcement,
    follow,
    merged,
    parse_list,
    signatures_in,
)
from dpgov.audit.keys.note import PublicKey, UnreadableKey, new_seed, public_key
from dpgov.audit.verify import BROKEN, HOLDS, main
from tests.unit.audit.exports import KEY, ORIGIN, SEED, log, note, write

NEXT_SEED, LAST_SEED, STRANGER = new_seed(), new_seed(), new_seed()


def key(seed: str, name: str = ORIGIN) -> PublicKey:
    return public_key(seed=seed, name=name)


def announced(seed: str, *, by: str) -> Listed:
    return Listed(key(seed), signatures_in(announcement(key(seed), seed=by)))


FIRST, NEXT = Listed(KEY), announced(NEXT_SEED, by=SEED)
LAST, PLANTED = announced(LAST_SEED, by=NEXT_SEED), Listed(key(STRANGER))


def test_trust_passes_from_each_key_to_the_next() -> None:
    """S3"""
    chain = follow([FIRST, NEXT, LAST])
    assert chain.keys == [KEY, key(NEXT_SEED), key(LAST_SEED)]
    assert follow(parse_list(chain.as_text())) == chain


@pytest.mark.parametrize(
    "planted",
    [
        PLANTED,
        Listed(PLANTED.key, NEXT.signatures),
        announced(STRANGER, by=STRANGER),
        Listed(PLANTED.key, ("— damaged",)),
    ],
    ids=["alone", "with another key's signature", "signed by itself", "with no signature"],
)
def test_a_key_that_nobody_before_it_signed_is_refused_wherever_it_stands(planted: Listed) -> None:
    """S3"""
    for listed in ([FIRST, planted, NEXT, LAST], [FIRST, NEXT, LAST, planted]):
        chain = follow(listed)
        assert chain.keys == [KEY, key(NEXT_SEED), key(LAST_SEED)]
        assert chain.refused == (PLANTED.key,)


def test_a_key_that_was_replaced_names_no_other_one() -> None:
    """S3: whoever finds an old private key cannot begin another branch behind the new one."""
    assert follow([FIRST, NEXT, announced(STRANGER, by=SEED)]).refused == (PLANTED.key,)


def test_each_log_has_a_chain_of_its_own() -> None:
    other = Listed(key(STRANGER, name="dpgov/another"))
    assert follow([FIRST, other, NEXT]).keys == [KEY, other.key, key(NEXT_SEED)]


def test_lists_complete_each_other() -> None:
    """What was published bare is believed when the log has the signature."""
    bare = [FIRST, Listed(NEXT.key)]
    assert follow(bare).refused == (NEXT.key,)
    assert follow(merged(bare, [FIRST, NEXT])).keys == [KEY, NEXT.key]


def test_a_line_that_is_nothing_is_said_to_be_so() -> None:
    with pytest.raises(UnreadableKey):
        parse_list(f"{KEY.as_text()}\nsomething else\n")
    with pytest.raises(UnreadableKey):
        parse_list(NEXT.signatures[0])


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
