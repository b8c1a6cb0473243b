"""What a few words lead to, among what this reader may see. Never reads data or an answer.

Every word must begin or stand inside of what is shown. Analysts find their own questions only, and
no other person; entries of the log are found by their number, by officers.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dpgov.audit.selectors import log_size
from dpgov.dashboards.navigation import sections_for
from dpgov.datasets.models import Column
from dpgov.datasets.selectors import datasets_of
from dpgov.explain.lessons.registry import LESSONS
from dpgov.queries.selectors import visible_queries
from dpgov.queries.wording.words import in_words
from dpgov.surveys.selectors import surveys_of
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, abilities, may
from dpgov.tenants.selectors import members_of
from dpgov.web.lists import holding

MOST_OF_A_KIND = 6
_MOST_WORDS = 6
# Older questions are found on their own page, with filters.
_QUESTIONS_READ = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found: what it is called, a word more about it, and where it is."""

    label: str
    about: str
    href: str


@dataclass(frozen=True, slots=True)
class HitGroup:
    """Hits of one kind under their heading."""

    heading: str
    hits: tuple[Hit, ...]


def find_anything(membership: Membership, text: str) -> list[HitGroup]:
    """What matches every word of the text, a few of each kind; nothing without a word."""
    words = text.casefold().split()[:_MOST_WORDS]
    if not words:
        return []
    can = abilities(membership)
    kinds: dict[str, Callable[[], Iterator[Hit]]] = {
        _("Pages"): lambda: _pages(can, words),
        _("Lessons"): lambda: _lessons(words),
        _("Datasets"): lambda: _datasets(membership, can, words),
        _("Columns"): lambda: _columns(membership, words),
        _("Questions"): lambda: _questions(membership, words),
        _("Surveys"): lambda: _surveys(membership, can, words),
        _("People"): lambda: _people(membership, words),
        _("Log"): lambda: _entries(membership, words),
    }
    found = (HitGroup(name, tuple(islice(hits(), MOST_OF_A_KIND))) for name, hits in kinds.items())
    return [kind for kind in found if kind.hits]


def _holds(words: list[str], *texts: str) -> bool:
    together = " ".join(texts).casefold()
    return all(word in together for word in words)


def _pages(can: Mapping[str, bool], words: list[str]) -> Iterator[Hit]:
    for section in sections_for(can, ""):
        for place in section.places:
            heading, label = str(section.section.label), str(place.page.label)
            if _holds(words, heading, label):
                about = heading if heading != label else ""
                yield Hit(label, about, reverse(place.page.name))
    for name, label, permission in _TO_DO:
        if can.get(permission) and _holds(words, _(label)):
            yield Hit(_(label), "", reverse(name))


def _lessons(words: list[str]) -> Iterator[Hit]:
    heading = _("Lessons")
    for lesson in LESSONS:
        if _holds(words, heading, lesson.name):
            yield Hit(lesson.name, lesson.lead, reverse("explain:lesson", args=[lesson.slug]))


# What can be done without one: the page, its words and who may.
_TO_DO = (
    ("datasets:upload", gettext_noop("Register a dataset"), "register_datasets"),
    ("surveys:new", gettext_noop("New survey"), "make_surveys"),
    ("people:invitations", gettext_noop("Invite a member"), "manage_members"),
    ("tenants:tokens", gettext_noop("API tokens"), "use_api"),
)
# What can be done with a dataset: the page, its words and who may.
_OF_A_DATASET = (
    ("queries:ask", gettext_noop("Ask a question"), "submit_queries"),
    ("dashboards:budget", gettext_noop("Budget"), "view_datasets"),
    ("limits:limits", gettext_noop("Limits"), "view_split_by_analyst"),
    ("oversight:patterns", gettext_noop("Suspicious patterns"), "view_split_by_analyst"),
    ("datasets:settings", gettext_noop("Settings"), "register_datasets"),
    ("datasets:policy", gettext_noop("Policy"), "register_datasets"),
    ("datasets:versions", gettext_noop("New version"), "register_datasets"),
    ("datasets:pause", gettext_noop("Pause"), "register_datasets"),
    ("datasets:limit", gettext_noop("Limit"), "register_datasets"),
)


