"""Sessions in the database that write what a request changed alone, and messages of one page.

They remember until when they are kept, so that a click can prolong a session without writing at
each click.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db.models import QuerySet

from dpgov.operation.clock import Now
from dpgov.operation.prepared import Prepared

_ABSENT = object()


@Prepared
def _going_on(session_key: str) -> QuerySet[Any]:
    """The session of a key, which has not ended by the database's clock."""
    kept = SessionStore.get_model_class().objects
    return kept.filter(session_key=session_key, expire_date__gt=Now())


class SessionStore(db.SessionStore):
    """Django's own, but of two requests at a time neither writes back what the other changed.

    Whoever sends a large file may go to another organisation, put a question aside or choose
    another range meanwhile; what they did last holds when the file has arrived. What both change
    under one name is the later one's: where two tabs put a question of one dataset aside at the
    same instant, one of the two stays. `kept_until` is None for a session that was not read from
    the database.
    """

    kept_until: datetime | None = None
    _as_read: str = ""

    def save(self, must_create: bool = False) -> None:
        """Raises UpdateError where the session has ended meanwhile."""
        mine = self._session  # type: ignore[attr-defined]
        if must_create or self.session_key is None:
            super().save(must_create=must_create)
            return
        before = self._read_as(self._as_read)
        while not self._replaces(self._as_read):
            found = self._get_session_from_db()
            if found is None:
                raise UpdateError
            now = self._read_as(found.session_data)
            self._session_cache = _merged(before, mine, now)

    def _validate_session_key(self, key: str | None) -> bool:
        """A key as they are made: a cookie can spell others, and no database is asked for NUL."""
        return bool(key and key.isalnum() and super()._validate_session_key(key))  # type: ignore[misc]

    def create_model_instance(self, data: Any) -> Any:
        """Whatever is written next is merged against this, also where the row is a new one."""
        made = super().create_model_instance(data)
        self._as_read = made.session_data
        return made

    def _replaces(self, known: str) -> bool:
        """Whether what is kept was still this; then it is what this session says."""
        kept = self.create_model_instance(self._session)  # type: ignore[attr-defined]
        same = self.model.objects.filter(session_key=self.session_key, session_data=known)
        return bool(same.update(session_data=kept.session_data, expire_date=kept.expire_date))

    def _read_as(self, encoded: str) -> dict[str, Any]:
        return self.decode(encoded) if encoded else {}

    def _get_session_from_db(self) -> Any:
        found = _going_on.first(self.session_key or "")
        if found is None:
            self._session_key = None
        self.kept_until = found.expire_date if found else None
        self._as_read = found.session_data if found else ""
        return found


def _merged(before: dict[str, Any], mine: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """What stands there now, with what this request changed in what it had read."""
    removed = before.keys() - mine.keys()
    changed = {name: value for name, value in mine.items() if value != before.get(name, _ABSENT)}
    return {name: value for name, value in now.items() if name not in removed} | changed


class _OwnCookie(CookieStorage):
    cookie_name = settings.SESSION_COOKIE_NAME.replace("sessionid", "messages")


class MessageStorage(FallbackStorage):
    """Django's own, in a cookie of a name like our others."""

    storage_classes = (_OwnCookie, SessionStorage)
