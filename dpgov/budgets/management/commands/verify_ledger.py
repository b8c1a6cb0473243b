"""`manage.py verify_ledger`: add every entry up again and compare with the counters."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget


class Command(BaseCommand):
    help = "Add up all reservations, charges and limit changes; exit 1 if a counter disagrees."

    def handle(self, *args: Any, **options: Any) -> None:
        findings = ledger_findings()
        for finding in findings:
            self.stderr.write(finding)
        if findings:
            raise CommandError(f"{len(findings)} disagreements found")
        self.stdout.write(f"{Budget.objects.count()} budgets add up")
