"""Why a survey is not made, opened or answered; after each refusal nothing has changed.

`code` is for the API. What a respondent is told follows from the survey's state and from their
token alone, never from what anybody answered.
"""

from dpgov.language.said import Said, said
from dpgov.language.spoken import SpokenRefusal


class SurveyRefusal(SpokenRefusal):
    """Base of all refusals; `str` is for people."""

    code = "invalid"


class BadSurvey(SurveyRefusal):
    """What was typed makes no survey; `field` names what to change."""

    def __init__(self, sentence: Said, field: str) -> None:
        self.field = field
        super().__init__(sentence)


class NotADraft(SurveyRefusal):
    """It was opened or closed before."""

    code = "not_a_draft"

    def __init__(self) -> None:
        super().__init__(said("This survey was opened or closed before. Nothing was changed."))


class LastDayOver(SurveyRefusal):
    """Opening it would charge people for a survey that takes no reports."""

    code = "last_day_over"

    def __init__(self) -> None:
        super().__init__(
            said("The last day of this survey is over. Make a new one with a later last day.")
        )


class TakesTwoPersons(SurveyRefusal):
    """A shared budget is charged as two persons approve."""

    def __init__(self) -> None:
        super().__init__(
            said("This survey charges a shared budget: request it, and an officer decides.")
        )


class SurveyClosed(SurveyRefusal):
    """It takes no reports."""

    code = "survey_closed"

    def __init__(self) -> None:
        super().__init__(said("This survey is closed. Nothing was recorded."))


class SurveyHeld(SurveyRefusal):
    """It takes no reports until an officer has spoken, or until this database is in its place."""

    code = "survey_held"

    def __init__(self) -> None:
        super().__init__(
            said(
                "This survey takes no answers at the moment. Nothing was recorded. Come back later."
            )
        )


class OnlyInvented(SurveyRefusal):
    """Real people are asked in their own organisation, in whose figures their loss is."""

    code = "practice"

    def __init__(self) -> None:
        super().__init__(
            said("People practise here: no real person is asked, and no answer of one is taken.")
        )


class NoTokens(SurveyRefusal):
    """Tokens are made for surveys that ask for one, and in a number that fits."""

    code = "no_tokens"


class TokenUnknown(SurveyRefusal):
    """No token of this survey."""

    code = "token_unknown"

    def __init__(self) -> None:
        super().__init__(
            said("This is not a token of this survey. Open the whole link that you were given.")
        )


class TokenSpent(SurveyRefusal):
    """A token is for one answer."""

    code = "token_spent"

    def __init__(self) -> None:
        super().__init__(
            said("An answer was given with this token before. Nothing was recorded again.")
        )


class BadReport(SurveyRefusal):
    """Not of the form that this survey's reports have."""

    code = "not_a_report"
