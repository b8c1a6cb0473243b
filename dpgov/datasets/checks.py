"""What `manage.py check` says about live tables."""

from typing import Any

from django.core import checks

from dpgov.datasets.services.live.kinds import offered


def nothing_is_lacking(**_: Any) -> list[checks.CheckMessage]:
    """A warning where servers are listed that nothing here can ask: questions would wait.

    No error: a process that opens no data, like the sweeper, may lack a client and has to run.
    """
    return [
        checks.Warning(
            str(kind.lacks),
            hint=f"Install the group `{kind.name}` of dependencies; see docs/live-tables.md.",
            id="dpgov.W020",
        )
        for kind in offered()
        if kind.lacks is not None
    ]
