"""`manage.py practice ADDRESS`: where the people of an organisation practise on invented rows."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.demo.practice import NobodyOwns, prepare_practice
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Tenant


class Command(BaseCommand):
    help = (
        "Make an organisation of invented rows beside this one, for its people to practise in. "
        "Repeat it to let in whoever came since."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organisation", help="the organisation's short name")

    def handle(self, *args: Any, **options: Any) -> None:
        known = {one.slug: one.id for one in tenants()}
        if options["organisation"] not in known:
            raise CommandError(f"No such organisation. There are: {', '.join(sorted(known))}.")
        with acting_for(known[options["organisation"]]):
            tenant = Tenant.objects.get(pk=known[options["organisation"]])
        if tenant.is_practice:
            raise CommandError("People practise there already; name their own organisation.")
        try:
            practice = prepare_practice(tenant)
        except NobodyOwns as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"The people of {tenant.name} can practise in {practice.name}.")
