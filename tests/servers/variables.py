"""An environment of our own making, for the readers of the environment."""

import environ


def variables(given: dict[str, str]) -> environ.Env:
    """It has these variables and no others."""
    env = environ.Env()
    env.ENVIRON = given
    return env
