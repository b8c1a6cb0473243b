"""The filters that travel from dashboard to dashboard, as far as a page of sums can follow them.

For owners and officers alone: sums of others by statistic, person or purpose are nothing for an
analyst, whose filters narrow the list of their own questions and no sum of everybody's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dpgov.dashboards.purposes import NONE_STATED, UNSTATED, charged_for
from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.answering.tally import analysts_who_asked, kinds_with
from dpgov.queries.kinds import is_kind, kind_in_words
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may
from dpgov.web.picking import is_key


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is on: its name in the address, its label and what it says."""

    name: str
    label: str
    words: str


@dataclass(frozen=True, slots=True)
class ChosenQuestions:
    """Whose questions, of which statistic, charged for which purpose; empty where all are meant."""

    tenant_id: UUID
    analyst: User | None = None
    statistic: str = ""
    purpose: str = ""

    @classmethod
    def read(cls, membership: Membership, data: Mapping[str, str]) -> "ChosenQuestions":
        """From an address; what is none, or not for this person, narrows nothing."""
        if not may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
            return cls(membership.tenant_id)
        statistic = data.get("statistic", "")
        known = is_kind(statistic) or statistic in STATISTICS
        analyst = _analyst(membership.tenant_id, data.get("analyst", ""))
        tenant_id, purpose = membership.tenant_id, data.get("purpose", "")
        return cls(tenant_id, analyst, statistic if known else "", purpose)

    @property
    def chips(self) -> list[Chip]:
        """Those that are on."""
        found = []
        if self.analyst:
            found.append(Chip("analyst", pgettext("person", "Analyst"), str(self.analyst)))
        if self.statistic:
            is_one = is_kind(self.statistic)
            words = kind_in_words(self.statistic) if is_one else _(STATISTICS[self.statistic].label)
            found.append(Chip("statistic", _("Statistic"), words))
        if self.purpose:
            words = str(NONE_STATED) if self.purpose == UNSTATED else self.purpose
            found.append(Chip("purpose", _("Purpose"), words))
        return found

    def address(self, **more: str) -> str:
        """For the list of the same questions, with more filters beside these."""
        own = {
            "analyst": str(self.analyst.pk) if self.analyst else "",
            "statistic": self.statistic,
            "purpose": self.purpose,
        }
        return urlencode({name: text for name, text in (more | own).items() if text})

    def of_statistic(self) -> Q:
        """On whatever notes a kind: one kind and no other, or all that name a statistic.

        Which these are takes two short reads.
        """
        if not self.statistic:
            return Q()
        if is_kind(self.statistic):
            return Q(kind=self.statistic)
        return Q(kind__in=kinds_with(self.tenant_id, self.statistic))

    def narrow(self, queries: QuerySet[Query]) -> QuerySet[Query]:
        """Those of them that are meant."""
        found = queries.filter(self.of_statistic())
        if self.analyst:
            found = found.filter(analyst=self.analyst)
        return charged_for(found, self.tenant_id, self.purpose) if self.purpose else found


def _analyst(tenant_id: UUID, text: str) -> User | None:
    """Somebody who asked about data of this tenant; a statement only where one is named."""
    if not text:
        return None
    named: dict[str, Any] = {"pk": text} if is_key(text) else {"email": text}
    return analysts_who_asked(tenant_id).filter(**named).first()
