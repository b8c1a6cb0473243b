"""Pages about the people of a tenant."""

from django.urls import path

from dpgov.tenants import views

app_name = "tenants"
urlpatterns = [
    path("members/", views.members, name="members"),
    path("members/<uuid:membership_id>/role/", views.member_role, name="member_role"),
    path("members/<uuid:membership_id>/remove/", views.member_remove, name="member_remove"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<uuid:reference>/revoke/", views.token_revoke, name="token_revoke"),
    path("switch/", views.switch, name="switch"),
]
