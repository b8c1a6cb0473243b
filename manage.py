#!/usr/bin/env python
"""Command line of dpgov: `manage.py demo`, `manage.py verify_ledger` and the rest."""

import os
import sys


def main() -> None:
    """Hand the command line to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dpgov.settings")
    if sys.argv[1:2] == ["demo"]:
        from dpgov.demo.surroundings import prepare

        prepare(sys.argv[2:])
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
