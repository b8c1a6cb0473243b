"""What the database asks of approvals and of questions that need one, whoever writes the row."""

from collections.abc import Iterator

from dpgov.tenants.wall.guards import NEVER, Guard, Json

# For how long an approval can be used.
APPROVAL_DAYS = 14

# What a question is about: the dataset and, of a derived one, both parents, whose rules it keeps.
WITH_PARENTS = (
    "(SELECT NEW.dataset_id UNION ALL SELECT f.parent_id FROM datasets_derivedfrom f"
    " WHERE f.dataset_id = NEW.dataset_id)"
)

_OF_APPROVAL = (
    "about",
    "tenant_id",
    "dataset_id",
    "asked_by_id",
    "asked_at",
    "plan",
    "cost_nano",
    "version_id",
)


def analyst_since(moment: str) -> str:
    """Whether membership m has been an analyst's from then on: `roles.having_since` in SQL."""
    return (
        f"((m.role = 'analyst' AND {moment} >= m.role_since)"
        f" OR (m.second_role = 'analyst' AND {moment} >= m.second_since))"
    )


def guards_of_approvals(json: Json) -> Iterator[Guard]:
    """What needs an owner's approval is asked as it was approved, by whom it was, once."""
    owner = (
        "EXISTS (SELECT 1 FROM tenants_membership m WHERE m.tenant_id = NEW.tenant_id"
        " AND m.user_id = NEW.answered_by_id AND m.role = 'owner')"
    )
    yield Guard(
        "guard_approval_new",
        "queries_budgetrequest",
        "INSERT",
        "NEW.about = 'question'",
        "NEW.state = 'waiting'",
        "an approval begins as a request",
    )
    changed = " OR ".join(f"NEW.{column} <> OLD.{column}" for column in _OF_APPROVAL)
    yield Guard(
        "guard_approval_stays",
        "queries_budgetrequest",
        "UPDATE",
        "(OLD.about = 'question' OR NEW.about = 'question')"
        f" AND (OLD.state <> 'waiting' OR {changed})",
        NEVER,
        "a request for an approval is answered once, and never changed",
    )
    yield Guard(
        "guard_approval_granted",
        "queries_budgetrequest",
        "UPDATE",
        "NEW.about = 'question' AND NEW.state = 'granted'",
        f"NEW.answered_by_id <> NEW.asked_by_id AND {owner}",
        "an owner approves what someone else asked for",
    )
    yield from _of_approved_questions(json)


def _of_approved_questions(json: Json) -> Iterator[Guard]:
    just_this = " AND ".join(
        f"r.{theirs} = NEW.{ours}"
        for theirs, ours in (
            ("tenant_id", "tenant_id"),
            ("dataset_id", "dataset_id"),
            ("asked_by_id", "analyst_id"),
            ("version_id", "version_id"),
            ("plan", "plan"),
            ("cost_nano", "cost_nano"),
        )
    )
    in_time = json.within("NEW.submitted_at", "r.answered_at", APPROVAL_DAYS)
    yield Guard(
        "guard_question_approved",
        "queries_query",
        "INSERT",
        "NEW.approval_id IS NOT NULL",
        "EXISTS (SELECT 1 FROM queries_budgetrequest r WHERE r.id = NEW.approval_id"
        f" AND r.about = 'question' AND r.state = 'granted' AND {just_this} AND {in_time})",
        "an approval is for one plan, one price and one person, and for a while",
    )
    permitted = (
        "EXISTS (SELECT 1 FROM datasets_permit t WHERE t.dataset_id = NEW.dataset_id"
        " AND t.user_id = NEW.analyst_id AND t.limit_nano >= NEW.cost_nano"
        " AND t.last_day >= date(NEW.submitted_at)"
        " AND EXISTS (SELECT 1 FROM tenants_membership m WHERE m.tenant_id = t.tenant_id"
        f" AND m.user_id = t.user_id AND {analyst_since('t.created_at')}))"
    )
    yield Guard(
        "guard_question_needs_approval",
        "queries_query",
        "INSERT",
        "NEW.approval_id IS NULL AND NEW.ready_made_id IS NULL AND NEW.cost_nano > 0",
        f"NOT EXISTS (SELECT 1 FROM datasets_policy p WHERE p.dataset_id IN {WITH_PARENTS}"
        f" AND p.approval_above_nano < NEW.cost_nano) OR {permitted}",
        "a question of this price needs a permit or an approval",
    )
    yield Guard(
        "guard_question_keeps_approval",
        "queries_query",
        "UPDATE",
        "(NEW.approval_id IS NULL) <> (OLD.approval_id IS NULL)"
        " OR NEW.approval_id <> OLD.approval_id",
        NEVER,
        "an approval stays with the question that used it up",
    )
