"""What a question cost, read off the stored text of its entry by the database itself.

The detail is an object of canonical JSON, one member of which is a question's amount: `epsilon` or
`rho`. What is nested in it, such as lines and plans, has members of these names too.
"""

from typing import Any

from django.db.models import BigIntegerField, BooleanField, Func

UNITS = ("epsilon", "rho")
_OF_PLAIN = r"'^[0-9]{1,4}(?:[.][0-9]{1,9})?$'"
_POSTGRESQL = f"""CASE WHEN action = 'QUERY_SUBMITTED' THEN
(substring(coalesce(detail::json ->> 'epsilon', detail::json ->> 'rho') from {_OF_PLAIN})::numeric
 * 1000000000)::bigint END"""
# A cast takes the longest number that a text begins with; halves are rounded the right way.
_SQLITE = """CASE WHEN action = 'QUERY_SUBMITTED' AND json_valid(detail) THEN CAST(CAST(
coalesce(json_extract(detail, '$.epsilon'), json_extract(detail, '$.rho')) AS REAL)
 * 1000000000 + 0.5 AS INTEGER) END"""
# How the first migration read it: where the amount came first, which no question in ρ has.
_POSTGRESQL_FIRST = """CASE WHEN action = 'QUERY_SUBMITTED' THEN
(substring(detail from '^[{]"(?:epsilon|rho)":"([0-9]{1,4}(?:[.][0-9]{1,9})?)"')::numeric
 * 1000000000)::bigint END"""
_SQLITE_FIRST = """CASE WHEN action = 'QUERY_SUBMITTED' AND substr(detail, 1, 12) = '{"epsilon":"'
THEN CAST(CAST(substr(detail, 13, 20) AS REAL) * 1000000000 + 0.5 AS INTEGER)
WHEN action = 'QUERY_SUBMITTED' AND substr(detail, 1, 8) = '{"rho":"'
THEN CAST(CAST(substr(detail, 9, 20) AS REAL) * 1000000000 + 0.5 AS INTEGER) END"""


class AskedAmount(Func):
    """The amount in nano-units, of detail and action; NULL where an entry states none."""

    arity = 2
    output_field = BigIntegerField(null=True)
    in_postgresql, in_sqlite = _POSTGRESQL, _SQLITE

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[()]]:
        """As exact decimals."""
        return self.in_postgresql, ()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[()]]:
        """As doubles, which hold every amount up to ε 1000 to the last nano-unit."""
        return self.in_sqlite, ()


class StatedAmount(AskedAmount):
    """For the first migration alone."""

    in_postgresql, in_sqlite = _POSTGRESQL_FIRST, _SQLITE_FIRST


class IsIn(Func):
    """Whether an entry that states an amount states it in this unit, one of UNITS."""

    output_field = BooleanField()

    def __init__(self, unit: str) -> None:
        if unit not in UNITS:
            raise ValueError(unit)
        super().__init__("detail", "amount_nano")
        self.unit = unit

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[()]]:
        """Nothing is read of an entry without an amount."""
        member = f"detail::json ->> '{self.unit}'"
        return f"CASE WHEN amount_nano IS NOT NULL THEN ({member}) IS NOT NULL END", ()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[()]]:
        """Nothing is read of an entry without an amount."""
        member = f"json_extract(detail, '$.{self.unit}')"
        return f"CASE WHEN amount_nano IS NOT NULL THEN {member} IS NOT NULL END", ()
