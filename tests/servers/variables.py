"""An environment of our own making, for the readers of the environment."""

from dpgov.configuration.reading import Environment


def variables(given: dict[str, str]) -> Environment:
    """It has these variables and no others."""
    env = Environment()
    env.ENVIRON = given
    return env
