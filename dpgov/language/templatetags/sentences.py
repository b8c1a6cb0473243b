"""Stored sentences in templates."""

from django import template

from dpgov.language.translation import retold

register = template.Library()
register.filter("retold", retold)
