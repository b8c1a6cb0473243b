"""Addresses of surveys in the API."""

from django.urls import path

from dpgov.surveys.rest import answering, surveys

_ONE = "surveys/<uuid:survey_id>/"
urlpatterns = [
    path("surveys/", surveys.SurveyListView.as_view(), name="survey-list"),
    path("surveys/new/", surveys.DraftView.as_view(), name="survey-new"),
    path(_ONE, surveys.SurveyView.as_view(), name="survey-detail"),
    path(f"{_ONE}quote/", surveys.SurveyQuoteView.as_view(), name="survey-quote"),
    path(f"{_ONE}open/", surveys.OpenView.as_view(), name="survey-open"),
    path(f"{_ONE}close/", surveys.CloseView.as_view(), name="survey-close"),
    path(f"{_ONE}tokens/", surveys.TokensView.as_view(), name="survey-tokens"),
    path("answer/<slug:survey_code>/", answering.AnswerView.as_view(), name="survey-answer"),
]
