"""Pages about joining, projects, tokens, and the choice of tenant and language."""

from django.urls import path

from dpgov.tenants.web import joining, projects, tokens
from dpgov.tenants.web.middleware import choose_language

app_name = "tenants"
urlpatterns = [
    path("join/welcome/", joining.welcome, name="welcome"),
    path("join/<str:token>/", joining.join, name="join"),
    path("projects/", projects.projects, name="projects"),
    path("projects/<uuid:project_id>/", projects.project, name="project"),
    path("projects/<uuid:project_id>/end/", projects.project_end, name="project_end"),
    path(
        "projects/<uuid:project_id>/remove/<uuid:membership_id>/",
        projects.project_remove,
        name="project_remove",
    ),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<uuid:reference>/revoke/", tokens.token_revoke, name="token_revoke"),
    path("switch/", tokens.switch, name="switch"),
    path("language/", choose_language, name="language"),
]
