"""What must agree. Each check selects what does not, and says it in one sentence.

`said_…` is what the log says (facts.py), `our_…` what is stored (report.py). A sentence has one {}
for each column that is selected: an id, a text, or an amount in the currency of its budget.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """A sentence, and the statement whose rows fill it."""

    sentence: str
    statement: str


_QUESTIONS = (
    Check(
        "question {}: stored at {}, but the log says that {} was asked for",
        """
        SELECT q.query, q.nano, a.nano FROM our_question q
        LEFT JOIN said_asked a ON a.query = q.query
        LEFT JOIN said_cut k ON k.query = q.query
        WHERE a.query IS NULL OR a.nano <> q.nano OR (a.nano IS NULL AND k.query IS NULL)
        """,
    ),
    Check(
        "question {}: its entry in the log was cut when it was written, so that its charges, {} in "
        "all, cannot be compared with it",
        """
        SELECT k.query, CAST(count(c.query) AS text) FROM said_cut k
        LEFT JOIN our_charge c ON c.query = k.query GROUP BY k.query
        """,
    ),
    Check(
        "question {}: stored as “{}”, but the log's last word is {}",
        """
        SELECT q.query, q.state, e.action FROM our_question q
        LEFT JOIN said_ended e ON e.query = q.query
        WHERE COALESCE(e.action, '') <> q.ending
        """,
    ),
    Check(
        "question {}: in the log, but not stored",
        """
        SELECT a.query FROM said_asked a
        LEFT JOIN our_question q ON q.query = a.query WHERE q.query IS NULL
        """,
    ),
    Check(
        "question {}: the log says {} times that it ended",
        """
        SELECT query, CAST(count(*) AS text) FROM said_ended
        GROUP BY query HAVING count(*) > 1
        """,
    ),
)
_CHARGES = (
    Check(
        "question {} on budget {}: by the log {} is to be charged, but {} is",
        """
        SELECT l.query, l.budget, l.nano, c.nano FROM said_line l
        JOIN said_ended e ON e.query = l.query AND e.charged
        LEFT JOIN our_charge c ON c.query = l.query AND c.budget = l.budget
        WHERE l.nano IS NOT NULL AND (c.query IS NULL OR c.nano <> l.nano)
        """,
    ),
    Check(
        "question {} on budget {}: {} is charged, but the log knows of no such charge",
        """
        SELECT c.query, c.budget, c.nano FROM our_charge c
        LEFT JOIN said_line l ON l.query = c.query AND l.budget = c.budget
        LEFT JOIN said_ended e ON e.query = c.query AND e.charged
        LEFT JOIN said_cut k ON k.query = c.query
        WHERE (l.query IS NULL AND k.query IS NULL) OR e.query IS NULL
        """,
    ),
    Check(
        "question {} on budget {}: {} is charged, but there is no such question",
        """
        SELECT c.query, c.budget, c.nano FROM our_charge c
        LEFT JOIN our_question q ON q.query = c.query WHERE q.query IS NULL
        """,
    ),
)
_ANSWERS = (
    Check(
        "question {}: answered by the log, but no answer is stored",
        """
        SELECT e.query FROM said_ended e LEFT JOIN our_answer r ON r.query = e.query
        WHERE e.action IN ('QUERY_RELEASED', 'QUERY_REUSED') AND r.query IS NULL
        """,
    ),
    Check(
        "question {}: an answer is stored that the log does not know",
        """
        SELECT r.query FROM our_answer r
        LEFT JOIN said_ended e ON e.query = r.query
            AND e.action IN ('QUERY_RELEASED', 'QUERY_REUSED')
        WHERE e.query IS NULL
        """,
    ),
    Check(
        "question {}: the stored answer has SHA-256 {}, but the log says {}",
        """
        SELECT r.query, r.computed, e.sha256 FROM our_answer r
        JOIN said_ended e ON e.query = r.query
            AND e.action IN ('QUERY_RELEASED', 'QUERY_REUSED')
        WHERE COALESCE(e.sha256, '') <> r.computed
        """,
    ),
    Check(
        "question {}: the SHA-256 beside its answer is not that of the answer",
        "SELECT query FROM our_answer WHERE sha256 <> computed",
    ),
)
_HOLDS = (
    Check(
        "question {} on budget {}: {} is still held, but the question is not waiting",
        """
        SELECT h.query, h.budget, h.nano FROM our_hold h
        LEFT JOIN our_question q ON q.query = h.query
        WHERE h.state = 'held' AND COALESCE(q.state, '') NOT IN ('queued', 'running', 'sealed')
        """,
    ),
    Check(
        "question {}: waits, but holds nothing",
        """
        SELECT q.query FROM our_question q
        LEFT JOIN our_hold h ON h.query = q.query AND h.state = 'held'
        WHERE q.state IN ('queued', 'running', 'sealed') AND h.query IS NULL
        """,
    ),
    Check(
        "question {} on budget {}: {} was held, but the log says {}",
        """
        SELECT h.query, h.budget, h.nano, l.nano FROM our_hold h
        LEFT JOIN said_line l ON l.query = h.query AND l.budget = h.budget
        LEFT JOIN said_cut k ON k.query = h.query
        WHERE (l.query IS NULL AND k.query IS NULL) OR l.nano <> h.nano
        """,
    ),
)
_HISTORY = """
    (SELECT budget, before_nano, after_nano, count(*) AS times FROM our_limit
     WHERE before_nano > 0 OR kind <> 'dataset' GROUP BY budget, before_nano, after_nano)
"""
_MOVED = """
    (SELECT budget, before_nano, after_nano, count(*) AS times FROM said_moved
     GROUP BY budget, before_nano, after_nano)
