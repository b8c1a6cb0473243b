"""How many examples Hypothesis makes: as many as a test asks for, or every day a share of them.

Random examples differ from day to day, so the share still gets everywhere in time; what must be
tried each time is written down with `@example` or in a test of its own.
"""

from typing import Any

from hypothesis import HealthCheck, settings

ALL = "all"
EVERY_DAY = "every-day"
_UNSAID = 100
_SHARE = 8


def load_profiles() -> None:
    """Registers both, and loads all; `--hypothesis-profile` chooses the other one."""
    # How long an example takes says nothing about the code: machines are slow or busy.
    patient: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile(ALL, settings(), max_examples=_UNSAID, **patient)
    settings.register_profile(EVERY_DAY, settings(), max_examples=_UNSAID // _SHARE, **patient)
    settings.load_profile(ALL)


def examples(count: int, **more: Any) -> settings:
    """So many examples, or the share of the profile that is loaded, rounded up; and what else."""
    return settings(max_examples=-(-count * settings().max_examples // _UNSAID), **more)
