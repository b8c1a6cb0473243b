"""Somebody who signs in, which is what is counted in the cache."""

from secrets import token_urlsafe

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.tenants.models import Membership

PASSWORD = token_urlsafe()


@pytest.fixture
def person(analyst: Membership) -> str:
    """Whose password it is, by their e-mail."""
    analyst.user.set_password(PASSWORD)
    analyst.user.save()
    return analyst.user.email


def sign_in(email: str, password: str) -> int:
    """The status of the answer: 302 where it is right."""
    answer = Client().post(reverse("account_login"), {"login": email, "password": password})
    return answer.status_code
