"""Routes of the pages that explain ε."""

from django.urls import path

from dpgov.explain.web import guarantee, lessons, understanding

app_name = "explain"
urlpatterns = [
    path("datasets/<slug:slug>/comparison/", guarantee.comparison, name="comparison"),
    path("datasets/<slug:slug>/group-privacy/", guarantee.group_privacy, name="group_privacy"),
    path("understanding/", understanding.understanding_general, name="understanding_general"),
    path("datasets/<slug:slug>/understanding/", understanding.understanding, name="understanding"),
    path("lessons/", lessons.lessons, name="lessons"),
    path("lessons/<slug:lesson>/", lessons.lesson, name="lesson"),
    path("glossary/", understanding.glossary, name="glossary"),
]
