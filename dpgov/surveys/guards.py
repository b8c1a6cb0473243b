"""What the database asks of a survey's rows before they change, whoever changes them."""

from collections.abc import Iterator

from dpgov.tenants.wall.guards import NEVER, Guard, Json

_SURVEY, _TOKEN, _TALLY = "surveys_survey", "surveys_surveytoken", "surveys_tally"
_FIXED = (
    "tenant_id",
    "code",
    "question",
    "epsilon_nano",
    "mechanism",
    "kept",
    "other",
    "closes_on",
    "by_token",
)


def guards(_: Json) -> Iterator[Guard]:
    """All of them."""
    changed = " OR ".join(f"OLD.{name} <> NEW.{name}" for name in _FIXED)
    answers = "CAST(OLD.answers AS text) <> CAST(NEW.answers AS text)"
    yield Guard(
        "guard_survey_fixed",
        _SURVEY,
        "UPDATE",
        f"{changed} OR {answers} OR OLD.charged_nano <> NEW.charged_nano"
        " OR OLD.budget_id <> NEW.budget_id",
        NEVER,
        "what a survey asks, how it is randomised and what it was charged never change",
    )
    yield Guard(
        "guard_survey_new",
        _SURVEY,
        "INSERT",
        "NEW.state <> 'draft'",
        NEVER,
        "a survey begins as a draft",
    )
    charged = (
        "EXISTS (SELECT 1 FROM budgets_correction c JOIN budgets_budget b ON b.id = c.budget_id"
        " WHERE c.id = NEW.id AND c.kind = 'survey' AND c.tenant_id = NEW.tenant_id"
        " AND c.budget_id = NEW.budget_id AND c.amount_nano = NEW.charged_nano"
        " AND (b.mode <> 'pure' OR c.amount_nano >= NEW.epsilon_nano))"
    )
    yield Guard(
        "guard_survey_state",
        _SURVEY,
        "UPDATE",
        "OLD.state <> NEW.state",
        "(OLD.state <> 'closed' AND NEW.state = 'closed')"
        f" OR (OLD.state = 'draft' AND NEW.state = 'open' AND {charged})",
        "a survey opens once, when it is charged, and does not open again",
    )
    yield Guard(
        "guard_token",
        _TOKEN,
        "UPDATE",
        "OLD.token_hash <> NEW.token_hash OR OLD.survey_id <> NEW.survey_id"
        " OR (OLD.spent AND NOT NEW.spent)",
        NEVER,
        "a token is spent once",
    )
    opened = (
        "EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state = 'open')"
    )
    yield Guard(
        "guard_tally",
        _TALLY,
        "UPDATE",
        "1 = 1",
        f"NEW.survey_id = OLD.survey_id AND NEW.reports = OLD.reports + 1 AND {opened}",
        "an open survey takes reports one by one",
    )
    yield Guard(
        "guard_tally_new",
        _TALLY,
        "INSERT",
        "NEW.reports <> 0",
        NEVER,
        "a survey begins without reports",
    )
