"""The words of the field as this product uses them. An anchor, once published, stays."""

from dpgov.explain.glossary.promise import DECLARED, PEOPLE, PROMISE
from dpgov.explain.glossary.working import ANSWERS, ATTACKS, BUDGET

THEMES = (PROMISE, PEOPLE, DECLARED, ANSWERS, BUDGET, ATTACKS)
TERMS = {term.anchor: term for theme in THEMES for term in theme.terms}
