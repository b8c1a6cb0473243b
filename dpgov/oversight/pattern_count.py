"""How many patterns there are among the newest questions of an organisation: one number.

Found as the page of one dataset finds them, from plans alone, and as bounded: so many of the newest
charged questions, and so many different ones. Kept for an hour under the questions that it is of,
since Home shows it and reading plans takes longer than the rest of that page.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet

from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.oversight.patterns import DIFFERENT, LOOKED_AT, REPEATED, SHOWN, families_among, plans_of
from dpgov.queries.models import Query

_KEPT = 3_600


class PatternCount(NamedTuple):
    """How many patterns, and the dataset (its slug) with most of them; "" without any."""

    number: int
    slug: str


class _Asked(NamedTuple):
    id: UUID
    form: str
    version: UUID


def count_patterns(tenant_id: UUID) -> PatternCount:
    """Of all datasets in their present version. One statement while nothing new was charged."""
    charged = Query.objects.filter(tenant=tenant_id, reuse=False, state__in=Query.CHARGED)
    rows = charged.exclude(canonical_sha256="").order_by("-submitted_at")
    found = rows.values_list("id", "canonical_sha256", "version_id")[:LOOKED_AT]
    asked = [_Asked(*row) for row in found]
    these = sha256(b"".join(one.id.bytes for one in asked)).hexdigest()
    key = f"patterns:{tenant_id}:{these}"
    kept = cache.get(key)
    if kept is None:
        kept = [*_count(asked)]
        cache.set(key, kept, _KEPT)
    number, slug = kept
    return PatternCount(number, slug)


def _count(asked: Sequence[_Asked]) -> PatternCount:
    by_version: defaultdict[UUID, Counter[str]] = defaultdict(Counter)
    for one in asked:
        by_version[one.version][one.form] += 1
    newest: dict[tuple[UUID, str], UUID] = {}
    for one in asked:
        newest.setdefault((one.version, one.form), one.id)
    # Whichever dataset they are about.
    newest = dict(islice(newest.items(), DIFFERENT))
    plans = plans_of(newest.values())
    numbers: Counter[str] = Counter()
    for version in _present(by_version):
        wanted = {form: pk for (of, form), pk in newest.items() if of == version.pk}
        repeated = sum(times >= REPEATED for times in by_version[version.pk].values())
        families = families_among(wanted, plans, schema_of(version)) if len(wanted) > 1 else ()
        numbers[version.dataset.slug] = min(repeated, SHOWN) + min(len(families), SHOWN)
    most = max(numbers, key=lambda slug: numbers[slug], default="")
    return PatternCount(numbers.total(), most if numbers[most] else "")


def _present(versions: dict[UUID, Counter[str]]) -> QuerySet[DatasetVersion]:
    newer = DatasetVersion.objects.filter(
        dataset=OuterRef("dataset"), number__gt=OuterRef("number")
    )
    found = DatasetVersion.objects.filter(~Exists(newer), pk__in=versions)
    return found.select_related("dataset__budget").prefetch_related("columns").order_by("pk")
