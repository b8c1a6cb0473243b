"""The product's password hasher with small parameters, so that a sign-in takes no time."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class CheapArgon2(Argon2PasswordHasher):
    """Argon2id in one pass over a few kilobytes. For tests only."""

    time_cost = 1
    memory_cost = 64
    parallelism = 1
