"""Pages about the people of a tenant, whose roles take two persons."""

from django.urls import path

from dpgov.approvals.web import invitations, members, tokens

app_name = "people"
urlpatterns = [
    path("members/", members.members, name="members"),
    path("members/<uuid:membership_id>/role/", members.member_role, name="member_role"),
    path(
        "members/<uuid:membership_id>/role/withdraw/",
        members.member_role_withdraw,
        name="member_role_withdraw",
    ),
    path("members/<uuid:membership_id>/remove/", members.member_remove, name="member_remove"),
    path("members/tokens/", tokens.member_tokens, name="member_tokens"),
    path(
        "members/tokens/<uuid:reference>/end/",
        tokens.member_token_end,
        name="member_token_end",
    ),
    path("members/invitations/", invitations.invitations, name="invitations"),
    path(
        "members/invitations/<uuid:invitation_id>/again/",
        invitations.again,
        name="invitation_again",
    ),
    path(
        "members/invitations/<uuid:invitation_id>/revoke/",
        invitations.revoke,
        name="invitation_revoke",
    ),
]
