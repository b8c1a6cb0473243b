"""Whether e-mails of this installation reach anybody, for the pages before signing in."""

from django import template

from dpgov.tenants import letters

register = template.Library()
register.simple_tag(letters.site_has_mail)
