"""What `manage.py check` says about variables that nobody reads."""

from typing import Any

from django.conf import settings
from django.core import checks

# Names like ours that others read: compose, the command of the Debian installation, the programs in
# our guides, our own tests.
_OF_OTHERS = frozenset(
    {
        "DPGOV_HOST",
        "DPGOV_VERSION",
        "DPGOV_IMAGE_GROUP",
        "DPGOV_CADDY_IMAGE",
        "DPGOV_POSTGRES_IMAGE",
        "DPGOV_REDIS_IMAGE",
        "DPGOV_ROLE",
        "DPGOV_SERVER",
        "DPGOV_TOKEN",
        "DPGOV_WEBHOOK_SECRET",
        "DPGOV_SCREENSHOTS",
        "DPGOV_TESTS_REDIS",
        "DPGOV_TESTS_ROOT",
    }
)


def every_variable_is_read(**_: Any) -> list[checks.CheckMessage]:
    """A warning for each variable that looks like one of ours and has no effect.

    What was mistyped is the default without a word otherwise, be it that nobody needs a second
    factor.
    """
    return [
        checks.Warning(
            f"{name} is set, and nothing reads it.",
            hint=f"Did you mean {meant}?" if meant else "docs/configuration.md lists the names.",
            id="dpgov.W013",
        )
        for name, meant in settings.DPGOV_UNREAD.items()
        if name not in _OF_OTHERS
    ]
