"""Checks audit logs: of every tenant, of one, or of an exported file without the database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from dpgov.audit.export import UnreadableExport, read_json_lines
from dpgov.audit.selectors import tenants_with_a_log, verify_log
from dpgov.audit.verifier import Head, Verdict, verify
from dpgov.tenants.models import Tenant


class Command(BaseCommand):
    help = "Verify that audit logs are complete and unchanged. Exits with 1 when one is not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="short name of the only tenant to check")
        parser.add_argument("--export", type=Path, help="check this JSON lines file instead")
        parser.add_argument(
            "--head", help="SEQUENCE:HASH that the exported log must end with, as noted elsewhere"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["export"]:
            broken = not self._say(*_exported(options["export"], _head(options["head"])))
        elif options["head"]:
            raise CommandError("--head goes with --export; the database knows its own heads.")
        else:
            results = [self._say(*_stored(t, n)) for t, n in _chosen(options["tenant"])]
            broken = not all(results)
        if broken:
            raise CommandError("The audit log does not hold.", returncode=1)

    def _say(self, name: str, verdict: Verdict) -> bool:
        """One line a log: what was found."""
        if verdict.problem:
            self.stderr.write(f"{name}: BROKEN, {verdict.problem} ({verdict.entries} hold)")
        else:
            head = f"{verdict.head.sequence}:{verdict.head.entry_hash}"
            self.stdout.write(f"{name}: {verdict.entries} entries hold, head {head}")
        return verdict.intact


def _chosen(slug: str | None) -> list[tuple[UUID, str]]:
    names = dict(Tenant.objects.values_list("id", "slug"))
    if slug is None:
        return [(id_, names.get(id_, str(id_))) for id_ in sorted({*names, *tenants_with_a_log()})]
    found = [(id_, name) for id_, name in names.items() if name == slug]
    if not found:
        raise CommandError(f"There is no tenant {slug}. There are: {', '.join(names.values())}.")
    return found


def _stored(tenant_id: UUID, name: str) -> tuple[str, Verdict]:
    return name, verify_log(tenant_id)


def _exported(path: Path, expected: Head | None) -> tuple[str, Verdict]:
    try:
        with path.open(encoding="ascii", newline="") as file:
            return path.name, verify(read_json_lines(file), expected=expected)
    except (OSError, UnreadableExport, UnicodeDecodeError) as error:
        raise CommandError(f"{path.name}: BROKEN, {error}", returncode=1) from error


def _head(text: str | None) -> Head | None:
    if text is None:
        return None
    sequence, _, entry_hash = text.partition(":")
    if not sequence.isdecimal() or not entry_hash:
        raise CommandError("--head must look like 120:9f86d0…, as a verification shows it.")
    return Head(int(sequence), entry_hash)
