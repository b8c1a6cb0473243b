"""One-time tokens: made in a number, shown once, kept as hashes. Who got which is nowhere here."""

import hashlib
import secrets

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.language.said import said
from dpgov.surveys.errors import NoTokens, SurveyClosed
from dpgov.surveys.models import Survey, SurveyToken
from dpgov.surveys.services.practising import refuse_real_people
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of

MOST_AT_ONCE = 10_000
_BYTES = 16


def hash_of(token: str) -> str:
    """What is kept of a token: it has 128 bits of chance, so that a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_token(value: object) -> bool:
    """Whether it has the form of one: 32 hexadecimal digits."""
    return (
        isinstance(value, str)
        and len(value) == 2 * _BYTES
        and not set(value) - set("0123456789abcdef")
    )


@transaction.atomic
def make_tokens(
    *, membership: Membership, survey: Survey, number: int, invented: bool = False
) -> list[str]:
    """So many new tokens, in clear this once. Raises NoTokens, SurveyClosed and OnlyInvented."""
    refuse_real_people(membership.tenant, invented=invented)
    if not survey.by_token:
        raise NoTokens(said("This survey is open to everybody who has its address."))
    if not 1 <= number <= MOST_AT_ONCE:
        raise NoTokens(said("Make 1 to {most} tokens at once.", most=MOST_AT_ONCE))
    if survey.state == Survey.State.CLOSED:
        raise SurveyClosed
    tokens = [secrets.token_hex(_BYTES) for _ in range(number)]
    SurveyToken.objects.bulk_create(
        SurveyToken(tenant_id=survey.tenant_id, survey=survey, token_hash=hash_of(token))
        for token in tokens
    )
    append(
        tenant_id=survey.tenant_id,
        actor=actor_of(membership.user),
        action=Action.SURVEY_TOKENS_MADE,
        subject=f"survey:{survey.pk}",
        detail={"name": survey.question, "tokens": number},
    )
    return tokens