def _datasets(membership: Membership, can: Mapping[str, bool], words: list[str]) -> Iterator[Hit]:
    """Datasets whose name holds the words, and what can be done with one of them."""
    named = holding(words, ("name", "description"))
    doing = {}
    for name, label, permission in _OF_A_DATASET:
        said = _(label)
        others = [word for word in words if word not in said.casefold()]
        if len(others) < len(words) and can.get(permission):
            doing[name] = said
            named |= holding(others, ("name",))
    # Each of them is a hit, at least once.
    for dataset in datasets_of(membership).filter(named)[:MOST_OF_A_KIND]:
        if _holds(words, dataset.name, dataset.description):
            yield Hit(dataset.name, "", reverse("datasets:detail", args=[dataset.slug]))
        for name, said in doing.items():
            if _holds(words, said, dataset.name):
                yield Hit(f"{said}: {dataset.name}", "", reverse(name, args=[dataset.slug]))


def _columns(membership: Membership, words: list[str]) -> Iterator[Hit]:
    datasets = datasets_of(membership).order_by().select_related(None)
    found = Column.objects.filter(holding(words, ("name",)), version__dataset__in=datasets)
    found = found.select_related("version__dataset")
    seen = set()
    for column in found.order_by("name", "-version__number")[: 8 * MOST_OF_A_KIND]:
        dataset = column.version.dataset
        if (column.name, dataset.pk) not in seen:
            seen.add((column.name, dataset.pk))
            yield Hit(column.name, dataset.name, reverse("datasets:detail", args=[dataset.slug]))


def _questions(membership: Membership, words: list[str]) -> Iterator[Hit]:
    for query in visible_queries(membership)[:_QUESTIONS_READ]:
        said = in_words(query.plan)
        if _holds(words, said, query.dataset.name, query.analyst.name):
            day = date_format(localtime(query.submitted_at), "DATE_FORMAT")
            about = f"{query.dataset.name}, {day}"
            yield Hit(said, about, reverse("queries:detail", args=[query.pk]))


def _surveys(membership: Membership, can: Mapping[str, bool], words: list[str]) -> Iterator[Hit]:
    """By what they ask; drafts for those alone who see them in the list."""
    if not can.get("view_surveys"):
        return
    for survey in surveys_of(membership)[:_QUESTIONS_READ]:
        if _holds(words, survey.question):
            href = reverse("surveys:detail", args=[survey.pk])
            yield Hit(survey.question, date_format(survey.closes_on, "DATE_FORMAT"), href)


def _people(membership: Membership, words: list[str]) -> Iterator[Hit]:
    """For who manages members, the page about them; for who sees everybody's questions, theirs."""
    manages = may(membership, Permission.MANAGE_MEMBERS)
    if not manages and not may(membership, Permission.VIEW_ALL_QUERIES):
        return
    named = members_of(membership.tenant).filter(holding(words, ("user__name", "user__email")))
    for one in named[:MOST_OF_A_KIND]:
        history = f"{reverse('dashboards:history')}?analyst={one.user_id}"
        member = f"{reverse('people:members')}?{urlencode({'q': one.user.email})}"
        yield Hit(one.user.name or one.user.email, one.roles_label, member if manages else history)


def _entries(membership: Membership, words: list[str]) -> Iterator[Hit]:
    if len(words) != 1 or not may(membership, Permission.READ_AUDIT_LOG):
        return
    digits = words[0].removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        return
    number = int(digits)
    if 0 < number <= log_size(membership.tenant_id):
        href = reverse("oversight:audit_entry", args=[number])
        yield Hit(_("Entry {number}").format(number=number), _("Audit log"), href)
