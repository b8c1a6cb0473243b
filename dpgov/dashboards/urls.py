"""Routes of the dashboards."""

from django.urls import path

from dpgov.dashboards.budget.view import budget
from dpgov.dashboards.history.view import history, history_export
from dpgov.dashboards.home.view import home
from dpgov.dashboards.portfolio.view import portfolio
from dpgov.dashboards.search.view import anything, suggest

app_name = "dashboards"
urlpatterns = [
    path("", home, name="home"),
    path("datasets/<slug:slug>/budget/", budget, name="budget"),
    path("search/", anything, name="search"),
    path("search/suggest/", suggest, name="suggest"),
    path("portfolio/", portfolio, name="portfolio"),
    path("history/", history, name="history"),
    path("history/export/", history_export, name="history_export"),
]
