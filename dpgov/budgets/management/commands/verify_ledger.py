"""`manage.py verify_ledger`: add every entry up again and compare with the counters."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Tenant


class Command(BaseCommand):
    help = "Add up all reservations, charges and limit changes; exit 1 if a counter disagrees."

    def handle(self, *args: Any, **options: Any) -> None:
        budgets = disagreements = 0
        for tenant in tenants():
            with acting_for(tenant.id):
                findings = ledger_findings(Tenant.objects.get(pk=tenant.id))
                budgets += Budget.objects.filter(tenant_id=tenant.id).count()
            for finding in findings:
                self.stderr.write(f"{tenant.slug}: {finding}")
            disagreements += len(findings)
        if disagreements:
            raise CommandError(f"{disagreements} disagreements found")
        self.stdout.write(f"{budgets} budgets add up")
