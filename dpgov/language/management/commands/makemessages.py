"""Django's makemessages, which also finds the sentences of the pure rooms."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options = [  # noqa: RUF012 - as Django declares it
        *makemessages.Command.xgettext_options,
        "--keyword=said",
        "--keyword=pattern",
    ]
