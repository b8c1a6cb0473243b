"""The doors through row-level security that signing in and the command line need."""

from typing import ClassVar

from django.db import migrations

from dpgov.tenants.wall.functions import asked_by_policies, door


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tenants", "0002_projects")]

    operations: ClassVar = [
        asked_by_policies(),
        door(
            "dpgov_tenants()",
            returns="TABLE (id uuid, slug text, name text)",
            body="SELECT id, slug::text, name::text FROM tenants_tenant",
        ),
        door(
            "dpgov_belongs_somewhere(uuid)",
            returns="boolean",
            body="SELECT EXISTS (SELECT 1 FROM tenants_membership WHERE user_id = $1)",
        ),
        door(
            "dpgov_users_of_token(text)",
            returns="SETOF uuid",
            body="SELECT user_id FROM tenants_apitoken WHERE token_key = $1",
        ),
    ]
