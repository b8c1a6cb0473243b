"""Addresses of surveys in the API."""

from django.urls import path

from dpgov.surveys.rest import surveys

urlpatterns = [
    path("surveys/", surveys.SurveyListView.as_view(), name="survey-list"),
    path("surveys/<uuid:survey_id>/", surveys.SurveyView.as_view(), name="survey-detail"),
    path("answer/<slug:survey_code>/", surveys.AnswerView.as_view(), name="survey-answer"),
]
