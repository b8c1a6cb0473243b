"""What the API says of surveys, and what it takes."""

from typing import Any

from rest_framework import serializers

from dpgov.privacy.accounting.decimals import as_number
from dpgov.privacy.local.randomiser import LocalKind
from dpgov.surveys.models import Survey
from dpgov.surveys.wording import Line, lines_of

_MECHANISMS = [kind.value for kind in LocalKind]


class EstimateSerializer(serializers.Serializer[Line]):
    """One answer: how often reports name it, and what share of respondents that means."""

    answer = serializers.CharField()
    count = serializers.IntegerField()
    estimate = serializers.FloatField(
        source="exact", help_text="Unbiased, and so it may lie below 0 or above 1."
    )
    lower = serializers.FloatField(source="low", help_text="Of the interval at 95%, cut to 0.")
    upper = serializers.FloatField(source="high", help_text="Of the interval at 95%, cut to 1.")


class SurveySerializer(serializers.Serializer[Survey]):
    """A survey with its estimates so far."""

    id = serializers.UUIDField(source="pk")
    question = serializers.CharField()
    state = serializers.ChoiceField(choices=Survey.State.choices)
    mechanism = serializers.ChoiceField(choices=_MECHANISMS)
    epsilon = serializers.SerializerMethodField(help_text="Charged per respondent.")
    true_epsilon = serializers.SerializerMethodField(help_text="By its thresholds; never more.")
    closes_on = serializers.DateField()
    reports = serializers.IntegerField(source="tally.reports")
    estimates = serializers.SerializerMethodField()

    def get_epsilon(self, survey: Survey) -> float:
        """As it is charged."""
        return as_number(survey.epsilon_nano)

    def get_true_epsilon(self, survey: Survey) -> float:
        """As its thresholds have it."""
        return as_number(survey.randomiser.epsilon_nano)

    def get_estimates(self, survey: Survey) -> list[dict[str, Any]]:
        """Empty before the first report."""
        found: Any = lines_of(survey)
        return list(EstimateSerializer(found, many=True).data)


class SurveyFormSerializer(serializers.Serializer[Any]):
    """What a respondent's program needs: thresholds are whole numbers of 2^32 draws."""

    code = serializers.CharField()
    question = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())
    answers = serializers.IntegerField()
    mechanism = serializers.ChoiceField(choices=_MECHANISMS)
    kept = serializers.IntegerField()
    other = serializers.IntegerField()
    size = serializers.IntegerField(help_text="Characters of every report.")
    epsilon = serializers.FloatField()
    by_token = serializers.BooleanField()
    takes_reports = serializers.BooleanField()
    closes_on = serializers.CharField()
    address = serializers.CharField()


class ReportSerializer(serializers.Serializer[Any]):
    """One randomised report. Never send a true answer."""

    token = serializers.CharField(
        help_text="32 hexadecimal digits: the one that was given, or one of your own in open mode."
    )
    report = serializers.CharField(
        help_text="The place of an answer in digits, or a bit for each answer."
    )


class RecordedSerializer(serializers.Serializer[Any]):
    """It was counted; always the same."""

    recorded = serializers.BooleanField()
