"""What a question cost, read off the stored text of its entry by the database itself.

The detail is canonical JSON, sorted and without spaces, so that of a question that was asked it
begins with its amount: {"epsilon":"0.5", or {"rho":"0.00005",. Anything else has no amount.
"""

from typing import Any

from django.db.models import BigIntegerField, Func

_POSTGRESQL = """CASE WHEN action = 'QUERY_SUBMITTED' THEN
(substring(detail from '^[{]"(?:epsilon|rho)":"([0-9]{1,4}(?:[.][0-9]{1,9})?)"')::numeric
 * 1000000000)::bigint END"""
# A cast takes the longest number that a text begins with; halves are rounded the right way.
_SQLITE = """CASE WHEN action = 'QUERY_SUBMITTED' AND substr(detail, 1, 12) = '{"epsilon":"'
THEN CAST(CAST(substr(detail, 13, 20) AS REAL) * 1000000000 + 0.5 AS INTEGER)
WHEN action = 'QUERY_SUBMITTED' AND substr(detail, 1, 8) = '{"rho":"'
THEN CAST(CAST(substr(detail, 9, 20) AS REAL) * 1000000000 + 0.5 AS INTEGER) END"""


class StatedAmount(Func):
    """The amount in nano-units, of detail and action; NULL where an entry states none."""

    arity = 2
    output_field = BigIntegerField(null=True)

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[()]]:
        """As exact decimals."""
        return _POSTGRESQL, ()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[()]]:
        """As doubles, which hold every amount up to ε 1000 to the last nano-unit."""
        return _SQLITE, ()
