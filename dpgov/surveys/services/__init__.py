"""What changes a survey: making, opening, closing, tokens, and taking in a report."""

from dpgov.surveys.services.drafting import SurveyDraft, make_survey
from dpgov.surveys.services.letters import send_survey_letters, write_letters
from dpgov.surveys.services.opening import (
    close_survey,
    could_be_opened,
    lock_to_close,
    open_alone,
    open_as_agreed,
    request_opening,
)
from dpgov.surveys.services.receiving import receive
from dpgov.surveys.services.tokens import make_tokens

__all__ = [
    "SurveyDraft",
    "close_survey",
    "could_be_opened",
    "lock_to_close",
    "make_survey",
    "make_tokens",
    "open_alone",
    "open_as_agreed",
    "receive",
    "request_opening",
    "send_survey_letters",
    "write_letters",
]
