"""Emptying the database after a transactional test.

On PostgreSQL rows are deleted where there are any, by a superuser whose session runs no triggers:
TRUNCATE makes new files for every table, and lifting the triggers by DDL costs as much again; it is
kept for tables that are really full.
"""

import psycopg
from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase

from tests.triggers import without_triggers

_EMPTY_EACH = """
DO $$
DECLARE
    place regclass;
    filled boolean;
BEGIN
    FOR place IN
        SELECT c.oid::regclass FROM pg_class c
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
            AND c.relname NOT IN ('django_migrations', 'dpgov_auditor')
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', place) INTO filled;
        IF filled AND pg_relation_size(place) > 4000000 THEN
            EXECUTE format('TRUNCATE %s CASCADE', place);
        ELSIF filled THEN
            EXECUTE format('DELETE FROM %s', place);
        END IF;
    END LOOP;
END $$
"""


def empty_the_database(case: TransactionTestCase) -> None:
    """In place of Django's flush, which the append-only triggers refuse."""
    if connection.vendor == "postgresql":
        _delete_as_superuser()
    else:
        _flush()


def _delete_as_superuser() -> None:
    """A connection for this alone: it must not be open when the test database is dropped."""
    of = connection.settings_dict
    with psycopg.connect(
        host=of["HOST"],
        port=of["PORT"],
        dbname=of["NAME"],
        user="admin",
        password=of["PASSWORD"],
        options="-c session_replication_role=replica",
    ) as admin:
        admin.execute(_EMPTY_EACH)


def _flush() -> None:
    with without_triggers():
        call_command(
            "flush",
            verbosity=0,
            interactive=False,
            reset_sequences=False,
            inhibit_post_migrate=True,
        )
