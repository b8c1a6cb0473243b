"""What joint questions need in the database: guards, and the gates between the parties' tenants.

Each gate answers parties alone, or whoever holds the code, and never shows a row of another
tenant: who takes part and whether they still do, and shares only when all of them are there.
"""

from collections.abc import Iterator

from dpgov.audit.actions import Action
from dpgov.audit.append_only import append_only
from dpgov.operation.installed import Installed
from dpgov.queries.installed import GOES_ON
from dpgov.tenants.wall.functions import gate
from dpgov.tenants.wall.guards import NEVER, Guard, Json, agreed, installed_guards

JOIN_JOINT = "join_joint"
"""The change that two persons approve: that a dataset takes part."""

_AMONG = (
    "EXISTS (SELECT 1 FROM joint_party own"
    " WHERE own.question_id = $1 AND own.tenant_id = dpgov_tenant())"
)
_OFFER = """
    SELECT q.id, q.title::text, q.plan::text, q.declared::text, q.parties::int, q.colluders::int,
        q.expires_at, t.name::text
    FROM joint_jointquestion q JOIN tenants_tenant t ON t.id = q.tenant_id
    WHERE q.code_hash = $1 AND q.opened_at IS NULL AND q.tenant_id <> dpgov_tenant()
      AND q.parties > (SELECT count(*) FROM joint_party p WHERE p.question_id = q.id)
      AND NOT EXISTS (SELECT 1 FROM joint_party p JOIN queries_query y ON y.id = p.query_id
                      WHERE p.question_id = q.id
                        AND (p.tenant_id = dpgov_tenant() OR y.state <> 'running'))
"""
_GOES_ON = GOES_ON.replace("q.", "y.")
SAME_PEOPLE = -1
"""What the gate of places says where there is one, and two would have the same people."""
_HOLDS = "y.state = 'running' AND y.opened_at IS NULL"
# Whether the people of two of the questions `v_all` are the same, as their organisations agreed:
# they share a budget now, by themselves or by a parent, or what both hold is held on one.
_SAME_PEOPLE = """
    EXISTS (
        SELECT 1 FROM (
            SELECT y.id AS question, m.shared_budget_id AS shared
            FROM queries_query y JOIN datasets_dataset d ON d.id = y.dataset_id
            LEFT JOIN budgets_derivedbudget b ON b.budget_id = d.budget_id
            JOIN budgets_sharedbudgetmember m ON m.left_at IS NULL
                AND m.dataset_budget_id IN (d.budget_id, b.parent_id)
            WHERE y.id = ANY (v_all)
            UNION
            SELECT r.query_id, r.budget_id
            FROM budgets_reservation r JOIN budgets_budget b ON b.id = r.budget_id
            WHERE r.query_id = ANY (v_all) AND b.kind = 'shared_budget'
        ) taken GROUP BY taken.shared HAVING count(DISTINCT taken.question) > 1
    )
"""
_JOIN = f"""
DECLARE
    v_parties integer;
    v_place integer;
    v_all uuid[];
BEGIN
    SELECT q.parties INTO v_parties FROM joint_jointquestion q
    WHERE q.id = $1 AND q.opened_at IS NULL AND q.expires_at > clock_timestamp()
      AND (q.tenant_id = dpgov_tenant() OR q.code_hash = $2)
    FOR UPDATE;
    IF NOT FOUND OR {_AMONG} OR NOT EXISTS (
        SELECT 1 FROM queries_query y
        WHERE y.id = $4 AND y.tenant_id = dpgov_tenant() AND {_HOLDS} AND y.attempts = 0
    ) THEN
        RETURN NULL;
    END IF;
    SELECT count(*) INTO v_place FROM joint_party p WHERE p.question_id = $1;
    IF v_place >= v_parties THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(p.query_id) || $4 INTO v_all FROM joint_party p WHERE p.question_id = $1;
    IF {_SAME_PEOPLE} THEN
        RETURN {SAME_PEOPLE};
    END IF;
    INSERT INTO joint_party
        (id, tenant_id, question_id, place, name, query_id, public_key, joined_at)
    SELECT $3, t.id, $1, v_place, t.name, $4, '', clock_timestamp()
    FROM tenants_tenant t WHERE t.id = dpgov_tenant();
    RETURN v_place;
END
"""  # noqa: S608
_STANDING = f"""
    SELECT p.place::int, p.name::text, p.public_key::text, {_HOLDS},
        EXISTS (SELECT 1 FROM joint_share s WHERE s.party_id = p.id)
    FROM joint_party p JOIN queries_query y ON y.id = p.query_id
    WHERE p.question_id = $1 AND {_AMONG}
    ORDER BY p.place
"""  # noqa: S608
# Rows that somebody else is working on are passed over: it opens at the next look.
_OPEN = f"""
DECLARE
    v_parties integer;
    v_all uuid[];
BEGIN
    SELECT q.parties INTO v_parties FROM joint_jointquestion q
    WHERE q.id = $1 AND q.opened_at IS NULL AND q.expires_at > clock_timestamp() AND {_AMONG}
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT array_agg(ready.id) INTO v_all FROM (
        SELECT y.id FROM queries_query y JOIN joint_party p ON p.query_id = y.id
        WHERE p.question_id = $1 AND p.public_key <> '' AND {_HOLDS} AND {_GOES_ON}
        ORDER BY y.id FOR UPDATE OF y SKIP LOCKED
    ) ready;
    IF v_all IS NULL OR cardinality(v_all) <> v_parties OR {_SAME_PEOPLE} THEN
        RETURN false;
    END IF;
    UPDATE queries_query SET opened_at = clock_timestamp() WHERE id = ANY (v_all);
    UPDATE joint_jointquestion SET opened_at = clock_timestamp() WHERE id = $1;
    RETURN true;
END
"""  # noqa: S608
_SHARES = f"""
    SELECT s.masked FROM joint_share s JOIN joint_party p ON p.id = s.party_id
    JOIN joint_jointquestion q ON q.id = p.question_id
    WHERE p.question_id = $1 AND q.opened_at IS NOT NULL AND {_AMONG}
      AND q.parties = (SELECT count(*) FROM joint_share o JOIN joint_party i ON i.id = o.party_id
                       WHERE i.question_id = $1)
    ORDER BY p.place
"""  # noqa: S608
# A budget of the dataset of a question `y`, or of one of its parents: `b`.
_ITS_BUDGET = """
    budgets_budget b JOIN datasets_dataset d ON d.budget_id = b.id
    WHERE (d.id = y.dataset_id OR d.id IN
        (SELECT f.parent_id FROM datasets_derivedfrom f WHERE f.dataset_id = y.dataset_id))
"""
_GOING_SINCE = f"""
    SELECT CASE
        WHEN bool_or(EXISTS (SELECT 1 FROM {_ITS_BUDGET} AND b.frozen_at IS NOT NULL)) THEN NULL
        ELSE greatest(max(q.opened_at), max((
            SELECT max(e.at) FROM audit_auditentry e
            WHERE e.tenant_id = y.tenant_id AND e.at > q.opened_at
                AND e.action = '{Action.BUDGET_CONFIRMED.value}'
                AND e.subject IN (SELECT 'budget:' || b.id FROM {_ITS_BUDGET})
        ))) END
    FROM joint_jointquestion q
    JOIN joint_party p ON p.question_id = q.id JOIN queries_query y ON y.id = p.query_id
    WHERE q.id = $1 AND q.opened_at IS NOT NULL AND {_AMONG}
"""  # noqa: S608
_HELD = (
    "EXISTS (SELECT 1 FROM queries_query y JOIN budgets_reservation h ON h.query_id = y.id"
    " WHERE y.id = NEW.query_id AND y.tenant_id = NEW.tenant_id AND h.state = 'held'"
    " AND h.amount_nano = h.factor * y.cost_nano"
)


