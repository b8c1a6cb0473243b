"""The large numbers at the top of Home, for each role its own; one or two statements for all.

From the log, counted refusals, plans and processes; never from data. Whoever may not see a number
gets no tile for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from dpgov.audit.actions import Action
from dpgov.audit.selectors import EntryFilter, checkpoints_of, entries_of
from dpgov.dashboards.forecast.pace import DAYS, first_day
from dpgov.datasets.audience import seen
from dpgov.datasets.selectors import open_to_questions
from dpgov.joint.heard import misses_its_worker
from dpgov.notices.models import Delivery, State
from dpgov.operation import clock
from dpgov.operation.prepared import Prepared
from dpgov.oversight.pattern_count import PatternCount, count_patterns
from dpgov.oversight.patterns import LOOKED_AT
from dpgov.queries.answering.heartbeat import Beat, last_beat
from dpgov.queries.answering.workers import workers
from dpgov.queries.models import Query, Refusal
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import membership_in, places_of


@dataclass(frozen=True, slots=True)
class Tile:
    """A number with its name, a sentence about it, and the page that it leads to.

    `alarm` where somebody should look; `slug` of the dataset where the page is that of one.
    """

    title: str
    figure: str
    text: str
    url_name: str = ""
    alarm: bool = False
    slug: str = ""


def officer_tiles(membership: Membership, today: date) -> list[Tile]:
    """Refusals, how far the log is proved, and patterns among what was asked."""
    tenant = membership.tenant_id
    (found,) = _of_the_log(membership.pk, tenant, first_day(today))
    return [_refusals(found), _proof(found), _patterns(count_patterns(tenant))]


@Prepared
def _of_the_log(membership_id: UUID, tenant_id: UUID, since: date) -> QuerySet[Membership, Any]:
    refused = Refusal.objects.filter(tenant=tenant_id, day__gte=since)
    verified = entries_of(tenant_id, EntryFilter(action=Action.AUDIT_LOG_VERIFIED.value))
    return _numbers(
        membership_id,
        refused=refused.order_by().values("tenant").annotate(n=Sum("number")).values("n"),
        entries=entries_of(tenant_id).values("sequence")[:1],
        signed=checkpoints_of(tenant_id).values("size")[:1],
        verified=verified.values("at")[:1],
    )


def _numbers(membership_id: UUID, **asked: QuerySet[Any, Any]) -> QuerySet[Membership, Any]:
    named = {name: Subquery(query) for name, query in asked.items()}
    return Membership.objects.filter(pk=membership_id).values(**named)


def _refusals(found: Mapping[str, Any]) -> Tile:
    return Tile(
        _("Refused in 30 days"),
        _number(found["refused"] or 0),
        _("Questions that did not fit a budget or a policy. Refusals cost nothing."),
        "oversight:month",
    )


def _proof(found: Mapping[str, Any]) -> Tile:
    entries, signed, at = found["entries"] or 0, found["signed"] or 0, found["verified"]
    day = pgettext("date format", "j M Y, H:i")
    checked = (
        _("Verified on %(moment)s.") % {"moment": date_format(timezone.localtime(at), day)}
        if isinstance(at, datetime)
        else _("Nobody has verified it yet.")
    )
    words = _("of %(entries)s in the log. %(checked)s") % {
        "entries": _number(entries),
        "checked": checked,
    }
    title = _("Log proved up to entry")
    return Tile(title, _number(signed), words, "oversight:audit_log", alarm=at is None)


def _patterns(found: PatternCount) -> Tile:
    """Leads to the dataset with most of them."""
    text = _(
        "Among the newest %(number)s paid questions: such as could be subtracted from each other, "
        "or were paid three times or more."
    ) % {"number": _number(LOOKED_AT)}
    where = "oversight:patterns" if found.slug else ""
    return Tile(_("Suspicious patterns"), _number(found.number), text, where, slug=found.slug)


def analyst_tiles(membership: Membership, today: date) -> list[Tile]:
    """This person's answers, and the stored ones, whoever asked, that cost nothing to take.

    Those that were asked before today: so that the number does not tell when an answer came.
    """
    since, begin = (
        datetime.combine(day, datetime.min.time(), UTC) for day in (first_day(today), today)
    )
    (found,) = _of_answers(*places_of(membership), since, begin, roles=membership.roles_code)
    return [
        Tile(
            _("Your answers in 30 days"),
            _number(found["own"] or 0),
            _("All of them stay readable, with their receipts."),
            "dashboards:history",
        ),
        Tile(
            _("Free answers"),
            _number(found["stored"] or 0),
            _("Different questions answered in 30 days. Ask one of them again and it is free."),
            "datasets:find",
        ),
    ]


@Prepared
def _of_answers(
    membership_id: UUID,
    tenant_id: UUID,
    user_id: UUID,
    since: datetime,
    begin: datetime,
    *,
    roles: str,
) -> QuerySet[Membership, Any]:
    reader = membership_in(membership_id, tenant_id, user_id, roles)
    lately = Query.objects.filter(
        tenant=tenant_id, state=Query.State.RELEASED, submitted_at__gte=since
    ).order_by()
    own = lately.filter(analyst=user_id)
    stored = lately.filter(
        open_to_questions("dataset__"),
        seen(reader, "dataset__"),
        reuse=False,
        submitted_at__lt=begin,
    ).exclude(canonical_sha256="")
    return _numbers(membership_id, own=_count(own), stored=_count(stored, "canonical_sha256"))


def admin_tiles(membership: Membership) -> list[Tile]:
    """People without a second factor, webhooks that fail, and whether anybody answers.

    The last is nothing for somebody who asks questions too (E8): how many workers are ready may
    differ by what the questions before made of them.
    """
    tenant, lately = membership.tenant_id, clock.now() - timedelta(days=DAYS)
    (found,) = _of_people(membership.pk, tenant, lately)
    tiles = [_without_factor(found["without"] or 0), _webhooks(found["failing"] or 0)]
    return tiles if membership.has(Role.ANALYST) else [*tiles, _processes(tenant)]


@Prepared
def _of_people(membership_id: UUID, tenant_id: UUID, lately: datetime) -> QuerySet[Membership, Any]:
    factors = Authenticator.objects.filter(
        user_id=OuterRef("user_id"), type__in=(Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    )
    people = Membership.objects.filter(~Exists(factors), tenant=tenant_id, user__is_active=True)
    failing = Delivery.objects.filter(
        Q(state=State.GIVEN_UP) | Q(state=State.WAITING, attempts__gt=0),
        tenant=tenant_id,
        webhook__ended_at__isnull=True,
        due_at__gte=lately,
    )
    return _numbers(membership_id, without=_count(people), failing=_count(failing, "webhook"))


def _count(rows: QuerySet[Any], of: str = "pk") -> QuerySet[Any, Any]:
    by_tenant = rows.order_by().values("tenant")
    counted: QuerySet[Any, Any] = by_tenant.annotate(n=Count(of, distinct=True)).values("n")
    return counted


def _without_factor(number: int) -> Tile:
    asked = bool(settings.DPGOV_MFA_REQUIRED)
    text = (
        _("People with a password alone. Some roles are asked for a second factor.")
        if asked
        else _("People with a password alone. This installation asks no role for more.")
    )
    title = _("Without a second factor")
    return Tile(title, _number(number), text, "people:members", alarm=number > 0)


def _webhooks(number: int) -> Tile:
    text = _("Those whose deliveries were refused or found nobody in the last 30 days.")
    title = _("Failing webhooks")
    return Tile(title, _number(number), text, "notices:webhooks", alarm=number > 0)


def _processes(tenant: UUID) -> Tile:
    """Every worker that said something within a minute, the sweeper, and one's own joint worker."""
    ready, unready = workers()
    beat = last_beat()
    words = ngettext("%(number)s worker", "%(number)s workers", ready) % {"number": _number(ready)}
    swept = beat is not None and beat.is_alive
    text = _sweeper(beat)
    if unready:
        missing = ngettext(
            "%(number)s worker is not ready.", "%(number)s workers are not ready.", unready
        )
        text = f"{text} {missing % {'number': _number(unready)}}"
    alone = misses_its_worker(tenant)
    if alone:
        silent = _("A joint question waits, and your joint worker has not been heard of.")
        text = f"{text} {silent}"
    alarm = not ready or not swept or unready > 0 or alone
    return Tile(_("Answering now"), words, text, alarm=alarm)


def _sweeper(beat: Beat | None) -> str:
    if beat is None or not beat.is_alive:
        return _("The sweeper has not been heard of.")
    began = date_format(timezone.localtime(beat.started_at), pgettext("date format", "j M Y, H:i"))
    return _("The sweeper has been running since %(moment)s.") % {"moment": began}


def _number(value: int) -> str:
    return str(number_format(value, force_grouping=True))
