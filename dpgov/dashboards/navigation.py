"""Where a page stands: five sections in the bar, and inside a section a tab for each of its pages.

One table says which pages there are, for whom, and what waits behind them; the bar, the tabs and
the search over everything read it. Must never read data.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dpgov.tenants.permissions import Permission


@dataclass(frozen=True, slots=True)
class Page:
    """An entry of a section: where it leads, for whom, and whose waiting things it counts.

    `covers` are the names of further pages that belong to it, and `room` is where every page that
    nobody names belongs to it.
    """

    name: str
    label: Promise
    allowed: tuple[Permission, ...]
    waiting: str = ""
    covers: tuple[str, ...] = ()
    room: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the bar."""

    label: Promise
    pages: tuple[Page, ...]


SECTIONS = (
    Section(
        _("Home"),
        (Page("dashboards:home", _("Home"), (Permission.VIEW_DATASETS,)),),
    ),
    Section(
        _("Datasets"),
        (
            Page(
                "datasets:list",
                _("All datasets"),
                (Permission.VIEW_DATASETS,),
                room="datasets",
                covers=(
                    "dashboards:budget",
                    "explain:group_privacy",
                    "explain:comparison",
                    "explain:understanding",
                    "limits:limits",
                    "oversight:patterns",
                    "oversight:record",
                    "limits:rate",
                    "limits:allocation_new",
                    "limits:allocation_change",
                    "limits:allocation_withdraw",
                    "limits:raise_limit",
                    "queries:ask",
                    "queries:ask_sql",
                    "queries:batch",
                    "queries:tables",
                    "queries:compare",
                    "queries:ready_made",
                    "queries:ready_made_new",
                    "queries:ready_made_ask",
                    "queries:unit_rows",
                ),
            ),
            Page("dashboards:portfolio", _("Portfolio"), (Permission.VIEW_SPLIT_BY_ANALYST,)),
            Page(
                "limits:shared_budgets",
                _("Shared budgets"),
                (Permission.VIEW_SHARED_BUDGETS,),
                covers=(
                    "limits:shared_budget",
                    "limits:shared_budget_new",
                    "limits:shared_budget_accept",
                    "limits:shared_budget_join",
                    "limits:shared_budget_limit",
                    "limits:shared_budget_raise",
                    "limits:shared_budget_merge",
                    "limits:shared_budget_divide",
                    "limits:shared_budget_share",
                ),
            ),
            Page("datasets:archived", _("Archived"), (Permission.REGISTER_DATASETS,)),
        ),
    ),
    Section(
        _("Questions"),
        (
            Page(
                "dashboards:history",
                _("Questions"),
                (Permission.SUBMIT_QUERIES, Permission.VIEW_ALL_QUERIES),
                room="queries",
                covers=("dashboards:history_export",),
            ),
            Page("queries:saved", _("Saved questions"), (Permission.SUBMIT_QUERIES,)),
            Page("surveys:list", _("Surveys"), (Permission.VIEW_SURVEYS,), room="surveys"),
            Page("joint:list", _("Joint questions"), (Permission.REQUEST_CHANGES,), room="joint"),
        ),
    ),
    Section(
        _("Approvals"),
        (
            Page(
                "oversight:approvals",
                _("Decisions"),
                (Permission.REQUEST_CHANGES,),
                waiting="decisions",
                covers=("oversight:approval", "limits:refund", "oversight:frozen"),
            ),
            Page(
                "queries:budget_requests",
                _("Requests for budget"),
                (Permission.SUBMIT_QUERIES, Permission.REGISTER_DATASETS),
                waiting="requests",
                covers=(
                    "queries:budget_ask",
                    "queries:budget_request",
                    "queries:budget_answer",
                    "queries:approval_new",
                ),
            ),
            Page(
                "datasets:new_data",
                _("New data"),
                (Permission.DECIDE_CHANGES,),
                covers=("datasets:look", "datasets:new_data_rule", "datasets:agreements"),
            ),
        ),
    ),
    Section(
        _("Log"),
        (
            Page(
                "oversight:audit_log",
                _("Audit log"),
                (Permission.READ_AUDIT_LOG,),
                covers=(
                    "oversight:audit_entry",
                    "oversight:audit_export",
                    "oversight:audit_verify",
                ),
            ),
            Page(
                "oversight:month",
                _("Monthly report"),
                (Permission.READ_AUDIT_LOG,),
                covers=("oversight:month_report", "oversight:month_csv"),
            ),
            Page(
                "oversight:audit_checkpoints",
                _("Checkpoints"),
                (Permission.READ_AUDIT_LOG,),
                covers=(
                    "oversight:audit_checkpoint",
                    "oversight:audit_consistency",
                    "oversight:audit_keys",
                ),
            ),
            Page("oversight:noise_check", _("Noise check"), (Permission.READ_AUDIT_LOG,)),
        ),
    ),
    Section(
        _("Organisation"),
        (
            Page("people:members", _("Members"), (Permission.MANAGE_MEMBERS,), room="people"),
            Page(
                "tenants:projects",
                _("Projects"),
                (Permission.MANAGE_PROJECTS,),
                covers=("tenants:project", "tenants:project_end"),
            ),
            Page(
                "notices:webhooks",
                _("Webhooks"),
                (Permission.MANAGE_WEBHOOKS,),
                covers=("notices:webhook", "notices:webhook_remove"),
            ),
        ),
    ),
)
_PAGES = tuple(page for section in SECTIONS for page in section.pages)
_BY_NAME = {name: page for page in _PAGES for name in (page.name, *page.covers)}
_BY_ROOM = {page.room: page for page in _PAGES if page.room}


@dataclass(frozen=True, slots=True)
class MenuPage:
    """A page as one reader sees it in a menu; `waiting` is how many things wait there."""

    page: Page
    active: bool
    current: bool
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class MenuSection:
    """A section as one reader sees it. It leads to the first of its pages."""

    section: Section
    places: tuple[MenuPage, ...]

    @property
    def name(self) -> str:
        """The address's name of the first page."""
        return self.places[0].page.name

    @property
    def text(self) -> Promise:
        """What the bar says: the section, or the page where only one is open and not the first."""
        only = self.places[0].page
        alone = len(self.places) == 1 and only is not self.section.pages[0]
        return only.label if alone else self.section.label

    @property
    def active(self) -> bool:
        """Whether the page that is open belongs here."""
        return any(place.active for place in self.places)

    @property
    def waiting(self) -> int:
        """How many things wait in all pages of the section."""
        return sum(place.waiting for place in self.places)


def sections_for(
    can: Mapping[str, bool], here: str, waiting: Mapping[str, int] | None = None
) -> tuple[MenuSection, ...]:
    """The sections of which this reader may open a page, in the order of the bar."""
    page = page_of(here)
    found = (
        MenuSection(section, _places(section, can, page, here, waiting or {}))
        for section in SECTIONS
    )
    return tuple(section for section in found if section.places)


def page_of(here: str) -> Page | None:
    """The page of the menus that the address called `here` belongs to."""
    return _BY_NAME.get(here) or _BY_ROOM.get(here.partition(":")[0])


def _places(
    section: Section,
    can: Mapping[str, bool],
    active: Page | None,
    here: str,
    waiting: Mapping[str, int],
) -> tuple[MenuPage, ...]:
    return tuple(
        MenuPage(page, page is active, here == page.name, waiting.get(page.waiting, 0))
        for page in section.pages
        if any(can.get(permission.name.lower(), False) for permission in page.allowed)
    )
