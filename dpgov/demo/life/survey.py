"""A local survey of invented people: their true answers out of a hash, everything else real.

Tokens, charge, draws and sums are those of the product; a report is drawn as on a command line.
"""

from datetime import timedelta

from django.db import transaction

from dpgov.demo.life.chance import among
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.drawing import randomise
from dpgov.surveys.models import Survey
from dpgov.surveys.services import SurveyDraft, make_survey, make_tokens, open_alone, receive
from dpgov.tenants.models import Membership

_QUESTION = "In the last year, how often did you go without a medicine because of its price?"
_ANSWERS = ("Never", "Once or twice", "More often")
_TRUE_WEIGHTS = (7, 2, 1)
_DAYS = 45


def ask_people(owner: Membership) -> Survey:
    """Draft it and open it, on a budget of its own. Must be called while acting for its tenant."""
    asked = SurveyDraft(
        question=_QUESTION,
        answers=_ANSWERS,
        epsilon_nano=3 * NANO // 2,
        expected=300,
        closes_on=clock.now().date() + timedelta(days=_DAYS),
    )
    return open_alone(membership=owner, survey=make_survey(membership=owner, asked=asked))


@transaction.atomic
def answer_it(owner: Membership, survey: Survey, number: int, seed: str) -> None:
    """So many people get a token, randomise their answers and send them: all, or none."""
    truth = among(f"survey {seed}", number, _TRUE_WEIGHTS)
    tokens = make_tokens(membership=owner, survey=survey, number=number, invented=True)
    for token, answer in zip(tokens, truth, strict=True):
        report = randomise(survey.randomiser, int(answer))
        receive(survey=survey, token=token, report=report, invented=True)
