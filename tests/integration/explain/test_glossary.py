"""The glossary: every word has its place, and every "?" leads to one."""

import re
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.test import Client
from django.urls import reverse

from dpgov.explain.glossary import TERMS, THEMES
from dpgov.tenants.models import Membership
from tests.integration.dashboards.reading import page

TEMPLATES = Path(settings.BASE_DIR) / "templates"
_USED = re.compile(r'"_term\.html" with term="([^"]+)"')


def test_each_word_is_explained_once() -> None:
    anchors = [term.anchor for theme in THEMES for term in theme.terms]
    assert len(anchors) == len(set(anchors)) == len(TERMS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", anchor) for anchor in anchors)
    assert {other for term in TERMS.values() for other in term.see} <= set(anchors)


def test_the_words_of_the_field_are_all_there() -> None:
    wanted = "epsilon delta rho privacy-unit neighbouring-relation sensitivity release charge"
    assert set(f"{wanted} allocation budget reservation group-size mechanism".split()) <= set(TERMS)


def test_every_question_mark_leads_to_a_word() -> None:
    used = {
        anchor for path in TEMPLATES.rglob("*.html") for anchor in _USED.findall(path.read_text())
    }
    assert used
    assert used <= set(TERMS)


def test_the_page_has_every_anchor(
    analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    html = page(client_for(analyst), reverse("explain:glossary"))
    assert all(f'id="{anchor}"' in html for anchor in TERMS)
