"""How a dataset stands on every page that says so, and what its own pages offer next."""

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from dpgov.datasets.models import Dataset

_OWN = ("datasets:detail", "dashboards:budget")
_LISTS = ("datasets:list", "datasets:find", "dashboards:home", "dashboards:portfolio")
_CHIP = r'class="chip chip-([\w-]+)"'


def chips(browser: Client, dataset: Dataset) -> dict[str, str]:
    """By page, for each page that this browser may open and that has the dataset."""
    found = {name: re.search(_CHIP, _page(browser, name, dataset.slug)) for name in _OWN}
    beside = rf'href="{reverse("datasets:detail", args=[dataset.slug])}">.*?{_CHIP}'
    found |= {name: re.search(beside, _page(browser, name), re.DOTALL) for name in _LISTS}
    return {name: chip.group(1) for name, chip in found.items() if chip}


def asks_for_budget(browser: Client, dataset: Dataset) -> set[bool]:
    """What the pages of the dataset offer first: a request for budget, or else a question."""
    to_request = reverse("queries:budget_ask", args=[dataset.slug]) + "?about=limit"
    buttons = {f'<a class="btn btn-primary" href="{to_request}">': True}
    to_ask = reverse("queries:ask", args=[dataset.slug])
    buttons[f'<a class="btn btn-primary" href="{to_ask}">'] = False
    shown = [_page(browser, name, dataset.slug) for name in _OWN]
    return {asks for page in shown for button, asks in buttons.items() if button in page}


def _page(browser: Client, name: str, *args: str) -> str:
    answer: Any = browser.get(reverse(name, args=args))
    return answer.content.decode() if answer.status_code == 200 else ""
