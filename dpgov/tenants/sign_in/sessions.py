"""Sessions in the database that remember until when they are kept, and messages of one page.

So that a click can prolong a session without writing at each click.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Django's own; `kept_until` is None for a session that was not read from the database."""

    kept_until: datetime | None = None

    def _get_session_from_db(self) -> Any:
        found = super()._get_session_from_db()  # type: ignore[misc]
        self.kept_until = found.expire_date if found else None
        return found


class _OwnCookie(CookieStorage):
    cookie_name = settings.SESSION_COOKIE_NAME.replace("sessionid", "messages")


class MessageStorage(FallbackStorage):
    """Django's own, in a cookie of a name like our others."""

    storage_classes = (_OwnCookie, SessionStorage)