def guards(json: Json) -> Iterator[Guard]:
    """A question begins unopened, who takes part was approved, holds and stays, and a share is of
    an open question.

    What is asked never changes because no role but the owner of the tables may change it.
    """
    yield Guard(
        "guard_joint_new",
        "joint_jointquestion",
        "INSERT",
        "NEW.opened_at IS NOT NULL",
        NEVER,
        "a joint question begins unopened",
    )
    held = (
        f"{_HELD} AND y.cost_nano = {json.number('cost_nano')}"
        f" AND y.dataset_id = {json.identity('dataset')})"
    )
    yield Guard(
        "guard_party_new",
        "joint_party",
        "INSERT",
        "1 = 1",
        agreed(JOIN_JOINT, f"{json.identity('question')} = NEW.question_id AND {held}"),
        "an organisation takes part as two persons approved, and holds the price",
    )
    yield Guard(
        "guard_party_stays",
        "joint_party",
        "UPDATE",
        "OLD.tenant_id <> NEW.tenant_id OR OLD.question_id <> NEW.question_id"
        " OR OLD.place <> NEW.place OR OLD.query_id <> NEW.query_id OR OLD.public_key <> ''",
        NEVER,
        "who takes part, and with which key, never changes",
    )
    opened = (
        "EXISTS (SELECT 1 FROM joint_party p JOIN joint_jointquestion q ON q.id = p.question_id"  # noqa: S608
        " JOIN queries_query y ON y.id = p.query_id WHERE p.id = NEW.party_id"
        " AND p.tenant_id = NEW.tenant_id AND q.opened_at IS NOT NULL AND y.state = 'running'"
        f" AND {_GOES_ON})"
    )
    yield Guard(
        "guard_share",
        "joint_share",
        "INSERT",
        "1 = 1",
        opened,
        "a share is sent when everybody is there, and charged, and nothing is stopped",
    )


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        append_only("joint_share"),
        gate(
            "joint_offer(text)",
            returns="TABLE (id uuid, title text, plan text, declared text, parties int,"
            " colluders int, expires_at timestamptz, proposer text)",
            body=_OFFER,
        ),
        gate(
            "joint_join(uuid, text, uuid, uuid)",
            returns="integer",
            body=_JOIN,
            language="plpgsql",
            volatility="VOLATILE",
        ),
        gate(
            "joint_standing(uuid)",
            returns="TABLE (place int, name text, public_key text, holds boolean, sent boolean)",
            body=_STANDING,
        ),
        gate(
            "joint_open(uuid)",
            returns="boolean",
            body=_OPEN,
            language="plpgsql",
            volatility="VOLATILE",
        ),
        gate("joint_shares(uuid)", returns="SETOF text", body=_SHARES),
        gate("joint_going_since(uuid)", returns="timestamptz", body=_GOING_SINCE),
        gate(
            "joint_unfinished()",
            returns="SETOF uuid",
            body="SELECT DISTINCT p.tenant_id FROM joint_party p"
            " JOIN queries_query y ON y.id = p.query_id WHERE y.state = 'running'",
        ),
        *installed_guards(guards),
    )
