"""Django's makemessages, which also finds the sentences of the pure rooms."""

from typing import ClassVar

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    xgettext_options: ClassVar[list[str]] = [
        *makemessages.Command.xgettext_options,
        "--keyword=said",
    ]
