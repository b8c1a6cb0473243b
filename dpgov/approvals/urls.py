"""Pages about the people of a tenant, whose roles take two persons."""

from django.urls import path

from dpgov.approvals import views, views_invitations, views_tokens

app_name = "people"
urlpatterns = [
    path("members/", views.members, name="members"),
    path("members/<uuid:membership_id>/role/", views.member_role, name="member_role"),
    path(
        "members/<uuid:membership_id>/role/withdraw/",
        views.member_role_withdraw,
        name="member_role_withdraw",
    ),
    path("members/<uuid:membership_id>/remove/", views.member_remove, name="member_remove"),
    path("members/tokens/", views_tokens.member_tokens, name="member_tokens"),
    path(
        "members/tokens/<uuid:reference>/end/",
        views_tokens.member_token_end,
        name="member_token_end",
    ),
    path("members/invitations/", views_invitations.invitations, name="invitations"),
    path(
        "members/invitations/<uuid:invitation_id>/again/",
        views_invitations.again,
        name="invitation_again",
    ),
    path(
        "members/invitations/<uuid:invitation_id>/revoke/",
        views_invitations.revoke,
        name="invitation_revoke",
    ),
]
