"""The stand-alone verifier: `python -m dpgov.audit.verify EXPORT CHECKPOINT... --key KEYS`.

Needs the exported file, checkpoints that were kept elsewhere and the public key, and neither this
system nor its database: it imports no framework and reads no settings. With `--archive FILE...` the
entries of old months come from their archive files, for which it needs pyarrow. Ends with 0 when
everything holds, 1 when something does not, 2 when it cannot tell.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from dpgov.audit.archive.parquet import BrokenArchive
from dpgov.audit.archive.together import all_leaves
from dpgov.audit.exported import BrokenExport, tenant_of
from dpgov.audit.keys.key_chain import follow, parse_list
from dpgov.audit.keys.note import (
    Checkpoint,
    NotSigned,
    PublicKey,
    UnreadableKey,
    UnreadableNote,
    opened,
    parse_checkpoint,
)
from dpgov.audit.receipts.verify import (
    CONSISTENCY,
    RECEIPT,
    UnreadableProof,
    consistency_problems,
    parse_proof,
    receipt_problems,
    why_incomplete,
)
from dpgov.audit.tree import CompactRange, Hash
from dpgov.language.printable import printable

HOLDS, BROKEN, CANNOT_TELL = 0, 1, 2


class CannotTell(Exception):
    """A file is missing or is not what it should be, so nothing was verified."""


@dataclass(slots=True)
class ExportVerdict:
    """What was found: how many entries, their root, which checkpoints agree, and what is wrong.

    `left_out` are the origins of checkpoints of other logs, which say nothing about this one.
    """

    entries: int = 0
    root: Hash = b""
    agreeing: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def covered(self) -> int:
        """Up to which entry a checkpoint agrees: what is newer may still have been changed."""
        return max(self.agreeing, default=0)

    @property
    def intact(self) -> bool:
        """Whether nothing is wrong and at least one checkpoint says so."""
        return not self.problems and bool(self.agreeing)


def verify_export(
    path: Path,
    notes: Sequence[str],
    *,
    keys: Sequence[PublicKey] | None,
    archives: Sequence[Path] = (),
) -> ExportVerdict:
    """Check an exported log against checkpoints; with `keys` None, signatures are not looked at.

    `archives` hold the entries before those of the export, in any order. Raises UnreadableNote,
    OSError.
    """
    verdict = ExportVerdict()
    own = _own(notes, tenant_of(path), verdict)
    wanted = sorted(_believed(own, keys, verdict), key=lambda checkpoint: checkpoint.size)
    try:
        _compare(all_leaves(path, archives), wanted, verdict)
    except (BrokenExport, BrokenArchive) as broken:
        verdict.problems.append(f"{broken} {_where(verdict)}".strip())
    return verdict


def _own(notes: Sequence[str], tenant: str | None, verdict: ExportVerdict) -> list[str]:
    """Without the checkpoints of other logs: a folder may hold those of several."""
    own = []
    for note in notes:
        origin = parse_checkpoint(note).origin
        if tenant and not origin.endswith(f"/{tenant}"):
            verdict.left_out.append(origin)
        else:
            own.append(note)
    return own


def _believed(
    notes: Sequence[str], keys: Sequence[PublicKey] | None, verdict: ExportVerdict
) -> Iterable[Checkpoint]:
    for note in notes:
        checkpoint = parse_checkpoint(note)
        try:
            yield checkpoint if keys is None else opened(note, keys)
        except NotSigned as refusal:
            verdict.problems.append(
                f"The checkpoint of {checkpoint.size} entries proves nothing: {refusal}."
            )


def _compare(
    parts: Iterable[list[Hash]], checkpoints: list[Checkpoint], verdict: ExportVerdict
) -> None:
    """Grow the tree along the files, and stop at the size of each checkpoint to compare."""
    tree, waiting = CompactRange(), checkpoints
    waiting = _check_reached(tree, waiting, verdict)
    for leaves in parts:
        start = 0
        while start < len(leaves):
            stop = waiting[0].size - tree.size + start if waiting else len(leaves)
            tree.extend(leaves[start : min(stop, len(leaves))])
            start = stop
            waiting = _check_reached(tree, waiting, verdict)
        verdict.entries = tree.size
    verdict.root = tree.root()
    for checkpoint in waiting:
        verdict.problems.append(
            f"The export ends at entry {tree.size}, but the checkpoint was signed over "
            f"{checkpoint.size} entries: the end was cut off, or the export is older."
        )


def _check_reached(
    tree: CompactRange, waiting: list[Checkpoint], verdict: ExportVerdict
) -> list[Checkpoint]:
    while waiting and waiting[0].size == tree.size:
        checkpoint, *waiting = waiting
        if tree.root() == checkpoint.root:
            verdict.agreeing.append(checkpoint.size)
        else:
            verdict.problems.append(
                f"The first {checkpoint.size} entries are not those that the checkpoint was "
                f"signed over: something in them was changed. {_where(verdict)}".strip()
            )
    return waiting


def _where(verdict: ExportVerdict) -> str:
    if not verdict.agreeing:
        return ""
    return f"Entries 1 to {verdict.agreeing[-1]} agree with an earlier checkpoint."


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: prints a verdict for people and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        keys = _keys(options.key)
        if options.receipt:
            problems = _receipt_problems(options, keys)
        elif options.consistency:
            proof = parse_proof(_text(options.consistency), CONSISTENCY)
            problems = consistency_problems(proof, keys=keys)
        else:
            return _export(options, keys)
    except ImportError as error:
        sentence = f"Entries in archive files are read with {error.name}, which is not installed."
        return _say("CANNOT TELL", [sentence], CANNOT_TELL)
    except (OSError, UnicodeDecodeError, CannotTell) as error:
        return _say("CANNOT TELL", [str(error)], CANNOT_TELL)
    except (UnreadableKey, UnreadableNote, UnreadableProof) as error:
        return _say("CANNOT TELL", [str(error)], CANNOT_TELL)
    return _verdict(problems, keys)


def _verdict(problems: Sequence[str], keys: list[PublicKey] | None, upto: str = "") -> int:
    if keys is None:
        _print("Signatures were NOT checked: give the public key with --key.")
    return _say("BROKEN", problems, BROKEN) if problems else _say(f"HOLDS{upto}", [], HOLDS)


def _export(options: argparse.Namespace, keys: list[PublicKey] | None) -> int:
    if not options.export or not options.checkpoints:
        raise CannotTell("Give the export and at least one checkpoint that was kept elsewhere.")
    notes = [_text(path) for path in options.checkpoints]
    verdict = verify_export(options.export, notes, keys=keys, archives=options.archive)
    files = [*options.archive, options.export]
    _print(f"{', '.join(path.name for path in files)}: {verdict.entries} entries")
    for size in verdict.agreeing:
        _print(f"agrees with the checkpoint of {size} entries")
    for origin in verdict.left_out:
        _print(f"not of this log, ignored: a checkpoint of {origin}")
    if not verdict.problems and not verdict.agreeing:
        raise CannotTell("None of these checkpoints is of the log that the export is of.")
    newer = verdict.entries - verdict.covered
    if verdict.problems or not newer:
        return _verdict(verdict.problems, keys)
    _print(
        f"the last {newer} entries are newer than every checkpoint: their numbers fit, but nothing "
        "here shows whether they were changed"
    )
    return _verdict([], keys, upto=f" up to entry {verdict.covered}")


def _receipt_problems(options: argparse.Namespace, keys: list[PublicKey] | None) -> list[str]:
    receipt = parse_proof(_text(options.receipt), RECEIPT)
    if not receipt.get("complete"):
        raise CannotTell(why_incomplete(receipt))
    release = options.release.read_bytes() if options.release else None
    return receipt_problems(receipt, keys=keys, release=release)


def _keys(path: Path | None) -> list[PublicKey] | None:
    if path is None:
        return None
    chain = follow(parse_list(_text(path)))
    if not chain.keys:
        raise CannotTell(f"{path.name} holds no public key.")
    for key in chain.refused:
        _print(f"Key {key.key_id.hex()} is not believed: the key before has not signed its name.")
    return chain.keys


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _say(verdict: str, reasons: Sequence[str], code: int) -> int:
    for reason in reasons:
        _print(f"- {reason}")
    _print(verdict)
    return code


def _print(line: str) -> None:
    """All that is printed, and with it whatever the files say, goes this way."""
    letters = sys.stdout.encoding or "ascii"
    shown = printable(line).encode(letters, "backslashreplace").decode(letters)
    sys.stdout.write(f"{shown}\n")


class _Parser(argparse.ArgumentParser):
    """Names of files are arguments, too."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m dpgov.audit.verify",
        description="Verify an exported audit log, a receipt or a proof of consistency.",
    )
    parser.add_argument("export", nargs="?", type=Path, metavar="EXPORT", help="JSON lines file")
    parser.add_argument("checkpoints", nargs="*", type=Path, metavar="CHECKPOINT")
    parser.add_argument(
        "--archive",
        nargs="+",
        default=[],
        type=Path,
        metavar="FILE",
        help="Parquet files with the entries before those of the export",
    )
    parser.add_argument("--key", type=Path, help="file with the public keys, one a line")
    parser.add_argument("--receipt", type=Path, help="check this receipt of a release instead")
    parser.add_argument("--release", type=Path, help="the answer (JSON) that the receipt is about")
    parser.add_argument("--consistency", type=Path, help="check this proof of consistency instead")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
