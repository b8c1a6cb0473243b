"""Pages about joining, projects, tokens, and the choice of tenant and language."""

from django.urls import path

from dpgov.tenants import views, views_joining, views_projects
from dpgov.tenants.language import choose_language

app_name = "tenants"
urlpatterns = [
    path("join/<str:token>/", views_joining.join, name="join"),
    path("projects/", views_projects.projects, name="projects"),
    path("projects/<uuid:project_id>/", views_projects.project, name="project"),
    path("projects/<uuid:project_id>/end/", views_projects.project_end, name="project_end"),
    path(
        "projects/<uuid:project_id>/remove/<uuid:membership_id>/",
        views_projects.project_remove,
        name="project_remove",
    ),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<uuid:reference>/revoke/", views.token_revoke, name="token_revoke"),
    path("switch/", views.switch, name="switch"),
    path("language/", choose_language, name="language"),
]
