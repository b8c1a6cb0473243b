"""Part of each round of the sweeper, for every tenant: notices, and the e-mails of surveys.

Must never keep the sweeper from its queries: what fails for one tenant is logged, and the next
round tries again.
"""

from collections.abc import Callable
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError

from dpgov.notices.delivery.deliveries import deliver_waiting
from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.follow import follow
from dpgov.oversight.month.letter import enclosed
from dpgov.surveys.services import send_survey_letters
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants


def letters(tenant_id: UUID) -> int:
    """With the report of a month, where that is told."""
    return send_letters(tenant_id, enclosed)


_STEPS: tuple[Callable[[UUID], int], ...] = (
    follow,
    letters,
    deliver_waiting,
    send_survey_letters,
)
_log = structlog.get_logger("dpgov.notices")


def notices_round() -> None:
    """Make events, send letters, call webhooks. Never inside a transaction: it takes seconds.

    Passes on that the database is away; the sweeper knows what to do then.
    """
    for tenant in tenants():
        for step in _STEPS:
            with acting_for(tenant.id):
                _try(step, tenant.id)


def _try(step: Callable[[UUID], int], tenant_id: UUID) -> None:
    try:
        step(tenant_id)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        _log.exception("notices broke off", step=step.__name__, tenant_id=str(tenant_id))
