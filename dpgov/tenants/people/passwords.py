"""What stands for a person's password, and how it is hashed anew when the way of hashing changes.

Must never take a hash that is made anew for another password, nor the other way round: API tokens
end with the password under which they were made, and with nothing else of it.
"""

import hashlib
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from dpgov.tenants.boundary import acting_as


def mark_of(encoded: str) -> str:
    """Another value for each hash that was ever stored; tells nothing about the password."""
    return hashlib.sha256(encoded.encode()).hexdigest()


class WithPassword(AbstractBaseUser):
    """Of a person, whose API tokens know the mark of the password that they were made under."""

    if TYPE_CHECKING:
        auth_token_set: Any

    class Meta:
        abstract = True

    @property
    def password_mark(self) -> str:
        """Another value for each password that was ever set; tells nothing about it."""
        return mark_of(self.password)

    def check_password(self, raw_password: str | None) -> bool:
        """Whether it is this one. If so, a hash made by an older rule is replaced."""
        return check_password(raw_password, self.password, self._hash_anew)

    def _hash_anew(self, raw_password: str) -> None:
        """The same password, so that its tokens stay: their marks change with the hash, or neither.

        Another one that was set since this one was read stays, and what it ended stays ended.
        """
        before = self.password
        self.set_password(raw_password)
        # For the library this is no change of the password, either.
        self._password = None
        people = get_user_model().objects.filter(pk=self.pk, password=before)
        with acting_as(self.pk), transaction.atomic():
            if not people.update(password=self.password):
                self.password = before
                return
            tokens = self.auth_token_set.filter(password_mark=mark_of(before))
            tokens.update(password_mark=self.password_mark)