"""
_SAME_STEP = """
    ON s.budget = h.budget AND s.before_nano = h.before_nano AND s.after_nano = h.after_nano
"""
_LIMITS = (
    Check(
        "budget {}: its limit went from {} to {}, which the log does not say",
        "SELECT h.budget, h.before_nano, h.after_nano"
        f" FROM {_HISTORY} h LEFT JOIN {_MOVED} s {_SAME_STEP}"
        " WHERE s.budget IS NULL OR s.times < h.times",
    ),
    Check(
        "budget {}: by the log its limit went from {} to {}, but its history does not say so",
        "SELECT s.budget, s.before_nano, s.after_nano"
        f" FROM {_MOVED} s LEFT JOIN {_HISTORY} h {_SAME_STEP}"
        " WHERE h.budget IS NULL OR h.times < s.times",
    ),
    Check(
        "budget {}: raised from {} to {} without a second person",
        """
        SELECT s.budget, s.before_nano, s.after_nano FROM said_moved s
        JOIN our_budget b ON b.budget = s.budget AND b.kind <> 'allocation'
        WHERE s.persons < 2 AND s.after_nano > s.before_nano AND s.before_nano > 0
        """,
    ),
    Check(
        "budget {}: opened with {}, but no registration of “{}” says so",
        """
        SELECT l.budget, l.after_nano, l.label FROM our_limit l
        LEFT JOIN said_registered r ON r.name = l.label AND r.nano = l.after_nano
        WHERE l.kind = 'dataset' AND l.before_nano = 0 AND r.name IS NULL
        """,
    ),
    Check(
        "budget {}: a part's limit is {}, but its dataset's is {}",
        "SELECT budget, nano, whole_nano FROM our_part WHERE nano <> whole_nano",
    ),
)
_STORED = """
    (SELECT kind, budget, nano, about, count(*) AS times FROM our_correction
     GROUP BY kind, budget, nano, about)
"""
_BOOKED = """
    (SELECT kind, budget, nano, about, count(*) AS times FROM said_booked WHERE nano <> 0
     GROUP BY kind, budget, nano, about)
"""
_SAME_BOOKING = """
    ON s.kind = c.kind AND s.budget = c.budget AND s.nano = c.nano AND s.about = c.about
"""
_CORRECTIONS = (
    Check(
        "budget {}: {} booked as “{}”, which nobody approved by the log",
        f"SELECT c.budget, c.nano, c.kind FROM {_STORED} c LEFT JOIN {_BOOKED} s {_SAME_BOOKING}"
        " WHERE s.budget IS NULL OR s.times < c.times",
    ),
    Check(
        "budget {}: by the log {} was booked as “{}”, but it is not",
        f"SELECT s.budget, s.nano, s.kind FROM {_BOOKED} s LEFT JOIN {_STORED} c {_SAME_BOOKING}"
        " WHERE c.budget IS NULL OR c.times < s.times",
    ),
    Check(
        "question {}: refunded, although its data was opened by the log",
        """
        SELECT DISTINCT c.about FROM our_correction c LEFT JOIN said_ended e ON e.query = c.about
        WHERE c.kind = 'refund' AND COALESCE(e.never_read, '') <> 'yes'
        """,
    ),
)
_REQUESTS = (
    Check(
        "request {}: stored as “{}”, which the log does not say",
        """
        SELECT r.request, r.state FROM our_request r
        LEFT JOIN said_decided d ON d.request = r.request AND d.action = r.decision
        WHERE d.request IS NULL
        """,
    ),
    Check(
        "request {}: {} by the log, but not stored so",
        """
        SELECT d.request, d.action FROM said_decided d
        LEFT JOIN our_request r ON r.request = d.request
        WHERE d.action <> 'CHANGE_REQUESTED' AND COALESCE(r.decision, '') <> d.action
        """,
    ),
)
_CUT = (
    Check(
        "{} about {}: this entry of the log was cut when it was written, so that nothing can be "
        "compared with it",
        "SELECT action, subject FROM said_cut_rare",
    ),
)
_LOOKS = (
    Check(
        "dataset {}, version {}: an officer's look is stored that the log does not say",
        """
        SELECT l.dataset, l.version FROM our_look l
        LEFT JOIN said_looked s ON s.dataset = l.dataset AND (s.version = l.version OR s.has_more)
        WHERE s.dataset IS NULL
        """,
    ),
)
# Where the log's entry was cut, what is charged stands for what it said: it was told above.
# What another tenant books on a budget that is shared with it is held against its own log.
_BALANCES = (
    Check(
        "budget {} (“{}”): spent is {}, but the log adds up to {}",
        """
        SELECT b.budget, b.label, b.spent_nano, CAST(COALESCE(t.nano, 0) AS bigint)
        FROM our_budget b LEFT JOIN (
            SELECT budget, sum(nano) AS nano FROM (
                SELECT l.budget, l.nano FROM said_line l
                JOIN said_ended e ON e.query = l.query AND e.charged
                UNION ALL SELECT c.budget, c.nano FROM our_charge c
                JOIN said_cut k ON k.query = c.query
                UNION ALL SELECT budget, nano FROM said_booked
                UNION ALL SELECT budget, nano FROM our_guest) parts
            GROUP BY budget) t ON t.budget = b.budget
        WHERE b.spent_nano <> COALESCE(t.nano, 0) AND NOT b.divided
        """,
    ),
)

CHECKS = (
    *_QUESTIONS,
    *_CUT,
    *_CHARGES,
    *_ANSWERS,
    *_HOLDS,
    *_LIMITS,
    *_CORRECTIONS,
    *_REQUESTS,
    *_LOOKS,
    *_BALANCES,
)
