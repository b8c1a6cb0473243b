"""The shapes of draws: what noise was added to, how much of it, and at which price."""

from rest_framework import serializers

from dpgov.privacy.mechanisms.sigmoid import FINE
from dpgov.queries.rest.shapes.plan import MadeSerializer


class ReadingSerializer(MadeSerializer):
    """One noisy number of a draw."""

    name = serializers.CharField()
    lattice = serializers.FloatField(help_text="What one step of it is worth.")


class StepSerializer(MadeSerializer):
    """One draw of a descent, and its part of the price."""

    name = serializers.CharField()
    epsilon = serializers.FloatField(required=False)
    rho = serializers.FloatField(required=False, help_text="On datasets that count ρ.")
    mechanism = serializers.CharField()
    noise_scale = serializers.FloatField()
    sensitivity_l1 = serializers.IntegerField()
    sensitivity_l2 = serializers.FloatField()


class DrawSerializer(MadeSerializer):
    """Noise that one or several statistics are made of, and its price."""

    epsilon = serializers.FloatField(required=False)
    rho = serializers.FloatField(required=False, help_text="On datasets that count ρ.")
    mechanism = serializers.CharField()
    noise_scale = serializers.FloatField(help_text="In steps of the readings.")
    sensitivity_l1 = serializers.IntegerField(required=False)
    sensitivity_l2 = serializers.FloatField(required=False)
    candidates = serializers.IntegerField(
        required=False, help_text="Of a noisy choice: how many public values it chose among."
    )
    grid = serializers.FloatField(required=False, help_text="How far apart candidates are.")
    depth = serializers.IntegerField(
        required=False, help_text="How many choices follow each other."
    )
    readings = ReadingSerializer(many=True)
    moments = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Of a regression: what is multiplied in each of its numbers. Numbers are counted "
        "from the middle of their bounds, from -1 to 1; “1” is the constant. Of a logistic "
        "regression: for each of its numbers the draw that it belongs to, and what is added up.",
    )
    steps = StepSerializer(
        many=True, required=False, help_text="Of a logistic regression: its draws, in their order."
    )


class PartSerializer(MadeSerializer):
    """A part of a price, and what it pays for."""

    epsilon = serializers.FloatField(required=False)
    rho = serializers.FloatField(required=False, help_text="On datasets that count ρ.")
    mechanism = serializers.CharField(required=False)


class ChoosingDrawSerializer(DrawSerializer):
    """A draw, or all of adaptive rounds: the noise of each drawn count, and how often it is."""

    rounds = serializers.IntegerField(required=False, help_text="How many were paid for.")
    choice = PartSerializer(required=False, help_text="What each choice of a round costs.")
    table = PartSerializer(required=False, help_text="What each drawn table costs.")


class ReleasedDrawSerializer(DrawSerializer):
    """A draw with its noisy integers."""

    cells = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        required=False,
        help_text="For each cell the readings, or the places of the chosen candidates.",
    )
    numbers = serializers.ListField(
        child=serializers.IntegerField(),
        required=False,
        help_text="In format 3, in place of `cells`: the one reading of each cell.",
    )
    points = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        required=False,
        help_text="Of a logistic regression: the coefficients at which each step was drawn, in "
        f"parts of {FINE} for components from -1 to 1.",
    )
