"""G3: signed checkpoints in the public format, and every way to forge one."""

import pytest

from dpgov.audit.keys.note import (
    Checkpoint,
    NotSigned,
    UnreadableKey,
    UnreadableNote,
    check_signed,
    new_seed,
    opened,
    parse_checkpoint,
    parse_note,
    parse_public_key,
    public_key,
    sign,
)

# The example of the format's own specification (c2sp.org/signed-note).
EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
EXAMPLE = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ON"
    "ncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
NAME = "dpgov/00000000-0000-0000-0000-000000000007"
SEED, OTHER = new_seed(), new_seed()
KEY = public_key(seed=SEED, name=NAME)
HEAD = Checkpoint(origin=NAME, size=12, root=bytes(range(32)))


def note_by(*seeds: str, name: str = NAME) -> str:
    return sign(HEAD.as_text(), seeds=seeds, name=name)


def test_the_example_of_the_specification_is_accepted() -> None:
    """G3: interoperable, both ways of writing a key included."""
    key = parse_public_key(EXAMPLE_KEY)
    check_signed(EXAMPLE, [key])
    assert key.as_text() == EXAMPLE_KEY


def test_one_changed_letter_of_the_example_is_found() -> None:
    """G3"""
    with pytest.raises(NotSigned, match="forged"):
        check_signed(EXAMPLE.replace("example m", "examplE m"), [parse_public_key(EXAMPLE_KEY)])


def test_what_was_signed_is_read_back() -> None:
    assert opened(note_by(SEED), [KEY]) == HEAD
    assert note_by(SEED).startswith(f"{NAME}\n12\nAAECAwQF")


@pytest.mark.parametrize("position", range(0, 200, 3))
def test_no_flipped_bit_of_a_checkpoint_goes_unnoticed(position: int) -> None:
    """G3"""
    raw = bytearray(note_by(SEED).encode())
    raw[position % len(raw)] ^= 1
    with pytest.raises((NotSigned, UnreadableNote)):
        opened(raw.decode(errors="replace"), [KEY])


def test_a_checkpoint_of_another_key_proves_nothing() -> None:
    """G3: also one whose line claims the id of the right key."""
    with pytest.raises(NotSigned, match="not signed by a known key"):
        opened(note_by(OTHER), [KEY])
    with pytest.raises(NotSigned, match="not signed by a known key"):
        opened(note_by(SEED), [])


def test_a_key_counts_for_the_log_of_its_own_name_alone() -> None:
    """G3: another tenant's checkpoint is no checkpoint of this log, though the key is the same."""
    foreign = Checkpoint(origin=f"{NAME}8", size=12, root=HEAD.root)
    signed = sign(foreign.as_text(), seeds=[SEED], name=foreign.origin)
    with pytest.raises(NotSigned):
        opened(signed, [KEY])
    borrowed = sign(foreign.as_text(), seeds=[SEED], name=NAME)
    with pytest.raises(NotSigned):
        opened(borrowed, [KEY])


def test_a_forged_signature_beside_a_good_one_is_one_too_many() -> None:
    good = note_by(SEED)
    line = note_by(OTHER).splitlines()[-1]
    assert opened(f"{good}{line}\n", [KEY]) == HEAD
    with pytest.raises(NotSigned, match="forged"):
        opened(f"{good}{line}\n".replace("\n12\n", "\n13\n"), [KEY])


def test_at_a_rotation_either_key_suffices() -> None:
    both = note_by(SEED, OTHER)
    assert len(parse_note(both).signatures) == 2
    for seed in (SEED, OTHER):
        assert opened(both, [public_key(seed=seed, name=NAME)]) == HEAD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "no signature\n",
        f"{NAME}\n12\n\n— x AAAAAAAA\n",
        f"{NAME}\n12\nAAAA\n\n— x AAAAAAAA\n",
        f"{NAME}\n012\n{'A' * 43}=\n\n— x AAAAAAAA\n",
        f"{NAME}\n-1\n{'A' * 43}=\n\n— x AAAAAAAA\n",
        f"{NAME}\n²\n{'A' * 43}=\n\n— x AAAAAAAA\n",
        f"{NAME}\n12\n{'A' * 43}=\n\n-- x AAAAAAAA\n",
        f"{NAME}\n12\n{'A' * 43}=\n\n— x AAAA\n",
        f"{NAME}\n12\n{'A' * 43}=\n\n— x AAAAAAAA",
        "x" * 1_000_001,
    ],
    ids=range(12),
)
def test_a_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(UnreadableNote):
        parse_checkpoint(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        f"{NAME}+00000000+{KEY.as_text().split('+', 2)[2]}",
        KEY.as_text().replace("+A", "+B", 1),
        KEY.as_text()[:-4],
        f" +{KEY.as_text()}",
    ],
    ids=range(6),
)
def test_a_text_that_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(UnreadableKey):
        parse_public_key(text)


@pytest.mark.parametrize("seed", ["", "short", "A" * 43, "=" * 44, "é" * 44])
def test_a_private_key_of_another_form_is_refused_and_never_repeated(seed: str) -> None:
    with pytest.raises(UnreadableKey) as refusal:
        public_key(seed=seed, name=NAME)
    assert not seed or seed not in str(refusal.value)
