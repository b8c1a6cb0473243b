"""What the frame of every page needs: navigation, the tenant switch, where people
practise, and the budget meter.

Must never read data, and never show the split of a budget to who may not see it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from dpgov.budgets.models import Budget
from dpgov.budgets.words import amount, limit_text, together
from dpgov.dashboards.navigation import MenuSection, page_of, sections_for
from dpgov.dashboards.tour import tour_of
from dpgov.dashboards.travelling import travelling
from dpgov.tenants.models import Membership

register = template.Library()


@dataclass(frozen=True, slots=True)
class MeterPart:
    """A stretch of the meter, in percent of its width."""

    role: str
    label: str
    nano: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Meter:
    """A budget as stretches of a bar and as one sentence for who cannot see the bar."""

    parts: tuple[MeterPart, ...]
    sentence: str


@register.simple_tag
def budget_meter(budget: Budget, split: bool) -> Meter:
    """The meter of a budget; without `split`, reserved and spent are one amount."""
    amounts = (
        [
            ("spent", _("Spent"), budget.spent_nano),
            ("reserved", _("Reserved"), budget.reserved_nano),
        ]
        if split
        else [("spent", _("Committed"), budget.spent_nano + budget.reserved_nano)]
    )
    parts: list[MeterPart] = []
    for role, label, nano in amounts:
        start = parts[-1].start + parts[-1].width if parts else 0.0
        width = round(100 * nano / max(budget.limit_nano, 1), 3)
        parts.append(MeterPart(role, label, nano, start, width))
    return Meter(parts=tuple(parts), sentence=_meter_sentence(budget, split))


def _meter_sentence(budget: Budget, split: bool) -> str:
    currency = budget.currency
    words = (
        _("Budget: spent %(spent)s, reserved %(reserved)s, remaining %(left)s of %(limit)s.")
        if split
        else _("Budget: committed %(committed)s, remaining %(left)s of %(limit)s.")
    )
    return words % {
        "spent": together(budget.spent_nano, currency),
        "reserved": together(budget.reserved_nano, currency),
        "committed": together(budget.committed_nano, currency),
        "left": amount(budget.remaining_nano, currency),
        "limit": limit_text(budget),
    }


@register.simple_tag(takes_context=True)
def other_memberships(context: Any, membership: Membership | None) -> list[Membership]:
    """The memberships that the person could switch to."""
    current = membership.id if membership else None
    return [other for other in _memberships(context) if other.id != current]


@register.inclusion_tag("frame/_tour.html", takes_context=True)
def tour(context: Any, membership: Membership | None) -> dict[str, Any]:
    """What to do next, for who practises; nothing for everybody else, and no statement."""
    if membership is None or not membership.tenant.is_practice:
        return {}
    home = [one for one in _memberships(context) if one.tenant_id == membership.tenant.practice_of]
    return {
        "tour": tour_of(membership),
        "home": home[0] if home else None,
        "csrf_token": context.get("csrf_token"),
    }


@register.simple_tag(takes_context=True)
def practice_of(context: Any, membership: Membership) -> Membership | None:
    """Where the reader can practise for this organisation."""
    found = (m for m in _memberships(context) if m.tenant.practice_of == membership.tenant_id)
    return next(found, None)


def _memberships(context: Any) -> list[Membership]:
    found: list[Membership] = getattr(context.get("request"), "memberships", [])
    return found


@register.simple_tag
def zone_name() -> str:
    """The zone that times on pages are written in."""
    return timezone.get_current_timezone_name()


@register.simple_tag(takes_context=True)
def sections(context: Any, waiting: Mapping[str, int]) -> tuple[MenuSection, ...]:
    """The sections of which the reader may open a page; `waiting` as `waiting_for_reader` says."""
    return sections_for(context.get("can", {}), _here(context), waiting)


@register.simple_tag(takes_context=True)
def way_to(context: Any, name: str) -> str:
    """The address of a page of the menus; from dashboard to dashboard with what was chosen."""
    return reverse(name) + travelling(context, _here(context), name)


@register.simple_tag(takes_context=True)
def way_to_budget(context: Any, dataset: Any) -> str:
    """The address of one dataset's budget, with what was chosen."""
    name = "dashboards:budget"
    return reverse(name, args=[dataset.slug]) + travelling(context, _here(context), name)


@register.inclusion_tag("frame/_crumbs.html", takes_context=True)
def crumbs(context: Any, dataset: Any = None) -> dict[str, Any]:
    """The way back: the page of the menus that this one belongs to, and the dataset it is about.

    Nothing on a page that the menus lead to by themselves.
    """
    here = _here(context)
    page = page_of(here)
    if page is None or here == page.name:
        return {}
    slug = "" if here == "datasets:detail" else getattr(dataset, "slug", "")
    return {"page": page, "dataset": dataset if slug else None}


# What the page of a tab leads to and is no tab of its own.
_WITHIN = {
    "datasets:settings": frozenset(
        f"datasets:{name}"
        for name in (
            *("rename", "describe", "audience", "access", "policy", "terms", "set_terms", "limit"),
            *("pause", "retention", "archive", "versions", "add_version", "delete_version"),
            *("live", "refresh_live", "derive", "unit_bounds", "permit"),
        )
    )
    | {"queries:unit_rows", "oversight:record"},
    "queries:ask": frozenset({"queries:tables"}),
}


@register.inclusion_tag("frame/_tab.html", takes_context=True)
def tab_link(context: Any, name: str, slug: str, text: str) -> dict[str, Any]:
    """An entry of a dataset's tabs."""
    here = _here(context)
    active = here == name or here.startswith(f"{name}_") or here in _WITHIN.get(name, ())
    href = _href(name, slug) + travelling(context, here, name)
    return {"href": href, "text": text, "active": active, "current": here == name}


def _href(name: str, *args: str) -> str:
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


def _here(context: Any) -> str:
    match = getattr(context.get("request"), "resolver_match", None)
    return match.view_name if match is not None else ""
